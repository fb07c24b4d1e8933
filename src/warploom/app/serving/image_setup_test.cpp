#include "warploom/app/serving/image_setup.h"

#include <gtest/gtest.h>

#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/error.h"
#include "warploom/models/contains_text.h"

namespace warploom {
namespace {

TEST(ImageSizes, AreReadInBothSpellings) {
  const auto sizes = parse_image_sizes("1280x720:0.7, 640x480x16:0.3");
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_TRUE((sizes[0].size == ImageSize{1280, 720, 1}));
  EXPECT_TRUE((sizes[1].size == ImageSize{640, 480, 16}));
  EXPECT_DOUBLE_EQ(sizes[0].share, 0.7);
  EXPECT_TRUE((parse_image_sizes("1280x720").front().size == ImageSize{1280, 720, 1}));
  const auto buckets = parse_image_sizes("{(256, 512, 1): 0.5, (720, 1280, 16): 0.5, (1, 1, 1): 0}");
  ASSERT_EQ(buckets.size(), 2U);
  EXPECT_TRUE((buckets[0].size == ImageSize{512, 256, 1}));
  EXPECT_TRUE((buckets[1].size == ImageSize{1280, 720, 16}));
}

TEST(ImageSizes, AreRefusedWithWhatIsExpected) {
  for (const char* text : {"", "1280", "1280x", "1280x720x3x4", "axb", "1280x720:-1", "1280x720:0", "{}",
                           "{(1, 2)}", "{(1, 2, 3): x}", "{(1, 2, 3): 1", "1280 by 720", "{(1,2,3): 0}"})
    EXPECT_THROW(parse_image_sizes(text), InvalidInput) << text;
}

SimulateRequest seen(const std::string& model) {
  SimulateRequest request;
  request.setup.model = model;
  request.setup.gpu = "h100_sxm";
  request.setup.predictor = "roofline";
  request.intervals = false;
  request.source.random = RandomPrompts{.input_len = 400, .output_len = 20};
  request.source.requests = 8;
  request.source.images = 2;
  request.source.image_size = "1280x720";
  return request;
}

std::string refusal_of(const SimulateRequest& request) {
  try {
    simulate_serving(request);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

TEST(ImagesOfAModel, AreThoseOfItsOwnProcessor) {
  const SimulateResult result = simulate_serving(seen("Qwen3-VL-8B-Instruct"));
  EXPECT_EQ(result.run.requests[0].input_tokens, 400 + 2 * 880);
  EXPECT_EQ(result.run.totals.images, 16);
  EXPECT_PRED2(contains_text, result.label.vision, "27 layers of width 1152");
  EXPECT_EQ(simulate_serving(seen("Gemma-4-26B-A4B")).run.requests[0].input_tokens, 400 + 2 * 264);
}

TEST(ImagesOfAModel, TakeTimeAndMemory) {
  SimulateRequest request = seen("Qwen3-VL-8B-Instruct");
  const SimulateResult with = simulate_serving(request);
  request.source.random->input_len = 400 + 2 * 880;
  request.source.images.reset();
  request.source.image_size.clear();
  const SimulateResult words = simulate_serving(request);
  EXPECT_GT(with.run.metrics.ttft.mean.value(), 1.05 * words.run.metrics.ttft.mean.value());
  EXPECT_LT(with.run.kv_blocks, words.run.kv_blocks);
  EXPECT_EQ(words.run.totals.images, 0);
  EXPECT_TRUE(words.label.vision.empty());
}

TEST(ImagesOfAModel, AreRefusedByNameWhereTheEncoderIsNotKnown) {
  EXPECT_PRED2(contains_text, refusal_of(seen("Llama-3.1-8B")), "Llama-3.1-8B has no encoder of images");
  const std::string other = refusal_of(seen("Gemma-3-4b-it"));
  EXPECT_PRED2(contains_text, other, "gemma-3-4b-it cannot be asked for images");
  EXPECT_PRED2(contains_text, other, "Gemma3ForConditionalGeneration is not modelled");
}

TEST(ImagesOfAModel, FieldsThatChangeNothingAreRefused) {
  SimulateRequest request = seen("Qwen3-VL-8B-Instruct");
  request.source.image_tokens = 500;
  EXPECT_PRED2(contains_text, refusal_of(request), "expected one of them");
  request = seen("Qwen3-VL-8B-Instruct");
  request.source.images.reset();
  EXPECT_PRED2(contains_text, refusal_of(request), "image_size changes nothing by itself");
  request.source.image_size.clear();
  request.source.image_share = 0.5;
  EXPECT_PRED2(contains_text, refusal_of(request), "image_request_share changes nothing by itself");
  request.source.image_share = 1;
  request.encoder.instances = 2;
  EXPECT_PRED2(contains_text, refusal_of(request), "encoder_instances changes nothing by itself");
  request = seen("Qwen3-VL-8B-Instruct");
  request.encoder.gpu = "L40S";
  EXPECT_PRED2(contains_text, refusal_of(request), "encoder_gpu: nothing encodes alone");
}

TEST(EncoderPool, TakesTheImagesFromTheEngines) {
  SimulateRequest request = seen("Qwen3-VL-8B-Instruct");
  request.encoder.instances = 2;
  const SimulateResult result = simulate_serving(request);
  ASSERT_TRUE(result.run.encoders);
  EXPECT_EQ(result.run.encoders->steps.images, 16);
  EXPECT_EQ(result.run.totals.images, 16);
  EXPECT_EQ(result.label.gpus, 3);
  // A token's embedding with three layers of deepstack, in bf16.
  EXPECT_NEAR(result.run.encoders->bytes.value(), 16.0 * 880 * 4 * 4096 * 2, 1);
  request.encoder.gpu = "l40s";
  const SimulateResult slow = simulate_serving(request);
  EXPECT_EQ(slow.label.encoders->gpu, "l40s");
  EXPECT_GT(slow.run.encoders->steps.gpu_p50.value(), 1.5 * result.run.encoders->steps.gpu_p50.value());
}

}  // namespace
}  // namespace warploom
