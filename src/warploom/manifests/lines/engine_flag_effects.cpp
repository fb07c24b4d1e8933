#include "warploom/manifests/lines/engine_flag_effects.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "warploom/base/embedded_file.h"
#include "warploom/base/json.h"
#include "warploom_embedded/engine_flags.h"

namespace warploom {
namespace {

using Names = std::set<std::string, std::less<>>;

struct FlagLists {
  Names values, switches;
  std::map<std::string, Names, std::less<>> not_modelled;
  std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> spellings;
};

const FlagLists& flag_lists() {
  static const FlagLists lists = [] {
    const EmbeddedFile& file = embedded::engine_flags().front();
    const Json document = parse_json(file.contents, file.name);
    const Json& without = document.at("without_effect");
    return FlagLists{.values = without.at("values").get<Names>(),
                     .switches = without.at("switches").get<Names>(),
                     .not_modelled = document.at("not_modelled").get<decltype(FlagLists::not_modelled)>(),
                     .spellings = document.at("spellings").get<decltype(FlagLists::spellings)>()};
  }();
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
  const std::string_view plain = name.starts_with("no_") ? name.substr(3) : name;
  if (lists.switches.contains(name) || lists.switches.contains(plain)) return FlagEffect::None;
  const auto own = lists.not_modelled.find(engine);
  const bool listed =
      own != lists.not_modelled.end() && (own->second.contains(name) || own->second.contains(plain));
  return listed ? FlagEffect::NotModelled : FlagEffect::Unknown;
}

}  // namespace warploom
