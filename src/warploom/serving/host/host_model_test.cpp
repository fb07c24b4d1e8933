#include "warploom/serving/host/host_model.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {
namespace {

TEST(HostModel, HidesTheFloorBehindTheGpu) {
  const HostModel host{.dispatch = milliseconds(1),
                       .host_floor = milliseconds(5),
                       .host_floor_per_sequence = milliseconds(1),
                       .serial_tail = milliseconds(2),
                       .serial_tail_per_sequence = Seconds(0)};
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 4, false)), 3, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(4), 4, false)), 3 + 5, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(Seconds(0), 0, false)), 3 + 5, 1e-9);
}

TEST(HostModel, RaisesTheFloorOfStepsThatPrefill) {
  const HostModel host{
      .host_floor = milliseconds(5), .prefill_floor = milliseconds(30), .serial_tail = Seconds(0)};
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 0, false)), 0, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 0, true)), 10, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(40), 0, true)), 0, 1e-9);
}

TEST(HostModel, HasConstantsForEachEngine) {
  ModelArchitecture model;
  model.layers = {{.count = 3}, {.count = 58, .mixture = true}};
  model.mixture = MixtureOfExperts{};
  GpuSpec hopper, blackwell;
  hopper.matrix_instruction = MatrixInstruction::Wgmma;
  blackwell.matrix_instruction = MatrixInstruction::Tcgen05;
  const auto floor_ms = [&](std::string_view engine, const GpuSpec& gpu) {
    return to_milliseconds(engine_named(engine).host(model, gpu).prefill_floor);
  };
  EXPECT_NEAR(floor_ms("vllm", hopper), 61 * 0.75, 1e-9);
  EXPECT_NEAR(floor_ms("sglang", hopper), 58 * 3.1, 1e-9);
  EXPECT_NEAR(floor_ms("sglang", blackwell), 58 * 1.55, 1e-9);
  EXPECT_EQ(engine_named("trtllm").host(model, hopper).overhead(milliseconds(3), 9, false).value(), 0);
  EXPECT_NEAR(floor_ms("trtllm", hopper), 61 * 0.5, 1e-9);
  model.layers[1].schemes.experts = MatmulScheme::MxFp4A16;
  EXPECT_NEAR(floor_ms("trtllm", hopper), 61 * 0.5 + 58 * 1.7, 1e-9);
  EXPECT_NEAR(floor_ms("trtllm", blackwell), 61 * 0.5, 1e-9);
  for (LayerGroup& group : model.layers) group.attention = AttentionKind::Latent;
  EXPECT_NEAR(floor_ms("trtllm", blackwell), 61 * 2.8, 1e-9);
  EXPECT_NEAR(to_milliseconds(engine_named("sglang").host(model, hopper).serial_tail), 0.3, 1e-9);
  EXPECT_NEAR(to_milliseconds(engine_named("vllm").host(model, hopper).serial_tail), 0.1, 1e-9);
  EXPECT_THROW(engine_named("vlm"), NotFound);
}

}  // namespace
}  // namespace warploom
