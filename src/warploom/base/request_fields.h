// A FieldList of a request, whose members may also be paths and lists of paths: texts in JSON.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "warploom/base/fields.h"

namespace warploom {

template <class T>
class RequestFields {
 public:
  explicit RequestFields(std::string_view type_name) { table_.type_name = type_name; }

  template <class M>
  RequestFields& add(std::string_view name, M T::*member, FieldOptions options = {}) {
    if constexpr (std::is_same_v<M, std::filesystem::path> ||
                  std::is_same_v<M, std::vector<std::filesystem::path>>) {
      add_paths(name, member, options);
    } else {
      FieldTable one = FieldList<T>(std::string_view()).add(name, member, options).table();
      table_.fields.push_back(std::move(one.fields.front()));
    }
    return *this;
  }

  FieldTable table() { return std::move(table_); }

 private:
  template <class M>
  void add_paths(std::string_view name, M T::*member, const FieldOptions& options) {
    constexpr bool one = std::is_same_v<M, std::filesystem::path>;
    Field field;
    field.name = name;
    field.kind = one ? FieldKind::Text : FieldKind::TextList;
    field.options = options;
    field.get = [member](const void* object) -> FieldValue {
      const M& paths = static_cast<const T*>(object)->*member;
      if constexpr (one) {
        return paths.string();
      } else {
        std::vector<std::string> texts;
        for (const std::filesystem::path& path : paths) texts.push_back(path.string());
        return texts;
      }
    };
    field.set = [member](void* object, FieldValue&& value) {
      M& paths = static_cast<T*>(object)->*member;
      if constexpr (one) {
        paths = std::get<std::string>(value);
      } else {
        const auto& texts = std::get<std::vector<std::string>>(value);
        paths.assign(texts.begin(), texts.end());
      }
    };
    table_.fields.push_back(std::move(field));
  }

  FieldTable table_;
};

}  // namespace warploom
