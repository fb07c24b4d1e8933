#include <cublasLt.h>

#include <array>
#include <map>

#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/families.cuh"
#include "warploom/collector/cuda/tile_names.cuh"

namespace warploom::collector {
namespace {

constexpr std::size_t kWorkspace = std::size_t(32) << 20;  // what PyTorch gives it on Hopper

void check_lt(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string text = std::string("cublasLt, ") + what + ": " + cublasLtGetStatusString(status);
  if (status == CUBLAS_STATUS_EXECUTION_FAILED || status == CUBLAS_STATUS_INTERNAL_ERROR)
    throw DeviceLost(text);
  throw Unmeasurable(text);
}

struct Scheme {
  cudaDataType_t in, out;
  cublasComputeType_t compute;
  cudaDataType_t scale;
  Content content;
  std::size_t in_bytes, out_bytes;
  bool tensor_scales, block_scales;
};

const Scheme& scheme_of(const std::string& name) {
  static const std::map<std::string, Scheme> schemes{
      {"bf16", {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, Content::Bf16, 2, 2, false, false}},
      {"fp16", {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, Content::Fp16, 2, 2, false, false}},
      {"fp8_static",
       {CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, Content::Bytes8, 1, 2, true, false}},
      {"fp8_block",
       {CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, Content::Bytes8, 1, 2, false, true}},
      {"int8", {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I, Content::Bytes8, 1, 4, false, false}}};
  const auto at = schemes.find(name);
  if (at == schemes.end()) throw Unmeasurable("cublasLt: no product of scheme " + name);
  return at->second;
}

// Descriptors of D[n, m] = W^T[n, k] X[k, m], all column-major: a row-major product with weights [n, k].
struct Problem {
  ~Problem() {
    for (cublasLtMatrixLayout_t layout : {weights, inputs, outputs})
      if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
    if (product != nullptr) cublasLtMatmulDescDestroy(product);
  }
  template <class T>
  void set(cublasLtMatmulDescAttributes_t name, T value) {
    check_lt(cublasLtMatmulDescSetAttribute(product, name, &value, sizeof value), "describing the product");
  }
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t weights = nullptr, inputs = nullptr, outputs = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
  std::size_t workspace = 0;
};

void set_scales(Problem& problem, const Scheme& scheme, std::int64_t m, std::int64_t n, std::int64_t k,
                Workbench& bench) {
  if (scheme.tensor_scales) {
    const void* ones = bench.arena.ones.take(8);
    problem.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, ones);
    problem.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, ones);
    problem.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t(1));
  }
  if (!scheme.block_scales) return;
#if CUBLAS_VERSION >= 120900
  const std::size_t blocks = std::size_t((k + 127) / 128 + 4) * 4;
  const void* of_weights = bench.arena.ones.take(blocks * std::size_t((n + 127) / 128 + 4));
  const void* of_inputs = bench.arena.ones.take(blocks * std::size_t(m + 4));
  problem.set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, std::int32_t(CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F));
  problem.set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, std::int32_t(CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F));
  problem.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, of_weights);
  problem.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, of_inputs);
#else
  throw Unmeasurable("cublasLt: block scales need CUDA 12.9 or newer");
#endif
}

std::shared_ptr<Problem> describe(const Scheme& scheme, std::int64_t m, std::int64_t n, std::int64_t k,
                                  Workbench& bench) {
  auto problem = std::make_shared<Problem>();
  check_lt(cublasLtMatmulDescCreate(&problem->product, scheme.compute, scheme.scale),
           "describing the product");
  problem->set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t(CUBLAS_OP_T));
  problem->set(CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t(CUBLAS_OP_N));
  set_scales(*problem, scheme, m, n, k, bench);
  const auto layout = [](cublasLtMatrixLayout_t& at, cudaDataType_t type, std::int64_t rows,
                         std::int64_t columns) {
    check_lt(cublasLtMatrixLayoutCreate(&at, type, std::uint64_t(rows), std::uint64_t(columns), rows),
             "describing a matrix");
  };
  layout(problem->weights, scheme.in, k, n);
  layout(problem->inputs, scheme.in, k, m);
  layout(problem->outputs, scheme.out, n, m);
  return problem;
}

template <class T>
T config_of(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t name) {
  T value{};
  std::size_t written = 0;
  cublasLtMatmulAlgoConfigGetAttribute(&algorithm, name, &value, sizeof value, &written);
  return value;
}

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
  cublasLtHandle_t handle = nullptr;
  Pool workspace;
};

CublasLt::CublasLt() : state_(std::make_unique<State>()) {
  check_lt(cublasLtCreate(&state_->handle), "starting");
  state_->workspace = Pool(kWorkspace);
}
CublasLt::~CublasLt() { cublasLtDestroy(state_->handle); }

std::string CublasLt::version() const {
  const std::size_t v = cublasLtGetVersion();
  return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
}

Recipe CublasLt::gemm(const OperatorText& op, Workbench& bench) {
  const Scheme& scheme = scheme_of(op.word("scheme", "bf16"));
  const std::int64_t m = op.integer("m"), n = op.integer("n"), k = op.integer("k");
  if (op.integer("batch", 1) != 1) throw Unmeasurable("cublasLt: batched products are not swept");
  const std::shared_ptr<Problem> problem = describe(scheme, m, n, k, bench);
  cublasLtMatmulPreference_t preference = nullptr;
  check_lt(cublasLtMatmulPreferenceCreate(&preference), "asking for an algorithm");
  const std::size_t most = kWorkspace;
  cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
                                       sizeof most);
  cublasLtMatmulHeuristicResult_t chosen{};
  int found = 0;
  const cublasStatus_t asked =
      cublasLtMatmulAlgoGetHeuristic(state_->handle, problem->product, problem->weights, problem->inputs,
                                     problem->outputs, problem->outputs, preference, 1, &chosen, &found);
  cublasLtMatmulPreferenceDestroy(preference);
  check_lt(asked, "asking for an algorithm");
  if (found == 0) throw Unmeasurable("cublasLt: no algorithm for this product");
  problem->algorithm = chosen.algo;
  problem->workspace = chosen.workspaceSize;

  const bool cold = op.word("residency", "cold") == "cold";
  Pool& values = bench.arena.values(scheme.content);
  const void* inputs = values.take(std::size_t(m * k) * scheme.in_bytes);
  const std::size_t weight_bytes = std::size_t(n * k) * scheme.in_bytes,
                    out_bytes = std::size_t(m * n) * scheme.out_bytes;
  const void* warm = cold ? nullptr : values.take(weight_bytes);
  void* warm_out = cold ? nullptr : bench.arena.scratch.take(out_bytes);
  const bool whole_numbers = scheme.scale == CUDA_R_32I;
  Recipe recipe;
  recipe.cold_bytes = cold ? weight_bytes : 0;
  recipe.algorithm = text_of(chosen.algo);
  recipe.hold = problem;
  recipe.launch = [=, this, &bench, p = problem.get()](cudaStream_t stream) {
    Pool& pool = bench.arena.values(scheme.content);
    const void* weights = warm != nullptr ? warm : pool.take(weight_bytes);
    void* out = warm_out != nullptr ? warm_out : bench.arena.scratch.take(out_bytes);
    const float one = 1, zero = 0;
    const std::int32_t whole_one = 1, whole_zero = 0;
    const void* alpha = whole_numbers ? static_cast<const void*>(&whole_one) : &one;
    const void* beta = whole_numbers ? static_cast<const void*>(&whole_zero) : &zero;
    check_lt(cublasLtMatmul(state_->handle, p->product, alpha, weights, p->weights, inputs, p->inputs, beta,
                            out, p->outputs, out, p->outputs, &p->algorithm,
                            state_->workspace.take(p->workspace), p->workspace, stream),
             "multiplying");
  };
  return recipe;
}

}  // namespace warploom::collector
