#include "warploom/answers/internal/setup_reading.h"

#include <fmt/format.h>

#include "warploom/app/serving/host_settings.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr const char* kSetupConfig = "config";
constexpr const char* kSetupHost = "host";
constexpr const char* kEngineDay = "engine_day";
constexpr const char* kDecodePool = "decode";

// The fields of `given` that differ from their defaults.
template <Described T>
std::vector<std::string> changed_fields(const Json& given) {
  static const Json defaults = to_json(T());
  std::vector<std::string> names;
  for (const auto& [name, value] : given.items())
    if (fields_of<T>().find(name) != nullptr && (!defaults.contains(name) || defaults[name] != value))
      names.push_back(name);
  return names;
}

void check_setup(const Json& setup, SetupUse use, bool decodes_only) {
  const Json given = setup.value(kSetupConfig, Json::object());
  if (use != SetupUse::Run && setup.contains(kEngineDay))
    throw InvalidInput(
        fmt::format("{} is not modelled here: it dates defaults of a run; expected it with "
                    "`simulate`",
                    kEngineDay));
  const auto config = object_from_json<ServingConfig>(given, kSetupConfig);
  std::vector<std::string> names = changed_fields<ServingConfig>(given);
  if (const auto host = setup.find(kSetupHost); host != setup.end())
    for (std::string& name : changed_fields<HostSettings>(*host)) names.push_back(std::move(name));
  for (const std::string& name : names) {
    check_field_engine(config, name, name);
    check_given_field(use, config, name, name);
    if (decodes_only) check_decode_scope(name, name);
  }
  check_drafts(use, config);
}

void check_setups_in(const Json& document, SetupUse use, bool decodes_only) {
  if (document.contains(kSetupConfig) || document.contains(kSetupHost)) {
    check_setup(document, use, decodes_only);
    return;
  }
  for (const auto& [name, part] : document.items())
    if (part.is_object()) check_setups_in(part, use, name == kDecodePool);
}

}  // namespace

void check_given_setups(const Json& document, SetupUse use) { check_setups_in(document, use, false); }

}  // namespace warploom
