#include "warploom/manifests/lines/engine_flag_effects.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "warploom/base/embedded_document.h"
#include "warploom/base/json.h"
#include "warploom_embedded/engine_flags.h"

namespace warploom {
namespace {

using Names = std::set<std::string, std::less<>>;

template <typename Value>
using ByName = std::map<std::string, Value, std::less<>>;

struct FlagLists {
  Names values, lists, switches;
  ByName<Names> approximated, not_modelled;
  ByName<ByName<Names>> usual;
  ByName<ByName<std::string>> spellings;
};

FlagLists read_lists(const Json& document, std::string_view) {
  const Json& without = document.at("without_effect");
  return {.values = without.at("values").get<Names>(),
          .lists = without.at("lists").get<Names>(),
          .switches = without.at("switches").get<Names>(),
          .approximated = document.at("approximated").get<ByName<Names>>(),
          .not_modelled = document.at("not_modelled").get<ByName<Names>>(),
          .usual = document.at("usual").get<ByName<ByName<Names>>>(),
          .spellings = document.at("spellings").get<ByName<ByName<std::string>>>()};
}

const FlagLists& flag_lists() {
  static const FlagLists lists = from_embedded(embedded::engine_flags(), "warploom_engine_flags", read_lists);
  return lists;
}

}  // namespace

std::string_view long_name_of_flag(std::string_view engine, std::string_view name) {
  const auto own = flag_lists().spellings.find(engine);
  if (own == flag_lists().spellings.end()) return name;
  const auto found = own->second.find(name);
  return found == own->second.end() ? name : std::string_view(found->second);
}

FlagEffect effect_of_flag(std::string_view engine, std::string_view name) {
  const FlagLists& lists = flag_lists();
  if (lists.values.contains(name)) return FlagEffect::NoneWithValue;
  if (lists.lists.contains(name)) return FlagEffect::NoneWithValues;
  const std::string_view plain = name.starts_with("no_") ? name.substr(3) : name;
  if (lists.switches.contains(name) || lists.switches.contains(plain)) return FlagEffect::None;
  const auto listed = [&](const ByName<Names>& of_engines) {
    const auto own = of_engines.find(engine);
    return own != of_engines.end() && (own->second.contains(name) || own->second.contains(plain));
  };
  if (listed(lists.approximated)) return FlagEffect::Approximated;
  return listed(lists.not_modelled) ? FlagEffect::NotModelled : FlagEffect::Unknown;
}

bool does_nothing_at(std::string_view engine, std::string_view name, std::string_view value) {
  const auto own = flag_lists().usual.find(engine);
  if (own == flag_lists().usual.end()) return false;
  const auto values = own->second.find(name);
  return values != own->second.end() && values->second.contains(value);
}

}  // namespace warploom
