// What is taken of drafts where the user says nothing: tokens from the checkpoint, acceptance from what its
// makers or others published.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warploom/models/architecture.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {

// One published acceptance, a file of data/speculation.
struct PublishedAcceptance {
  std::vector<std::string> models;  // names of the catalogue
  std::string method;               // its name
  std::int64_t tokens = 0;          // proposed
  double length = 0;                // mean tokens of a verifying step, the sure one included
  std::string source;
  static FieldTable describe();
};

// Gives --speculative-config the method of a draft whose config.json says it, the prediction modules of the
// checkpoint or the block of the draft as the number of tokens (as vLLM does), the same to SGLang's flags,
// and `acceptance_length` what is published for this model, method and number of tokens. Only what was not
// stated; nothing where nothing is published, which speculation_of refuses. Throws InvalidInput on more
// tokens than modules that are no multiple of them, as vLLM does.
void complete_speculation(ServingConfig& config, const ModelArchitecture& model, const FileScope& files = {});

// Where the acceptance of that configuration was published; empty where it was not taken from there.
std::string acceptance_source(const ServingConfig& config, const ModelArchitecture& model);

}  // namespace warploom
