#include "warploom/predictor/cell_index.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

constexpr std::uint32_t kKind = 3;

// One GPU, one cell a context.
struct Measured {
  FamilyModel model;
  const GpuSpec& gpu;

  explicit Measured(const GpuSpec& spec) : gpu(spec) {
    model.gpus.push_back({.name = spec.name, .architecture = 90, .rows = 1});
  }
  void add(const char* framework, const char* version, const char* kernel, bool eager = false) {
    model.cells.push_back({.gpu = 0,
                           .context = std::uint16_t(model.contexts.size()),
                           .kind = kKind,
                           .launch_bound = eager,
                           .rows = 10});
    model.contexts.push_back({framework, version, kernel});
  }
  std::string kernel_for(const KernelContext& context) const {
    const CellIndex index(model);
    const CellIndex::Found found = index.find(gpu, context, kKind);
    return found.cell == nullptr ? "" : model.contexts[found.cell->context].kernel;
  }
};

TEST(CellIndex, PrefersAnotherFrameworksKernelToOneTimedEagerly) {
  const GpuCatalog catalog;
  Measured measured(catalog.get("H100-SXM"));
  measured.add("vllm", "0.14.0", "flashmla", true);
  EXPECT_EQ(measured.kernel_for({"vllm", "0.16.0", {}}), "flashmla");  // nothing else was measured
  measured.add("sglang", "0.5.14", "fa3");
  EXPECT_EQ(measured.kernel_for({"vllm", "0.16.0", {}}), "fa3");
  EXPECT_EQ(measured.kernel_for({"vllm", "0.14.0", {}}), "fa3");
  EXPECT_EQ(measured.kernel_for({"vllm", "0.14.0", "flashmla"}), "flashmla");
  measured.add("vllm", "0.12.0", "triton");
  EXPECT_EQ(measured.kernel_for({"vllm", "0.16.0", {}}), "triton");
}

}  // namespace
}  // namespace warploom
