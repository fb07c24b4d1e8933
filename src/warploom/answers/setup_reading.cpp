#include "warploom/answers/internal/setup_reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/app/serving/host_settings.h"
#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {
namespace {

constexpr const char* kSetupConfig = "config";
constexpr const char* kSetupHost = "host";
constexpr const char* kEngineDay = "engine_day";
constexpr const char* kDecodePool = "decode";
constexpr const char* kPrefillPool = "prefill";

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

// Whether the engine has the field by a name of its own, which JSON does not know.
bool has_flag_for(std::string_view engine, std::string_view field) {
  const EngineSpec* known = find_engine(engine);
  return known != nullptr && std::any_of(known->flags.begin(), known->flags.end(),
                                         [&](const EngineFlag& flag) { return flag.field == field; });
}

Json config_in(const Json& pools, const char* name) {
  const auto pool = pools.find(name);
  return pool != pools.end() && pool->is_object() ? pool->value(kSetupConfig, Json::object())
                                                  : Json::object();
}

// `other`: the configuration of the pool that prefills, where `setup` is the one that decodes. What both say
// alike is said of the pair.
void check_fields(const Json& setup, SetupUse use, const Json* other) {
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
    if (!has_flag_for(config.engine, name)) check_field_engine(config, name, name);
    check_given_field(use, config, name, name);
    const bool alike =
        other != nullptr && other->contains(name) && (*other)[name] == given.value(name, Json());
    if (other != nullptr && !alike) check_decode_scope(name, name);
  }
  check_drafts(use, config);
}

void check_setup(const Json& setup, SetupUse use, std::string_view place, const Json* other) {
  try {
    check_fields(setup, use, other);
  } catch (const FieldRefusal& refusal) {
    throw FieldRefusal(refusal.field(), refusal.reason(), place);
  }
}

void check_setups_in(const Json& document, SetupUse use, std::string_view place, const Json* other) {
  if (document.contains(kSetupConfig) || document.contains(kSetupHost))
    return check_setup(document, use, place, other);
  for (const auto& [name, part] : document.items()) {
    if (!part.is_object()) continue;
    const bool pool = name == kDecodePool || name == kPrefillPool;
    const Json prefill = name == kDecodePool ? config_in(document, kPrefillPool) : Json();
    check_setups_in(part, use, pool ? std::string_view(name) : std::string_view(),
                    name == kDecodePool ? &prefill : nullptr);
  }
}

}  // namespace

void check_given_setups(const Json& document, SetupUse use) { check_setups_in(document, use, {}, nullptr); }

}  // namespace warploom
