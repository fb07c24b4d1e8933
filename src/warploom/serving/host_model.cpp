#include "warploom/serving/host_model.h"

#include <fmt/format.h>

#include "warploom/base/error.h"

namespace warploom {

FieldTable HostModel::describe() {
  const auto ms = [](std::string_view doc) {
    return FieldOptions{.unit = "ms", .doc = doc, .min = 0, .scale = 1e-3};
  };
  const auto us = [](std::string_view doc) {
    return FieldOptions{.unit = "us", .doc = doc, .min = 0, .scale = 1e-6};
  };
  return FieldList<HostModel>("host_model")
      .add("dispatch_ms", &HostModel::dispatch, ms("host time before the GPU can start a step, never hidden"))
      .add("dispatch_per_sequence_us", &HostModel::dispatch_per_sequence, us("the same, for each sequence"))
      .add("host_floor_ms", &HostModel::host_floor, ms("host work of a step that overlaps with the GPU"))
      .add("host_floor_per_sequence_us", &HostModel::host_floor_per_sequence,
           us("the same, for each sequence"))
      .add("prefill_floor_ms", &HostModel::prefill_floor, ms("the same, of a step that holds prompt tokens"))
      .add("serial_tail_ms", &HostModel::serial_tail, ms("host time between the end of a step and the next"))
      .add("serial_tail_per_sequence_us", &HostModel::serial_tail_per_sequence,
           us("the same, for each sequence"))
      .add("frontend_latency_ms", &HostModel::frontend_latency, ms("from the client to the engine's queue"))
      .add("frontend_per_token_us", &HostModel::frontend_per_token,
           us("tokenising, for each prompt token, one prompt after the other"))
      .table();
}

HostModel default_host_model(std::string_view engine, std::int64_t expert_layers) {
  if (engine == "vllm") return {};
  if (engine == "sglang") return {.prefill_floor = double(expert_layers) * milliseconds(2.5)};
  if (engine == "trtllm") return {.serial_tail = Seconds(0.0), .serial_tail_per_sequence = Seconds(0.0)};
  throw NotFound(
      fmt::format("host model: no constants for engine '{}', expected vllm, sglang or trtllm", engine));
}

void add_client_frontend(HostModel& host) {
  host.frontend_latency = milliseconds(15);
  host.frontend_per_token = microseconds(2.5);
}

}  // namespace warploom
