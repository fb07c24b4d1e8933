// Which fields of a setup bear on what is asked. The others are refused: one that is taken and changes
// nothing tells its giver a falsehood.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "warploom/app/serving/serving_setup.h"

namespace warploom {

// A step or a static batch has no queue, a diagnosis no memory limit either; a run has everything. Steps: one
// priced after another for a caller's own loop (answers/step_prices.h). Forecast: a run of the load that an
// engine's metrics tell of.
enum class SetupUse { Step, StaticBatch, Diagnosis, Steps, Run, Forecast };
inline bool has_requests(SetupUse use) { return use == SetupUse::Run || use == SetupUse::Forecast; }

// A field that changes nothing of what is asked. what() is the field's name and the reason.
class FieldRefusal : public InvalidInput {
 public:
  FieldRefusal(std::string_view field, std::string_view reason, std::string_view place = {});
  const std::string& field() const { return field_; }
  const std::string& reason() const { return reason_; }  // begins with a blank
  const std::string& place() const { return place_; }    // the pool that it was given for; else empty

 private:
  std::string field_, reason_, place_;
};

// Each of these throws FieldRefusal that begins with `called`, the name that the giver of the field knows;
// other fields are named in backticks.

// When `field`, of ServingConfig, belongs to another engine than the config's.
void check_field_engine(const ServingConfig& config, std::string_view field, std::string_view called);

// When `field` was given, of ServingConfig or HostSettings, and does not bear on what `use` asks of the
// config's engine, or details something that `config` has switched off.
void check_given_field(SetupUse use, const ServingConfig& config, std::string_view field,
                       std::string_view called);

// When `field` does not bear on a pool that only decodes.
void check_decode_scope(std::string_view field, std::string_view called);

// When engine_version was given and is none, as "latest", or one that the engine was never released as
// (engine_releases.h). Versions that measured runs came with are not asked and not checked: engines are also
// built between releases.
void check_asked_version(const ServingSetupRequest& request);

// As resolve_serving, of a setup that somebody asked for; throws also as check_asked_version.
ServingSetup resolve_asked(const ServingSetupRequest& request, std::shared_ptr<const LatencyModel> latency);

// On constants of the front end in `host`, where figures begin in the engine's queue; `use`: whose.
void check_queue_host(const HostSettings& host, std::string_view use);

// On drafts where none are modelled.
void check_drafts(SetupUse use, const ServingConfig& config);

}  // namespace warploom
