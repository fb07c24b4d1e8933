#include "warploom/judge/validate/published_static.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/engines/engine_kernels.h"

namespace warploom {
namespace {

// A microsecond for each operator, whatever it is.
class OneMicrosecond final : public LatencyModel {
 public:
  LatencyEstimate estimate(const Operator&, const GpuSpec&, const KernelContext&) const override {
    const Seconds time = microseconds(1.0);
    return {.p10 = time, .p50 = time, .p90 = time, .tier = Tier::Measured};
  }
};

PublishedBatchTime counted(std::int64_t tp, std::int64_t pp, std::int64_t outputs,
                           const StepHost& host = {}) {
  const GpuCatalog gpus;
  const ModelCatalog models;
  const KernelNames names = kernels_of("", "");
  const std::vector<std::int32_t> prompts{100, 200};
  return price_published_batch({.model = models.get("Llama-3.1-8B"),
                                .gpu = gpus.get("h100_sxm"),
                                .names = names,
                                .tensor_parallel = tp,
                                .pipeline_parallel = pp,
                                .prompts = prompts,
                                .output_tokens = outputs,
                                .prefill_host = host,
                                .decode_host = host},
                               OneMicrosecond());
}

TEST(PublishedStatic, CountsTheKernelsOfThePublication) {
  // 32 layers of four products, attention, two norms and SiLU-and-mul; a norm and the vocabulary's product.
  const PublishedBatchTime one = counted(1, 1, 4);
  EXPECT_NEAR(to_microseconds(one.prefill), 32 * 8 + 2, 1e-6);
  EXPECT_NEAR(to_microseconds(one.decode_mean), 32 * 8 + 2, 1e-6);
  EXPECT_NEAR(to_microseconds(one.total), 4 * (32 * 8 + 2), 1e-6);
  EXPECT_EQ(one.collectives.value(), 0);
  // Two all-reduces a layer; a send between two stages.
  const PublishedBatchTime many = counted(2, 2, 1);
  EXPECT_NEAR(to_microseconds(many.total), 32 * 10 + 3, 1e-6);
  EXPECT_NEAR(to_microseconds(many.collectives), 65, 1e-6);
  EXPECT_EQ(many.decode_mean.value(), 0);
}

TEST(PublishedStatic, AddsAHostByTheEquationOfKernelSight) {
  const StepHost host{
      .dispatch = microseconds(10.0), .overlap_floor = microseconds(300.0), .serial_tail = microseconds(5.0)};
  EXPECT_NEAR(to_microseconds(host.step(microseconds(258.0))), 258 + 10 + 42 + 5, 1e-9);
  EXPECT_NEAR(to_microseconds(host.step(microseconds(900.0))), 915, 1e-9);
  EXPECT_NEAR(to_microseconds(counted(1, 1, 2, host).total), 2 * (258 + 10 + 42 + 5), 1e-6);
}

TEST(PublishedStatic, RefusesModelsThatItDoesNotCompose) {
  const GpuCatalog gpus;
  const ModelCatalog models;
  const KernelNames names = kernels_of("", "");
  const std::vector<std::int32_t> prompts{100};
  EXPECT_THROW(price_published_batch({.model = models.get("Mixtral-8x7B-v0.1"),
                                      .gpu = gpus.get("h100_sxm"),
                                      .names = names,
                                      .prompts = prompts},
                                     OneMicrosecond()),
               Unsupported);
}

}  // namespace
}  // namespace warploom
