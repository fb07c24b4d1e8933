#include "warploom/serving/host/host_model.h"

#include <algorithm>

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
  constexpr std::string_view kEach = "the same, for each sequence of the step";
  return FieldList<HostModel>("host_model")
      .add("schedule_ms", &HostModel::schedule, ms("choosing the requests of a step"))
      .add("schedule_per_sequence_us", &HostModel::schedule_per_sequence, us(kEach))
      .add("prepare_ms", &HostModel::prepare, ms("making the inputs of a step, up to its first launch"))
      .add("prepare_per_sequence_us", &HostModel::prepare_per_sequence, us(kEach))
      .add("launch_graph_ms", &HostModel::launch_graph,
           ms("launching a step that is one CUDA graph, and its sampling"))
      .add("launch_pieces_ms", &HostModel::launch_pieces, ms("launching a step that is many CUDA graphs"))
      .add("launch_kernels_ms", &HostModel::launch_kernels,
           ms("launching a step without CUDA graphs, kernel by kernel"))
      .add("finish_ms", &HostModel::finish, ms("giving the tokens of a step to its requests"))
      .add("finish_per_sequence_us", &HostModel::finish_per_sequence, us(kEach))
      .add("gap_ms", &HostModel::gap, ms("pause of the GPU between two steps, however early launched"))
      .add("gap_per_sequence_us", &HostModel::gap_per_sequence, us(kEach))
      .add("pause_ms", &HostModel::pause,
           {.unit = "ms",
            .doc = "what a step's kernels take over the sum of their times; below 0: in a graph they overlap",
            .min = -1e6,
            .max = 1e6,
            .scale = 1e-3})
      .add("frontend_latency_ms", &HostModel::frontend_latency,
           about_the_queue(ms("from the client to the engine's queue")))
      .add("frontend_per_token_us", &HostModel::frontend_per_token,
           about_the_queue(us("tokenising, for each prompt token; requests share it")))
      .table();
}

Seconds HostModel::launch(LaunchMode mode, int side) const {
  switch (mode) {
    case LaunchMode::Graph:
      return launch_graph;
    case LaunchMode::Pieces:
      return launch_pieces;
    case LaunchMode::DecodeKernels:
      if (side > 0) break;
      return launch_kernels - prompt_launch + (side < 0 ? Seconds(0.0) : decode_launch);
    case LaunchMode::Kernels:
      break;
  }
  return launch_kernels;
}

Seconds HostStep::busy(Seconds gpu) const {
  constexpr double kLeastShare = 0.5;  // of the kernels' times: they never overlap by more
  return std::max(gpu + pause, kLeastShare * gpu);
}

Seconds HostStep::whole(Seconds gpu, bool async) const {
  if (!async) return std::max(before + finish, gap) + std::max(busy(gpu), launch);
  return std::max(busy(gpu) + gap, before + launch + finish);
}

HostStep HostModel::step(std::int64_t sequences, LaunchMode mode, int side) const {
  const double n = double(sequences);
  return {.before = schedule + prepare + n * (schedule_per_sequence + prepare_per_sequence),
          .launch = launch(mode, side),
          .finish = finish + n * finish_per_sequence,
          .gap = gap + n * gap_per_sequence,
          .pause = pause};
}

Seconds HostModel::overhead(Seconds gpu, std::int64_t sequences, LaunchMode mode, bool async,
                            int side) const {
  return step(sequences, mode, side).whole(gpu, async) - gpu;
}

}  // namespace warploom
