#include "warploom/models/image_shape.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

VisionEncoder encoder_of(std::string_view model) { return *ModelCatalog().get(model).vision.encoder; }

struct Expected {
  ImageSize size;
  std::int64_t tokens = 0;
  std::vector<PatchRun> runs;
};

void expect_shapes(std::string_view model, const std::vector<Expected>& all) {
  const VisionEncoder encoder = encoder_of(model);
  for (const Expected& each : all) {
    const ImageShape shape = image_shape(encoder, each.size);
    EXPECT_EQ(shape.tokens, each.tokens) << model << " " << each.size.width << "x" << each.size.height;
    EXPECT_TRUE(shape.runs == each.runs) << model << " " << each.size.width << "x" << each.size.height;
  }
}

// Figures of transformers 5.24's own functions: smart_resize of qwen2_vl and qwen3_vl with the limits of the
// checkpoints, navit_resize of kimi_k25, get_aspect_ratio_preserving_size of gemma4.
TEST(ImageShape, IsThatOfQwensProcessor) {
  expect_shapes("Qwen3-VL-8B-Instruct", {{{1280, 720}, 880, {{1, 3520}}},
                                         {{1920, 1080}, 2040, {{1, 8160}}},
                                         {{640, 480}, 300, {{1, 1200}}},
                                         {{224, 224}, 64, {{1, 256}}},
                                         {{48, 48}, 64, {{1, 256}}},
                                         {{32, 32}, 64, {{1, 256}}},
                                         {{4096, 4096}, 16384, {{1, 65536}}},
                                         {{8000, 6000}, 16170, {{1, 64680}}},
                                         {{1000, 10}, 80, {{1, 320}}},
                                         {{333, 777}, 240, {{1, 960}}},
                                         {{1280, 720, 16}, 7040, {{8, 3520}}},
                                         {{1280, 720, 3}, 1760, {{2, 3520}}},
                                         {{1920, 1080, 5}, 6120, {{3, 8160}}},
                                         {{640, 480, 768}, 9216, {{384, 96}}},
                                         {{16, 16, 2}, 4, {{1, 16}}}});
}

TEST(ImageShape, IsThatOfKimisProcessor) {
  expect_shapes("Kimi-K2.5", {{{1280, 720}, 1196, {{1, 4784}}},
                              {{1920, 1080}, 2691, {{1, 10764}}},
                              {{640, 480}, 414, {{1, 1656}}},
                              {{32, 32}, 4, {{1, 16}}},
                              {{4096, 4096}, 4225, {{1, 16900}}},
                              {{8000, 6000}, 4144, {{1, 16576}}},
                              {{1000, 10}, 36, {{1, 144}}},
                              {{1280, 720, 4}, 1075, {{1, 4 * 4300}}},
                              {{640, 480, 10}, 3 * 414, {{2, 4 * 1656}, {1, 2 * 1656}}}});
}

// get_best_fit of image_processing_llama4.py, transformers 5.24, in floats of 32 bits as torch has them.
TEST(ImageShape, IsThatOfLlama4sProcessor) {
  expect_shapes("Llama-4-Scout-17B-16E-Instruct", {{{1280, 720}, 1872, {{13, 577}}},
                                                   {{1920, 1080}, 2304, {{16, 577}}},
                                                   {{640, 480}, 720, {{5, 577}}},
                                                   {{224, 224}, 144, {{1, 577}}},
                                                   {{336, 336}, 144, {{1, 577}}},
                                                   {{337, 336}, 432, {{3, 577}}},
                                                   {{4096, 4096}, 2448, {{17, 577}}},
                                                   {{8000, 6000}, 1872, {{13, 577}}},
                                                   {{1000, 10}, 576, {{4, 577}}},
                                                   {{333, 777}, 576, {{4, 577}}},
                                                   {{5376, 336}, 2448, {{17, 577}}},
                                                   {{672, 1344}, 1296, {{9, 577}}}});
  EXPECT_EQ(most_tokens_of_image(encoder_of("Llama-4-Scout-17B-16E-Instruct")), 2448);
  EXPECT_THROW(image_shape(encoder_of("Llama-4-Scout-17B-16E-Instruct"), {640, 480, 8}), InvalidInput);
}

TEST(ImageShape, IsThatOfGemma4sProcessor) {
  expect_shapes("Gemma-4-31B-IT-NVFP4", {{{1280, 720}, 264, {{1, 2520}}},
                                         {{640, 480}, 266, {{1, 2520}}},
                                         {{512, 512}, 256, {{1, 2520}}},
                                         {{1000, 10}, 167, {{1, 2520}}},
                                         {{333, 777}, 250, {{1, 2520}}},
                                         {{1280, 720, 8}, 8 * 66, {{8, 630}}}});
}

TEST(ImageShape, RefusesSizesThatTheProcessorRefuses) {
  const VisionEncoder qwen = encoder_of("Qwen3-VL-8B-Instruct");
  EXPECT_THROW(image_shape(qwen, {0, 100}), InvalidInput);
  EXPECT_THROW(image_shape(qwen, {100, 100, 0}), InvalidInput);
  EXPECT_THROW(image_shape(qwen, {200'000, 100'000}), InvalidInput);
  EXPECT_THROW(image_shape(qwen, {4000, 10}), InvalidInput);  // 400 to 1
  EXPECT_EQ(image_of_tokens(qwen, 100).runs.front().patches, 400);
  EXPECT_EQ(most_tokens_of_image(qwen), 16384);
}

}  // namespace
}  // namespace warploom
