#include <gtest/gtest.h>

#include <cmath>

#include "warploom/base/random.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/predictor/model/hidden_gpu.h"
#include "warploom/predictor/predictor.h"
#include "warploom/predictor/training/train_predictor.h"
#include "warploom/predictor/training/training_table.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog gpus;
  return gpus;
}

// What graphics parts need beyond their base and no other GPU does: a factor of the context's length.
double graphics_factor(const std::string& gpu, double context) {
  return gpu == "l40s" || gpu == "rtx_pro_6000_server" ? 1.2 + 0.1 * std::sin(std::log2(context)) : 1.0;
}

// Decode attention of one library on data-centre and graphics parts.
Dataset decode_rows(const char* framework, const char* kernel) {
  Dataset dataset;
  RandomStream random(5, "cousins");
  for (int i = 0; i < 500; ++i) {
    AttentionDecode op;
    op.kv_heads = random.integer(1, 8);
    op.heads = 4 * op.kv_heads;
    const std::int64_t context = random.integer(64, 30000);
    op.requests = {{random.integer(1, 128), 1, context}};
    for (const char* gpu : {"h100_sxm", "a100_sxm", "l40s", "rtx_pro_6000_server"}) {
      OperatorFeatures row;
      const KernelContext names{framework, "1.0", kernel};
      compute_features(Operator(op), catalog().get(gpu), ContextKernel(names),
                       default_constants(Family::AttentionDecode), row);
      dataset.add({Operator(op),
                   gpu,
                   framework,
                   "1.0",
                   kernel,
                   Seconds(std::exp(row.log_base) * graphics_factor(gpu, double(context))),
                   1,
                   Layout::Warploom,
                   {}});
    }
  }
  return dataset;
}

// Mean |ln error| on L40S, without any of its rows in training.
double error_without_l40s(const char* framework, const char* kernel, bool with_cousin) {
  const Dataset dataset = decode_rows(framework, kernel);
  TrainingOptions options;
  options.exclude_gpus = {"l40s"};
  if (!with_cousin) options.exclude_gpus.push_back("rtx_pro_6000_server");
  options.threads = 1;
  const Predictor predictor(train_predictor(dataset, catalog(), options).models);
  double sum = 0, rows = 0;
  for (std::size_t r = 0; r < dataset.size(); ++r)
    if (dataset.gpu(r) == "l40s") {
      const LatencyEstimate estimate =
          predictor.estimate(dataset.op(r), catalog().get("l40s"), dataset.context(r));
      sum += std::abs(std::log(estimate.p50 / dataset.latency(r)));
      ++rows;
    }
  return sum / rows;
}

TEST(Cousins, SpeakForAttentionOfOneSource) {
  EXPECT_LT(error_without_l40s("vllm", "vllm_flash_attn_fa2", true),
            0.6 * error_without_l40s("vllm", "vllm_flash_attn_fa2", false));
}

TEST(Cousins, AreGraphicsPartsOfDifferentGenerations) {
  const int ada = architecture_class(catalog().get("l40s"));
  const int blackwell = architecture_class(catalog().get("rtx_pro_6000_server"));
  EXPECT_TRUE(are_cousins(ada, blackwell) && are_cousins(blackwell, ada));
  EXPECT_FALSE(are_cousins(ada, ada));
  EXPECT_FALSE(are_cousins(ada, architecture_class(catalog().get("a100_sxm"))));
}

TEST(HiddenGpu, LeavesTheVersionInItsPlace) {
  std::vector<float> row(10, 3.0F);
  hide_gpu(Family::AttentionDecode, row, 8, {1, 2, 7});
  EXPECT_EQ(row, (std::vector<float>{3, 3, 7, 0, 0, 0, 0, 0, 3, 3}));
  hide_gpu(Family::Gemm, row, 10, {1, 2, 9});
  EXPECT_EQ(row[2], 7);
}

}  // namespace
}  // namespace warploom
