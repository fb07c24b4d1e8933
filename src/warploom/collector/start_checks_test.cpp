#include "warploom/collector/start_checks.h"

#include <gtest/gtest.h>

#include "warploom/collector/failure.h"

namespace warploom::collector {
namespace {

StartFacts good() {
  return {.driver_version = 13000,
          .runtime_version = 12080,
          .failure = "",
          .gpus = 2,
          .ordinal = 1,
          .name = "Some GPU",
          .compute_capability = 90,
          .free_bytes = std::int64_t(80) << 30};
}

// The message has each of `words`: what happened and what to do.
void expect_refusal(const StartFacts& facts, const std::vector<std::string>& words) {
  try {
    check_start(facts);
    ADD_FAILURE() << "nothing was refused";
  } catch (const BadInput& error) {
    for (const std::string& word : words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(StartChecks, PassAMachineThatIsFit) { EXPECT_NO_THROW(check_start(good())); }

TEST(StartChecks, NameWhatIsMissingAndWhatToDo) {
  StartFacts facts = good();
  facts.driver_version = 0;
  facts.gpus = 0;
  facts.failure = "CUDA driver version is insufficient";
  expect_refusal(facts, {"no NVIDIA driver", "install one", "container"});

  facts = good();
  facts.driver_version = 11080;
  facts.gpus = 0;
  facts.failure = "CUDA driver version is insufficient";
  expect_refusal(facts, {"serves CUDA 11.8", "built with CUDA 12.8", "newer driver"});

  facts = good();
  facts.gpus = 0;
  facts.failure = "no CUDA-capable device is detected";
  expect_refusal(facts, {"no GPU is visible", "no CUDA-capable device", "CUDA_VISIBLE_DEVICES"});

  facts = good();
  facts.ordinal = 2;
  expect_refusal(facts, {"--device 2", "shows 2 GPU(s)", "numbered from 0"});

  facts = good();
  facts.failure = "uncorrectable ECC error encountered";
  expect_refusal(facts, {"GPU 1 cannot be used", "ECC", "nvidia-smi"});

  facts = good();
  facts.compute_capability = 61;
  expect_refusal(facts, {"Some GPU", "6.1", "7.0 or newer"});

  facts = good();
  facts.free_bytes = std::int64_t(900) << 20;
  expect_refusal(facts, {"too little memory is free", "900 MiB", "expected 1300 or more", "--device"});
}

TEST(StartChecks, MinorVersionsOfOneCudaServeOneAnother) {
  StartFacts facts = good();
  facts.driver_version = 12020;
  EXPECT_NO_THROW(check_start(facts));
}

TEST(StartChecks, RefuseAGpuInUseUnlessAccepted) {
  DeviceState busy;
  busy.other_processes = 3;
  try {
    check_state(busy, false);
    ADD_FAILURE() << "nothing was refused";
  } catch (const BadInput& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("3 other program(s)"), std::string::npos) << message;
    EXPECT_NE(message.find("--shared"), std::string::npos) << message;
  }
  EXPECT_EQ(check_state(busy, true), std::nullopt);
}

TEST(StartChecks, WarnOfAThrottledGpu) {
  DeviceState state;
  EXPECT_EQ(check_state(state, false), std::nullopt);
  state.throttle = "power_cap";  // ordinary under load: the sweep waits for the clock
  EXPECT_EQ(check_state(state, false), std::nullopt);
  for (const char* reason : {"hw_slowdown", "sw_thermal", "power_cap+hw_thermal", "power_brake"}) {
    state.throttle = reason;
    const auto warning = check_state(state, false);
    ASSERT_TRUE(warning.has_value()) << reason;
    EXPECT_NE(warning->find("throttled"), std::string::npos);
    EXPECT_NE(warning->find("let it cool"), std::string::npos);
  }
}

}  // namespace
}  // namespace warploom::collector
