#include "warploom/serving/host/host_model.h"

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
      .add("prefill_floor_ms", &HostModel::prefill_floor,
           ms("the same, of a step that prefills without a CUDA graph"))
      .add("serial_tail_ms", &HostModel::serial_tail, ms("host time between the end of a step and the next"))
      .add("serial_tail_per_sequence_us", &HostModel::serial_tail_per_sequence,
           us("the same, for each sequence"))
      .add("frontend_latency_ms", &HostModel::frontend_latency, ms("from the client to the engine's queue"))
      .add("frontend_per_token_us", &HostModel::frontend_per_token,
           us("tokenising, for each prompt token, one prompt after the other"))
      .table();
}

HostModel default_host_model(std::string_view engine, const ModelArchitecture& model, const GpuSpec& gpu) {
  const bool blackwell = gpu.generation == Generation::Blackwell;
  const double experts = double(model.mixture_layers());
  if (engine == "vllm")
    return {.prefill_floor = double(model.layer_count()) * milliseconds(0.75),
            .serial_tail = milliseconds(0.1)};
  if (engine == "sglang") {
    const double linear = double(model.layers_with(AttentionKind::Linear));
    return {.prefill_floor = experts * milliseconds(blackwell ? 1.55 : 3.1) + linear * milliseconds(3)};
  }
  if (engine == "trtllm") {
    HostModel host{.serial_tail = Seconds(0.0), .serial_tail_per_sequence = Seconds(0.0)};
    const double latent = double(model.layers_with(AttentionKind::Latent));
    const bool triton = model.mixture && !blackwell && !model.layers.empty() &&
                        model.layers.back().schemes.experts == MatmulScheme::MxFp4A16;
    host.prefill_floor = double(model.layer_count()) * milliseconds(0.5) +
                         experts * milliseconds(triton ? 1.7 : 0) + latent * milliseconds(2.3);
    return host;
  }
  throw NotFound(
      fmt::format("host model: no constants for engine '{}', expected vllm, sglang or trtllm", engine));
}

void add_client_frontend(HostModel& host) {
  host.frontend_latency = milliseconds(15);
  host.frontend_per_token = microseconds(2.5);
}

}  // namespace warploom
