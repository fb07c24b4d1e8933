// The engines of a plan's configurations, each made ready once: set up, priced by tables that fill as it
// runs, or refused with a reason.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warploom/app/plan/plan_request.h"
#include "warploom/app/serving/encoder_setup.h"
#include "warploom/app/serving/kv_transfer_setup.h"
#include "warploom/app/serving/serving_setup.h"
#include "warploom/planner/configuration_model.h"

namespace warploom {

// Engines whose steps cost the same: a setup whose model and GPU the pricers refer to, and pricers whose
// tables are filled so far.
struct EngineKind {
  ServingSetup setup;
  std::mutex mutex;
  std::vector<std::unique_ptr<StepPricer>> idle;
};

// An engine configuration of a kind.
struct PreparedEngine {
  std::optional<Refusal> refusal;
  std::shared_ptr<EngineKind> kind;
  ServingConfig config;
  KvTierConfig tiers;
  std::int64_t kv_tokens = 0;
};

// Encoders apart from the engines, or why there can be none.
struct PreparedEncoders {
  std::optional<Refusal> refusal;
  std::optional<EncoderSetup> setup;
};

// A pricer in use: taken from the kind's idle ones, and given back with fuller tables.
class LentPricer {
 public:
  explicit LentPricer(std::shared_ptr<EngineKind> kind);
  ~LentPricer();
  LentPricer(const LentPricer&) = delete;
  LentPricer& operator=(const LentPricer&) = delete;
  StepPricer& operator*() const { return *pricer_; }

 private:
  std::shared_ptr<EngineKind> kind_;
  std::unique_ptr<StepPricer> pricer_;
};

// Thread-safe. What it hands out stays where it is for its life.
class PreparedEngines {
 public:
  // `request` and `model` outlive this.
  PreparedEngines(const PlanRequest& request, const ModelArchitecture& model,
                  std::shared_ptr<const LatencyModel> latency);

  const PreparedEngine& of(const Configuration& configuration, const EngineShape& shape) const;
  // Those that a configuration has apart from its engines.
  const PreparedEncoders& encoders_of(const Configuration& configuration) const;
  // How caches of one kind reach another.
  const KvTransferPlan& transfer_of(const EngineKind& prefill, const EngineKind& decode) const;

 private:
  std::unique_ptr<PreparedEngine> prepare(const Configuration& configuration, const EngineShape& shape) const;
  std::shared_ptr<EngineKind> kind_of(const std::string& key, ServingSetup setup) const;
  bool fits_without_memory(const ServingSetupRequest& request) const;

  const PlanRequest& request_;
  const ModelArchitecture& model_;
  std::shared_ptr<const LatencyModel> latency_;
  mutable std::mutex mutex_;  // of the maps
  mutable std::map<std::string, std::unique_ptr<PreparedEngine>> prepared_;
  mutable std::map<std::string, std::unique_ptr<PreparedEncoders>> encoders_;
  mutable std::map<std::string, std::shared_ptr<EngineKind>> kinds_;
  mutable std::map<std::pair<const EngineKind*, const EngineKind*>, KvTransferPlan> transfers_;
};

// Why requests of up to `longest` tokens cannot run on the engine; nothing: they can.
std::optional<Refusal> refusal_of(const PreparedEngine& prepared, std::int64_t longest);

}  // namespace warploom
