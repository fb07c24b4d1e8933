#include "warploom/collector/cuda/cublaslt_problem.cuh"
#include "warploom/collector/cuda/tile_names.cuh"
#include "warploom/collector/failure.h"

namespace warploom::collector {
namespace {

// The library counts tiles and clusters column-major: its rows are our columns.
std::string text_of(const cublasLtMatmulAlgo_t& algorithm) {
  const auto split = config_of<std::int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
  return "id=" + std::to_string(config_of<std::int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_ID)) +
         " tile=" + tile_name(config_of<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID)) +
         " stages=" + std::to_string(config_of<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID)) +
         " split_k=" + std::to_string(split) + " cluster=" +
         cluster_name(config_of<std::uint16_t>(algorithm, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID)) +
         " swizzle=" +
         std::to_string(config_of<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING)) +
         " custom=" + std::to_string(config_of<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION));
}

}  // namespace

struct CublasLt::State {
  LtLibrary library;
};

CublasLt::CublasLt() : state_(std::make_unique<State>()) {}
CublasLt::~CublasLt() = default;

std::string CublasLt::version() const { return state_->library.version(); }

Recipe CublasLt::gemm(const OperatorText& op, Workbench& bench) {
  const Scheme& scheme = scheme_of(op.word("scheme", "bf16"));
  const ProductSize size{.m = op.integer("m"), .n = op.integer("n"), .k = op.integer("k")};
  if (op.integer("batch", 1) != 1) throw Unmeasurable("cublasLt: batched products are not swept");
  const std::shared_ptr<Problem> problem = describe_product(scheme, size, bench);
  problem->choice = state_->library.choices(*problem, 1).front();
  Recipe recipe =
      state_->library.recipe(problem, scheme, size, op.word("residency", "cold") == "cold", bench);
  recipe.algorithm = text_of(problem->choice.algorithm);
  return recipe;
}

}  // namespace warploom::collector
