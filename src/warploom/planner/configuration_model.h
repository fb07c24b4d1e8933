// The seam between the search and whoever can price and simulate a configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "warploom/base/json.h"
#include "warploom/planner/configuration.h"
#include "warploom/planner/run_figures.h"
#include "warploom/planner/step_ladder.h"

namespace warploom {

// Why a configuration cannot run. `reason` is one of a few that are counted, `text` says more.
struct Refusal {
  std::string reason, text;
};
inline constexpr std::string_view kNoMemory = "not enough memory",
                                  kNoSplit = "model cannot be split that way",
                                  kNoEngine = "engine refuses it", kNoKernels = "not modelled on this GPU",
                                  kNoTier = "kernels never measured on this GPU";

struct Screened {
  std::optional<Refusal> refusal;
  EngineBounds first;                  // of the only pool, or of the one that computes prompts
  std::optional<EngineBounds> decode;  // of the other one
};

// Thread-safe. The same question always gets the same answer.
class ConfigurationModel {
 public:
  virtual ~ConfigurationModel() = default;
  virtual Screened screen(const Configuration& configuration) const = 0;
  virtual RunFigures run(const Configuration& configuration, const Fleet& fleet,
                         const RunQuestion& question) const = 0;
  // For several processes: the runs made here since the last call, and those of another one. Nothing where
  // runs are not remembered.
  virtual Json take_news() const;
  virtual void learn(const Json& news) const;
};

}  // namespace warploom
