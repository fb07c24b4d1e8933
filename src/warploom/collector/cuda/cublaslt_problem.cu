#include <algorithm>
#include <map>

#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/cublaslt_problem.cuh"

namespace warploom::collector {
namespace {

constexpr int kMostChoices = 32;
constexpr std::size_t kWorkspace = std::size_t(32) << 20;  // what PyTorch gives it on Hopper

void set_scales(Problem& problem, const Scheme& scheme, const ProductSize& size, Workbench& bench) {
  if (scheme.tensor_scales) {
    const void* ones = bench.arena.ones.take(8);
    problem.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, ones);
    problem.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, ones);
    problem.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t(1));
  }
  if (!scheme.block_scales) return;
#if CUBLAS_VERSION >= 120900
  const std::size_t blocks = std::size_t((size.k + 127) / 128 + 4) * 4;
  const void* of_weights = bench.arena.ones.take(blocks * std::size_t((size.n + 127) / 128 + 4));
  const void* of_inputs = bench.arena.ones.take(blocks * std::size_t(size.m + 4));
  problem.set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, std::int32_t(CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F));
  problem.set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, std::int32_t(CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F));
  problem.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, of_weights);
  problem.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, of_inputs);
#else
  throw Unmeasurable("cublasLt: block scales need CUDA 12.9 or newer");
#endif
}

}  // namespace

void check_lt(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string text = std::string("cublasLt, ") + what + ": " + cublasLtGetStatusString(status);
  if (status == CUBLAS_STATUS_EXECUTION_FAILED || status == CUBLAS_STATUS_INTERNAL_ERROR)
    throw DeviceLost(text);
  throw Unmeasurable(text);
}

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

Problem::~Problem() {
  for (cublasLtMatrixLayout_t layout : {weights, inputs, outputs})
    if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
  if (product != nullptr) cublasLtMatmulDescDestroy(product);
}

std::shared_ptr<Problem> describe_product(const Scheme& scheme, const ProductSize& size, Workbench& bench) {
  auto problem = std::make_shared<Problem>();
  check_lt(cublasLtMatmulDescCreate(&problem->product, scheme.compute, scheme.scale),
           "describing the product");
  problem->set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t(size.inner_first ? CUBLAS_OP_N : CUBLAS_OP_T));
  problem->set(CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t(CUBLAS_OP_N));
  set_scales(*problem, scheme, size, bench);
  const auto layout = [](cublasLtMatrixLayout_t& at, cudaDataType_t type, std::int64_t rows,
                         std::int64_t columns) {
    check_lt(cublasLtMatrixLayoutCreate(&at, type, std::uint64_t(rows), std::uint64_t(columns), rows),
             "describing a matrix");
  };
  if (size.inner_first)
    layout(problem->weights, scheme.in, size.n, size.k);
  else
    layout(problem->weights, scheme.in, size.k, size.n);
  layout(problem->inputs, scheme.in, size.k, size.m);
  layout(problem->outputs, scheme.out, size.n, size.m);
  return problem;
}

LtLibrary::LtLibrary() {
  check_lt(cublasLtCreate(&handle_), "starting");
  workspace_ = Pool(kWorkspace);
}
LtLibrary::~LtLibrary() { cublasLtDestroy(handle_); }

std::string LtLibrary::version() const {
  const std::size_t v = cublasLtGetVersion();
  return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
}

std::vector<LtChoice> LtLibrary::choices(const Problem& problem, int most) const {
  cublasLtMatmulPreference_t preference = nullptr;
  check_lt(cublasLtMatmulPreferenceCreate(&preference), "asking for an algorithm");
  const std::size_t most_workspace = kWorkspace;
  cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most_workspace,
                                       sizeof most_workspace);
  cublasLtMatmulHeuristicResult_t found[kMostChoices] = {};
  int count = 0;
  const cublasStatus_t asked = cublasLtMatmulAlgoGetHeuristic(
      handle_, problem.product, problem.weights, problem.inputs, problem.outputs, problem.outputs, preference,
      std::min(most, kMostChoices), found, &count);
  cublasLtMatmulPreferenceDestroy(preference);
  check_lt(asked, "asking for an algorithm");
  std::vector<LtChoice> choices;
  // What it lists beyond its first may not run.
  for (int i = 0; i < count; ++i) {
    if (found[i].state == CUBLAS_STATUS_SUCCESS)
      choices.push_back({found[i].algo, found[i].workspaceSize, double(found[i].wavesCount)});
  }
  if (choices.empty()) throw Unmeasurable("cublasLt: no algorithm for this product");
  return choices;
}

Recipe LtLibrary::recipe(std::shared_ptr<Problem> problem, const Scheme& scheme, const ProductSize& size,
                         bool cold, Workbench& bench) {
  Pool& values = bench.arena.values(scheme.content);
  const void* inputs = values.take(std::size_t(size.m * size.k) * scheme.in_bytes);
  const std::size_t weight_bytes = std::size_t(size.n * size.k) * scheme.in_bytes,
                    out_bytes = std::size_t(size.m * size.n) * scheme.out_bytes;
  const void* warm = cold ? nullptr : values.take(weight_bytes);
  void* warm_out = cold ? nullptr : bench.arena.scratch.take(out_bytes);
  const bool whole_numbers = scheme.scale == CUDA_R_32I;
  Recipe recipe;
  recipe.cold_bytes = cold ? weight_bytes : 0;
  recipe.hold = problem;
  recipe.launch = [=, this, &bench, &scheme, p = problem.get()](cudaStream_t stream) {
    Pool& pool = bench.arena.values(scheme.content);
    const void* weights = warm != nullptr ? warm : pool.take(weight_bytes);
    void* out = warm_out != nullptr ? warm_out : bench.arena.scratch.take(out_bytes);
    const float one = 1, zero = 0;
    const std::int32_t whole_one = 1, whole_zero = 0;
    const void* alpha = whole_numbers ? static_cast<const void*>(&whole_one) : &one;
    const void* beta = whole_numbers ? static_cast<const void*>(&whole_zero) : &zero;
    check_lt(cublasLtMatmul(handle_, p->product, alpha, weights, p->weights, inputs, p->inputs, beta, out,
                            p->outputs, out, p->outputs, &p->choice.algorithm,
                            workspace_.take(p->choice.workspace), p->choice.workspace, stream),
             "multiplying");
  };
  return recipe;
}

}  // namespace warploom::collector
