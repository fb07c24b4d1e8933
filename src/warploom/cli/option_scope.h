// Which options of the engine bear on what a command asks. The others are refused: an option that is taken
// and changes nothing tells its user a falsehood.
#pragma once

#include <string_view>

#include "warploom/app/serving/serving_setup.h"

namespace warploom {

// A step or a static batch has no queue, a diagnosis no memory limit either; a run has everything.
enum class SetupUse { Step, StaticBatch, Diagnosis, Run };

// Throws InvalidInput when `field` (of ServingConfig or HostModel), given as `option`, does not bear on what
// `use` asks of `engine`.
void check_scope(SetupUse use, std::string_view engine, std::string_view field, std::string_view option);

// The same of a pool that only decodes.
void check_decode_scope(std::string_view field, std::string_view option);

// Throws InvalidInput when `field`, given as `option`, details something that `config` has switched off.
void check_companion(const ServingConfig& config, std::string_view field, std::string_view option);

// Throws InvalidInput on drafts where none are modelled.
void check_drafts(SetupUse use, const ServingConfig& config);

}  // namespace warploom
