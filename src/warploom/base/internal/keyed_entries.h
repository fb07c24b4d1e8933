// Fills a JSON object. The document's own way looks at every key that is there before it adds one, which is
// quadratic: 80,000 keys took 16 s.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "warploom/base/json.h"

namespace warploom {

class KeyedEntries {
 public:
  // `object` is empty, outlives this and is changed by nobody else meanwhile.
  explicit KeyedEntries(Json& object) : entries_(&object.get_ref<Json::object_t&>()) {}

  // The value of a key: a new null at the end, or what is there. Valid until the next call.
  Json& operator[](const std::string& key) {
    // A tree, since names that collide in a hash table can be made.
    const auto [place, is_new] = places_.emplace(key, entries_->size());
    if (is_new) static_cast<Json::object_t::Container*>(entries_)->emplace_back(key, nullptr);
    return (entries_->begin() + std::ptrdiff_t(place->second))->second;
  }

 private:
  Json::object_t* entries_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace warploom
