#include "warploom/serving/host/host_model.h"

#include "warploom/serving/field_topics.h"

namespace warploom {

FieldTable HostModel::describe() {
  const auto ms = [](std::string_view doc) {
    return FieldOptions{.unit = "ms", .doc = doc, .min = 0, .scale = 1e-3};
  };
  const auto us = [](std::string_view doc) {
    return FieldOptions{.unit = "us", .doc = doc, .min = 0, .scale = 1e-6};
  };
  const auto about_the_queue = [](FieldOptions options) {
    options.topic = kQueueTopic;
    return options;
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
      .add("frontend_latency_ms", &HostModel::frontend_latency,
           about_the_queue(ms("from the client to the engine's queue")))
      .add("frontend_per_token_us", &HostModel::frontend_per_token,
           about_the_queue(us("tokenising, for each prompt token, one prompt after the other")))
      .table();
}

void add_client_frontend(HostModel& host) {
  host.frontend_latency = milliseconds(15);
  host.frontend_per_token = microseconds(2.5);
}

}  // namespace warploom
