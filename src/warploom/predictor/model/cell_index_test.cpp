#include "warploom/predictor/model/cell_index.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/predictor/features/features.h"

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

// Trees split between codes: a kernel that a sweep adds later must not move those that they learned.
TEST(ContextCodes, OfNamesThatCameLaterFollowAllOthers) {
  FamilyModel model;
  model.contexts = {{"vllm", "0.24.0", "nvjet"}, {"sglang", "0.5", "cutlass"}, {"vllm", "0.31.0", "cutlass"}};
  const std::vector<ContextCodes> before = context_codes(model);
  EXPECT_EQ(before[0].kernel, 2);
  EXPECT_EQ(before[1].kernel, 0);
  EXPECT_EQ(before[2].kernel, 1);
  model.trained_contexts = 3;
  model.contexts.push_back({"vllm", "0.33.0", "deep_gemm"});
  model.contexts.push_back({"aphrodite", "1", "cutlass"});
  const std::vector<ContextCodes> after = context_codes(model);
  for (std::size_t c = 0; c < before.size(); ++c) {
    EXPECT_EQ(after[c].framework, before[c].framework);
    EXPECT_EQ(after[c].kernel, before[c].kernel);
    EXPECT_EQ(after[c].version, before[c].version);
  }
  EXPECT_EQ(after[3].framework, before[0].framework);
  EXPECT_EQ(after[3].kernel, 3);
  EXPECT_EQ(after[4].framework, 2);
  EXPECT_EQ(after[4].kernel, 4);
}

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

// Products of one GPU, a cell for each scheme and context.
struct MeasuredProducts {
  GpuCatalog catalog;
  FamilyModel model;

  explicit MeasuredProducts(const char* gpu) {
    model.family = Family::Gemm;
    model.gpus.push_back(
        {.name = catalog.get(gpu).name, .architecture = architecture_class(catalog.get(gpu)), .rows = 1});
  }
  void add(MatmulScheme scheme, const char* framework, const char* kernel, bool other_gpus = false) {
    model.cells.push_back({.gpu = other_gpus ? CellRecord::kAnyGpu : std::uint16_t(0),
                           .context = std::uint16_t(model.contexts.size()),
                           .kind = std::uint16_t(kind_code(Gemm{.scheme = scheme})),
                           .rows = 10});
    model.contexts.push_back({framework, "1.0", kernel});
  }
  CellIndex::Found found(MatmulScheme scheme, const char* gpu, const KernelContext& context) const {
    return CellIndex(model).find(catalog.get(gpu), context, Operator(Gemm{.scheme = scheme}));
  }
  std::string kernel_for(MatmulScheme scheme, const char* gpu, const KernelContext& context) const {
    const CellIndex::Found cell = found(scheme, gpu, context);
    return cell.cell == nullptr ? "" : model.contexts[cell.cell->context].kernel;
  }
};

// Versions of a kernel that one GPU ran, and the version that answers for another.
std::string version_for(const std::vector<std::pair<const char*, std::uint32_t>>& versions, const char* asked,
                        const char* kernel = "") {
  FamilyModel model;
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h200_sxm");
  model.gpus.push_back({gpu.name, architecture_class(gpu), 0, false, 0.0F, 0.0F});
  for (const auto& [version, rows] : versions) {
    model.cells.push_back({.gpu = 0,
                           .context = std::uint16_t(model.contexts.size()),
                           .kind = std::uint16_t(kind_code(Gemm{})),
                           .rows = rows});
    model.contexts.push_back({"vllm", version, "linear"});
  }
  const CellIndex::Found found = CellIndex(model).find(gpu, {"vllm", asked, kernel}, kind_code(Gemm{}));
  return model.contexts[found.cell->context].version;
}

TEST(CellIndex, AnswersForAVersionNeverMeasuredByTheNearest) {
  const std::vector<std::pair<const char*, std::uint32_t>> versions{
      {"0.19.0", 900}, {"0.25.0", 1000}, {"0.31.0", 1000}};
  for (const char* kernel : {"", "linear"}) {
    EXPECT_EQ(version_for(versions, "0.25.0", kernel), "0.25.0");
    EXPECT_EQ(version_for(versions, "0.24.0", kernel), "0.25.0");
    EXPECT_EQ(version_for(versions, "0.21.3", kernel), "0.19.0");
    EXPECT_EQ(version_for(versions, "0.28.0", kernel), "0.25.0");  // as far from both: the older
    EXPECT_EQ(version_for(versions, "0.33.0", kernel), "0.31.0");
    EXPECT_EQ(version_for(versions, "", kernel), "0.31.0");
    EXPECT_EQ(version_for(versions, "nightly-abc", kernel), "0.31.0");
  }
}

// A version of which a model or two were measured answers when it is named, and for no other.
TEST(CellIndex, PrefersAVersionMeasuredBroadly) {
  const std::vector<std::pair<const char*, std::uint32_t>> versions{{"0.25.0", 1000}, {"0.31.0", 100}};
  EXPECT_EQ(version_for(versions, ""), "0.25.0");
  EXPECT_EQ(version_for(versions, "0.33.0"), "0.25.0");
  EXPECT_EQ(version_for(versions, "0.31.0"), "0.31.0");
}

// What is left of a version whose rows were withdrawn does not stand for it.
TEST(CellIndex, PassesOverAVersionWithHardlyARow) {
  const std::vector<std::pair<const char*, std::uint32_t>> versions{{"0.24.0", 15}, {"0.25.0", 1000}};
  EXPECT_EQ(version_for(versions, "0.24.0"), "0.25.0");
  EXPECT_EQ(version_for(versions, "0.24.0", "linear"), "0.24.0");
}

TEST(CellIndex, AnswersASchemeNeverMeasuredHereByOneOfTheSameTypes) {
  MeasuredProducts products("h100_sxm");
  products.add(MatmulScheme::Fp8, "vllm", "cutlass");
  products.add(MatmulScheme::Fp8Block, "vllm", "blocks");
  products.add(MatmulScheme::Fp8Static, "pipeweave", "narrow", true);
  for (const char* framework : {"", "vllm", "trtllm"}) {
    const CellIndex::Found found = products.found(MatmulScheme::Fp8Static, "h100_sxm", {framework, {}, {}});
    ASSERT_NE(found.cell, nullptr);
    EXPECT_TRUE(found.measured);
    EXPECT_EQ(found.near.scheme, MatmulScheme::Fp8);
    EXPECT_EQ(found.other_engine, std::string_view(framework) == "trtllm");
    EXPECT_EQ(products.kernel_for(MatmulScheme::Fp8Static, "h100_sxm", {framework, {}, {}}), "cutlass");
  }
}

// An engine's call in fp8 quantises its activations, a library's own product with static scales does not.
TEST(CellIndex, AnswersForABareLibraryByAKernelOfItsOwnArithmetic) {
  MeasuredProducts products("h100_sxm");
  products.add(MatmulScheme::Fp8, "vllm", "cutlass");
  products.add(MatmulScheme::Fp8Static, "pipeweave", "narrow", true);
  EXPECT_EQ(products.kernel_for(MatmulScheme::Fp8Static, "h100_sxm", {"warploom", {}, "cublaslt"}), "narrow");
  EXPECT_EQ(products.kernel_for(MatmulScheme::Fp8Static, "h100_sxm", {"vllm", {}, {}}), "cutlass");
}

TEST(CellIndex, PrefersAnEnginesKernelUnderOtherScalesToABenchmarksOwn) {
  MeasuredProducts products("h100_sxm");
  products.add(MatmulScheme::Fp8, "vllm", "cutlass");
  products.add(MatmulScheme::Fp8, "vllm", "cutlass", true);
  products.add(MatmulScheme::Fp8Static, "pipeweave", "narrow");
  products.add(MatmulScheme::Fp8Static, "pipeweave", "narrow", true);
  EXPECT_EQ(products.kernel_for(MatmulScheme::Fp8Static, "h200_nvl", {}), "cutlass");
  // Where it is asked for, and on the GPU that it was measured on, it answers.
  EXPECT_EQ(products.kernel_for(MatmulScheme::Fp8Static, "h200_nvl", {"pipeweave", {}, {}}), "narrow");
  EXPECT_EQ(products.kernel_for(MatmulScheme::Fp8Static, "h100_sxm", {}), "narrow");
}

// A GPU that no engine was measured on, nor any of its architecture: what another architecture runs under an
// engine is nearer to it than what a benchmark ran on a sibling.
TEST(CellIndex, PrefersAnEnginesKernelOfAnotherArchitectureToABenchmarksOfASibling) {
  MeasuredProducts products("h800");
  products.add(MatmulScheme::Fp8, "pipeweave", "narrow");
  products.add(MatmulScheme::Fp8, "pipeweave", "narrow", true);
  EXPECT_EQ(products.kernel_for(MatmulScheme::Fp8, "h200_nvl", {"vllm", {}, {}}), "narrow") << "none else";
  products.add(MatmulScheme::Fp8, "vllm", "cutlass", true);
  EXPECT_EQ(products.kernel_for(MatmulScheme::Fp8, "h200_nvl", {"vllm", {}, {}}), "cutlass");
  EXPECT_EQ(products.kernel_for(MatmulScheme::Fp8, "h200_nvl", {"sglang", {}, {}}), "cutlass");
  EXPECT_EQ(products.kernel_for(MatmulScheme::Fp8, "h200_nvl", {"pipeweave", {}, {}}), "narrow");
}

// What our collector times is cuBLAS by itself: an engine's kernel on another architecture says less of it
// than a benchmark on a sibling.
TEST(CellIndex, ComparesALibrarysOwnKernelWithASiblingsBeforeEnginesElsewhere) {
  MeasuredProducts products("h800");
  products.add(MatmulScheme::Fp8, "pipeweave", "narrow");
  products.add(MatmulScheme::Fp8, "pipeweave", "narrow", true);
  products.add(MatmulScheme::Fp8, "vllm", "cutlass", true);
  EXPECT_EQ(products.kernel_for(MatmulScheme::Fp8, "h200_nvl", {"warploom", {}, {}}), "narrow");
  EXPECT_EQ(products.kernel_for(MatmulScheme::Fp8, "h200_nvl", {"vllm", {}, {}}), "cutlass");
}

TEST(CellIndex, ChoosesTheNearestArithmeticWhereTheOwnIsUnknown) {
  MeasuredProducts products("h100_sxm");
  products.add(MatmulScheme::Fp8Block, "vllm", "blocks", true);
  products.add(MatmulScheme::Bf16, "vllm", "linear", true);
  EXPECT_EQ(products.kernel_for(MatmulScheme::Fp32, "b200_sxm", {}), "linear");
  EXPECT_FALSE(products.found(MatmulScheme::Fp32, "b200_sxm", {}).exact_kind);
  EXPECT_EQ(products.kernel_for(MatmulScheme::Int8, "b200_sxm", {}), "blocks");
}

TEST(CellIndex, NeverAnswersForAnEngineByTheCollectorsOwnKernels) {
  const GpuCatalog catalog;
  Measured measured(catalog.get("H100-SXM"));
  measured.add("warploom", "1.0", "own_grouped_moe");
  measured.model.cells.push_back({.context = 1, .kind = kKind, .rows = 10});  // of another GPU's
  measured.model.contexts.push_back({"vllm", "0.24.0", "triton"});
  for (const char* framework : {"", "vllm", "sglang", "trtllm"})
    EXPECT_EQ(measured.kernel_for({framework, {}, {}}), "triton") << framework;
  EXPECT_EQ(measured.kernel_for({"warploom", {}, {}}), "own_grouped_moe");
  EXPECT_EQ(measured.kernel_for({{}, {}, "own_grouped_moe"}), "own_grouped_moe");
  measured.model.cells.pop_back();
  EXPECT_EQ(measured.kernel_for({"vllm", {}, {}}), "own_grouped_moe");  // nothing else is known
}

TEST(CellIndex, TakesASweptLibraryForAnEngineOnlyWithoutGpusOfItsArchitecture) {
  for (const bool sibling : {false, true}) {
    MeasuredProducts products("h200_nvl");
    products.add(MatmulScheme::Bf16, "warploom", "cublaslt");
    products.add(MatmulScheme::Bf16, "vllm", "linear", true);
    if (sibling) {
      products.add(MatmulScheme::Bf16, "vllm", "linear");
      products.model.cells.back().gpu = 1;
      products.model.gpus.push_back({.name = "h100_sxm", .architecture = 90, .rows = 1});
    }
    EXPECT_EQ(products.kernel_for(MatmulScheme::Bf16, "h200_nvl", {"vllm", {}, {}}),
              sibling ? "linear" : "cublaslt");
    EXPECT_EQ(products.kernel_for(MatmulScheme::Bf16, "h200_nvl", {}), "cublaslt");
  }
}

}  // namespace
}  // namespace warploom
