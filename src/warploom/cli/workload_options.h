// Options of a run that say what the requests are and when they come.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "warploom/app/serving/simulate_serving.h"
#include "warploom/cli/field_options.h"

namespace warploom {

// A plan has no thoughts, and the two lengths that most planners ask for.
enum class WorkloadUse { Run, Plan };

class WorkloadOptions {
 public:
  // Adds --trace, --workload, --requests, ... and the options of `vllm bench serve` with their meaning there.
  explicit WorkloadOptions(Command& command, WorkloadUse use = WorkloadUse::Run);
  // Into the fields of a SimulateRequest or a PlanRequest: `source`, and what images need. Throws
  // InvalidInput.
  void write(Json& request) const;

 private:
  struct Values {
    std::string vision_encoder, request_rate, mm_buckets;
    std::optional<std::int64_t> num_prompts, input_tokens, mm_items;
  };
  void write_images(Json& source) const;
  bool write_lengths(Json& source) const;
  std::shared_ptr<Values> values_;
  std::shared_ptr<FieldOptionValues> fields_, random_, sessions_;
};

}  // namespace warploom
