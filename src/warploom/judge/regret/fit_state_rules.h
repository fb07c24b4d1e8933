// Fits data/tuner/state_rules.json (tuned_files/state_rules.h) on one GPU's measured configurations of some
// states, and says what others, which nothing was fitted on, say of it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "warploom/base/json.h"
#include "warploom/tuned_files/state_rules.h"

namespace warploom {

// How estimates do on every configuration of some states; residuals are root mean squares of ln.
struct StateJudged {
  std::size_t states = 0;
  double geo_mean_share = 0, worst_share = 1;  // of the best: a row's
  double level = 0;                            // of a state's mean
  double tile = 0, knob = 0;  // between rows of a tile around it, and between warps of the same rows
};

struct StateFit {
  StateRules rules;
  StateJudged fitted, unseen;
};

// `fixtures`: tests/fixtures/tuner/engine_kernels, whose measured.json names the GPU. Throws NotFound,
// IoError, InvalidInput.
StateFit fit_state_rules(const std::filesystem::path& fixtures);

// The data file: rules, what they were fitted on and the figures.
Json state_rules_json(const StateFit& fit, const std::filesystem::path& fixtures);
std::string state_fit_text(const StateFit& fit);

}  // namespace warploom
