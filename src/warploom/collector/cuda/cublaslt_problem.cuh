// Products as cublasLt takes them: descriptors, the library's choices, and launches of one of them.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "warploom/collector/cuda/families.cuh"

namespace warploom::collector {

// Throws DeviceLost where a kernel failed, else Unmeasurable.
void check_lt(cublasStatus_t status, const char* what);

struct Scheme {
  cudaDataType_t in, out;
  cublasComputeType_t compute;
  cudaDataType_t scale;
  Content content;
  std::size_t in_bytes, out_bytes;
  bool tensor_scales, block_scales;
};
// By the names of the operators. Throws Unmeasurable.
const Scheme& scheme_of(const std::string& name);

// Weights lie [n, k] (as engines keep them) or [k, n].
struct ProductSize {
  std::int64_t m, n, k;
  bool inner_first = false;
};

// What the library answers. (A type of ours: nvcc 13.0 fails on containers of cublasLt's nameless structs.)
struct LtChoice {
  cublasLtMatmulAlgo_t algorithm{};
  std::size_t workspace = 0;
  double waves = 0;
};

// Descriptors of D[n, m] = W^T[n, k] X[k, m], all column-major: a row-major product with weights [n, k].
struct Problem {
  ~Problem();
  template <class T>
  void set(cublasLtMatmulDescAttributes_t name, T value) {
    check_lt(cublasLtMatmulDescSetAttribute(product, name, &value, sizeof value), "describing the product");
  }
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t weights = nullptr, inputs = nullptr, outputs = nullptr;
  LtChoice choice;
};
std::shared_ptr<Problem> describe_product(const Scheme& scheme, const ProductSize& size, Workbench& bench);

class LtLibrary {
 public:
  LtLibrary();
  ~LtLibrary();
  LtLibrary(const LtLibrary&) = delete;
  LtLibrary& operator=(const LtLibrary&) = delete;

  std::string version() const;
  // The library's first `most` (at most 32) choices that run, best first, at least one. Throws Unmeasurable.
  std::vector<LtChoice> choices(const Problem& problem, int most) const;
  // Launches of the problem's algorithm.
  Recipe recipe(std::shared_ptr<Problem> problem, const Scheme& scheme, const ProductSize& size, bool cold,
                Workbench& bench);

 private:
  cublasLtHandle_t handle_ = nullptr;
  Pool workspace_;
};

template <class T>
T config_of(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t name) {
  T value{};
  std::size_t written = 0;
  cublasLtMatmulAlgoConfigGetAttribute(&algorithm, name, &value, sizeof value, &written);
  return value;
}

}  // namespace warploom::collector
