// Images in a run: when they are encoded, in engines and before them.
#include <gtest/gtest.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/pricing/step_pricer.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {
namespace {

ImageShape shape_of(std::int64_t tokens) { return {.tokens = tokens, .runs = {{1, 4 * tokens}}}; }

// A step takes 1 ms where the language model runs, and each image costs 3 ms.
class ImagePricer final : public StepPricer {
 public:
  StepCost price(const StepBatch& batch) override {
    std::int64_t own = 0;
    for (const ImageCount& each : batch.images) own += each.count;
    images += own;
    most = std::max(most, own);
    const Seconds time = milliseconds((batch.tokens() > 0 ? 1.0 : 0.0) + 3.0 * double(own));
    return {time, time, time, Seconds(0.0)};
  }
  std::vector<KernelTime> breakdown() const override {
    return {{Family::Gemm, "image", Seconds(0), double(images)},
            {Family::Gemm, "most", Seconds(0), double(most)}};
  }
  std::unique_ptr<StepPricer> clone() const override { return std::make_unique<ImagePricer>(); }
  std::int64_t images = 0, most = 0;
};

double calls(const SimulationResult& run, std::string_view label) {
  for (const KernelTime& kernel : run.kernels)
    if (kernel.label == label) return kernel.calls;
  return -1;
}

Workload with_images(std::int64_t requests, std::int64_t images, std::int64_t tokens) {
  Workload workload;
  for (std::int64_t i = 0; i < requests; ++i) workload.requests.push_back({SimTime(), 50, 20});
  add_images(workload, images, {{.shape = shape_of(tokens)}}, 1, 1);
  return workload;
}

ServingConfig config_of(std::string engine) {
  ServingConfig config;
  config.engine = std::move(engine);
  config.max_num_batched_tokens = 256;
  config.scheduler_reserve_full_isl = false;
  config.host = HostModel{};
  config.async_scheduling = false;
  return config;
}

TEST(Images, AreEncodedOnceWithTheirPrompt) {
  const Workload workload = with_images(20, 2, 100);
  EXPECT_EQ(workload.requests[0].input_tokens, 250);
  for (const char* engine : {"vllm", "sglang", "trtllm"}) {
    ServingConfig config = config_of(engine);
    config.num_gpu_blocks_override = 60 * 16 / block_size_of(config);
    const SimulationResult run = simulate(config, workload, ImagePricer());
    EXPECT_EQ(run.metrics.completed, 20) << engine;
    EXPECT_GE(calls(run, "image"), 40) << engine;
    if (run.preemptions == 0) {
      EXPECT_EQ(calls(run, "image"), 40) << engine;
    }
    EXPECT_EQ(run.totals.images, calls(run, "image")) << engine;
  }
}

// vLLM: the budget of a step is max_num_batched_tokens, 256, so two images of 100 tokens; a prompt's part of
// the step ends before an image that is not encoded.
TEST(Images, AStepEncodesNoMoreThanItsBudget) {
  ServingConfig config = config_of("vllm");
  const SimulationResult run = simulate(config, with_images(20, 5, 100), ImagePricer());
  EXPECT_EQ(calls(run, "image"), 100);
  EXPECT_EQ(calls(run, "most"), 2);
  config.max_num_batched_tokens = 4096;
  EXPECT_EQ(calls(simulate(config, with_images(20, 5, 100), ImagePricer()), "most"), 38);  // of 4096 tokens
  config.max_num_batched_tokens = 256;
  config.most_image_tokens = 1000;  // the model reads images of so many: budget and cache follow
  EXPECT_EQ(calls(simulate(config, with_images(20, 5, 100), ImagePricer()), "most"),
            3);  // that 256 tokens meet
}

// States are kept every 240 tokens, so a prompt's part ends at 240; the third image, which begins at 200,
// ends it there. Were the image asked first, 200 tokens would be cut to none and the request would not move.
TEST(Images, EndAPartOfAPromptThatEndsAtAState) {
  ServingConfig config = config_of("vllm");
  config.kv_layout = {
      .state = 2, .kept_state = 1, .full_stretch = 15, .states_kept = StateKeeping::AtChunkEnds};
  const SimulationResult run = simulate(config, with_images(1, 5, 100), ImagePricer());
  EXPECT_EQ(run.metrics.completed, 1);
  EXPECT_EQ(calls(run, "image"), 5);
  // Steps to 200 with two images, to the state at 240 with the third, to 400 with the fourth (the encoder's
  // cache of 256 tokens holds the third yet), to the state at 480 with the fifth, to the end at 550.
  EXPECT_EQ(run.requests[0].ttft().nanoseconds(), (5 * 1 + 5 * 3) * 1'000'000);
}

TEST(Images, FirstTokensOfTwoPromptsByHand) {
  // Step 1: 250 tokens of the first prompt with its two images and 6 of the second, whose first image
  // finds no budget: 0 of it. 1 + 2 * 3 ms.
  const SimulationResult run = simulate(config_of("vllm"), with_images(2, 2, 100), ImagePricer());
  EXPECT_EQ(run.requests[0].ttft().nanoseconds(), 7'000'000);
  // Step 2: a token of the first, 250 of the second and its two images.
  EXPECT_EQ(run.requests[1].ttft().nanoseconds(), 14'000'000);
}

TEST(Images, OfAWaitingRequestHoldUpThoseBehindItInOlderVersionsAlone) {
  // Step 1 encodes the first prompt's two images: all that 256 tokens allow. The second prompt begins with an
  // image that finds no budget; the third is text.
  Workload workload = with_images(2, 2, 100);
  workload.requests.push_back({SimTime(), 5, 20});
  ServingConfig config = config_of("vllm");
  const auto first_tokens = [&] {
    const SimulationResult run = simulate(config, workload, ImagePricer());
    std::vector<std::int64_t> times;
    for (const auto& request : run.requests) times.push_back(request.ttft().nanoseconds() / 1'000'000);
    return times;
  };
  EXPECT_EQ(first_tokens(), (std::vector<std::int64_t>{7, 14, 14}));
  config.images_wait_apart = true;
  EXPECT_EQ(first_tokens(), (std::vector<std::int64_t>{7, 14, 7}));
}

TEST(Images, ShapesAndRequestsAreDrawnByTheirShares) {
  Workload workload;
  for (int i = 0; i < 4000; ++i) workload.requests.push_back({SimTime(), 50, 20});
  add_images(workload, 2, {{.shape = shape_of(10), .share = 3}, {.shape = shape_of(100), .share = 1}}, 0.5,
             7);
  std::int64_t with = 0, large = 0;
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    std::int64_t tokens = 50;
    for (const PlacedImage& image : workload.images_of(i)) {
      EXPECT_EQ(image.begin, tokens - 50);
      tokens += workload.tokens_of(image);
      large += image.shape;
    }
    EXPECT_EQ(workload.requests[i].input_tokens, tokens);
    EXPECT_EQ(workload.requests[i].images, std::ssize(workload.images_of(i)));
    with += workload.requests[i].images > 0 ? 1 : 0;
  }
  EXPECT_NEAR(double(with), 2000, 150);
  EXPECT_NEAR(double(large) / double(workload.images.size()), 0.25, 0.03);
  EXPECT_THROW(add_images(workload, 0, {{.shape = shape_of(100)}}, 1, 1), InvalidInput);
  EXPECT_THROW(add_images(workload, 1, {{.shape = shape_of(100), .share = 0}}, 1, 1), InvalidInput);
}

Deployment with_encoders(std::int64_t instances, const StepPricer& pricer) {
  Deployment deployment;
  deployment.pools.push_back({.config = config_of("vllm"), .pricer = &pricer});
  EncoderPlan plan;
  plan.pool = {.name = "encode", .config = config_of("vllm"), .pricer = &pricer};
  plan.pool.config.instances = instances;
  plan.per_token = Bytes(8192);
  plan.bandwidth = BytesPerSecond(8.192e8);  // 1 ms for 100 tokens
  plan.latency = milliseconds(0.5);
  deployment.encoders = plan;
  return deployment;
}

TEST(Images, AnEncoderPoolEncodesBeforeTheEngines) {
  const ImagePricer pricer;
  // One request, two images, one encoder: a step of both, 6 ms; the second arrives 1 + 1 + 0.5 ms later; then
  // a step of the language model without images.
  SimulationResult run = simulate(with_encoders(1, pricer), with_images(1, 2, 100));
  EXPECT_EQ(run.requests[0].ttft().nanoseconds(), 9'500'000);
  ASSERT_TRUE(run.encoders);
  EXPECT_EQ(run.encoders->steps.images, 2);
  EXPECT_EQ(run.encoders->steps.steps, 1);
  EXPECT_NEAR(run.encoders->wait.value(), 8.5e-3, 1e-12);
  EXPECT_NEAR(run.encoders->bytes.value(), 2 * 100 * 8192, 1e-6);
  // Two encoders take an image each: 3 + 1 + 0.5 ms.
  run = simulate(with_encoders(2, pricer), with_images(1, 2, 100));
  EXPECT_EQ(run.requests[0].ttft().nanoseconds(), 5'500'000);
  EXPECT_EQ(run.encoders->steps.steps, 2);
  EXPECT_EQ(run.totals.images, 2);
}

// Two prompts of 512 common tokens and 50 of their own, a picture of 100 between them.
Workload behind_a_prefix(std::int64_t requests) {
  Workload workload;
  workload.content_begin = {0};
  for (std::int64_t i = 0; i < requests; ++i) {
    workload.requests.push_back({to_sim_time(Seconds(double(i))), 562, 20});
    workload.content.insert(workload.content.end(), {{1, 512}, {2 + std::uint64_t(i), 50}});
    workload.content_begin.push_back(std::uint32_t(workload.content.size()));
  }
  add_images(workload, 1, {{.shape = shape_of(100)}}, 1, 1);
  return workload;
}

TEST(Images, StandBehindWhatPromptsShare) {
  const Workload workload = behind_a_prefix(2);
  EXPECT_NO_THROW(check_workload(workload));
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(workload.images_of(i).size(), 1);
    EXPECT_EQ(workload.images_of(i)[0].begin, 512);
    EXPECT_EQ(workload.content_of(i).size(), 3);
    EXPECT_EQ(workload.content_of(i)[1].tokens, 100);
    EXPECT_EQ(workload.content_of(i)[2].content, 2 + i);
  }
  EXPECT_NE(workload.content_of(0)[1].content, workload.content_of(1)[1].content);
  for (const char* engine : {"vllm", "sglang"}) {
    ServingConfig config = config_of(engine);
    config.max_num_batched_tokens = 4096;
    const SimulationResult run = simulate(config, workload, ImagePricer());
    EXPECT_EQ(run.requests[0].cached_tokens, 0) << engine;
    EXPECT_EQ(run.requests[1].cached_tokens, 512) << engine;  // no token of another picture
    EXPECT_EQ(run.totals.images, 2) << engine;
    EXPECT_EQ(run.totals.tokens, 2 * (662 + 19) - 512) << engine;
  }
}

// Turns of one session: each has a picture of its own and those before it.
TEST(Images, OfTheTurnsBeforeAreKeptWithThem) {
  Workload workload;
  workload.content_begin = {0};
  std::int32_t said = 0;
  for (std::int32_t turn = 0; turn < 4; ++turn) {
    said += 60;
    WorkloadRequest request{SimTime(), 512 + said, 20};
    request.after = turn - 1;
    workload.requests.push_back(request);
    workload.content.insert(workload.content.end(), {{1, 512}, {2, said}});
    workload.content_begin.push_back(std::uint32_t(workload.content.size()));
    said += 20;
  }
  Workload other = workload;  // a further session, so that the start is shared
  for (std::size_t i = 0; i < 4; ++i) {
    other.requests[i].after += i > 0 ? 4 : 0;
    workload.requests.push_back(other.requests[i]);
    workload.content.insert(workload.content.end(), {{1, 512}, {3, other.content[2 * i + 1].tokens}});
    workload.content_begin.push_back(std::uint32_t(workload.content.size()));
  }
  add_images(workload, 1, {{.shape = shape_of(100)}}, 1, 1);
  EXPECT_NO_THROW(check_workload(workload));
  const auto images = workload.images_of(3);
  ASSERT_EQ(images.size(), 4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(images[i].begin, 512 + std::int32_t(i) * 180);  // 60 words, 20 of an answer, 100 of a picture
    EXPECT_EQ(images[i].identity, workload.images_of(i).back().identity);
    EXPECT_EQ(images[i].own, i == 3);
  }
  EXPECT_EQ(workload.requests[3].input_tokens, 512 + 4 * 60 + 3 * 20 + 4 * 100);
  for (const char* engine : {"vllm", "sglang"}) {
    ServingConfig config = config_of(engine);
    config.max_num_batched_tokens = 8192;
    const SimulationResult run = simulate(config, workload, ImagePricer());
    EXPECT_GE(run.totals.images, 8) << engine;
    EXPECT_LE(run.totals.images, 8 + 6) << engine;  // the last block of a turn is not kept whole
    EXPECT_GE(run.requests[3].cached_tokens, 1000) << engine;
  }
  // Before the engines each picture is encoded once.
  const ImagePricer pricer;
  EXPECT_EQ(simulate(with_encoders(2, pricer), workload).encoders->steps.images, 8);
}

TEST(Images, AnEncoderPoolLetsWordsPass) {
  const ImagePricer pricer;
  Workload workload;
  for (int i = 0; i < 200; ++i) workload.requests.push_back({SimTime(), 50, 20});
  add_images(workload, 3, {{.shape = shape_of(100)}}, 0.5, 3);
  const SimulationResult run = simulate(with_encoders(3, pricer), workload);
  EXPECT_EQ(run.metrics.completed, 200);
  EXPECT_EQ(run.encoders->steps.images, std::ssize(workload.images));
  EXPECT_EQ(run.totals.images, std::ssize(workload.images));  // none in the engines
}

TEST(Thinking, IsCutAtTheBudgetAndComesBeforeTheAnswer) {
  Workload workload;
  for (int i = 0; i < 2000; ++i) workload.requests.push_back({SimTime(), 10, 5});
  add_thinking(workload, {.mean = 100, .deviation = 50, .budget = 120}, 1);
  double sum = 0;
  std::int64_t cut = 0;
  for (const WorkloadRequest& request : workload.requests) {
    EXPECT_LE(request.thinking_tokens, 121);  // and the token that ends a thought
    EXPECT_EQ(request.output_tokens, 5 + request.thinking_tokens);
    EXPECT_TRUE(!request.thinking_cut || request.thinking_tokens == 121);
    cut += request.thinking_cut ? 1 : 0;
    sum += request.thinking_tokens;
  }
  EXPECT_GT(cut, 400);
  EXPECT_LT(cut, 700);
  EXPECT_LT(sum / 2000, 101);
  EXPECT_THROW(add_thinking(workload, {.mean = 0}, 1), InvalidInput);
  EXPECT_THROW(add_thinking(workload, {.mean = 10, .budget = -1}, 1), InvalidInput);
}

TEST(Thinking, TheFirstTokenOfTheAnswerComesAfterTheThoughts) {
  Workload workload;
  workload.requests.push_back({SimTime(), 10, 5});
  SimulationResult run = simulate(config_of("vllm"), workload, ImagePricer());
  EXPECT_FALSE(run.thinking);
  add_thinking(workload, {.mean = 7}, 1);
  run = simulate(config_of("vllm"), workload, ImagePricer());
  ASSERT_TRUE(run.thinking);
  EXPECT_EQ(run.thinking->thinking_tokens, 8);
  EXPECT_EQ(run.thinking->answer_tokens, 5);
  EXPECT_EQ(run.thinking->cut, 0);
  EXPECT_NEAR(run.metrics.ttft.mean.value(), 1e-3, 1e-12);
  EXPECT_NEAR(run.thinking->ttfat.mean.value(), 9e-3, 1e-12);  // of the ninth step
}

}  // namespace
}  // namespace warploom
