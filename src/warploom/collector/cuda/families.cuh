// The kernels of a sweep: one maker of launches for each family.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warploom/collector/cuda/arena.cuh"
#include "warploom/collector/cuda/graph_case.cuh"
#include "warploom/collector/operator_text.h"

namespace warploom::collector {

struct Workbench {
  Arena& arena;
  int sm_count = 0, compute_capability = 0;
  std::size_t l2_bytes = 0;
};

// What a family's source gives: launches, and what is known of them.
struct Recipe {
  Launch launch;
  std::size_t cold_bytes = 0;
  std::string algorithm;
  std::shared_ptr<void> hold;
};

// Each throws Unmeasurable with the reason on sizes or types that its kernel does not take.
class CublasLt {
 public:
  CublasLt();
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;
  Recipe gemm(const OperatorText& op, Workbench& bench);
  std::string version() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};
Recipe attention_prefill(const OperatorText& op, Workbench& bench);
Recipe attention_decode(const OperatorText& op, Workbench& bench);
Recipe rmsnorm(const OperatorText& op, Workbench& bench);
Recipe activation(const OperatorText& op, Workbench& bench);
Recipe rope(const OperatorText& op, Workbench& bench);
Recipe kv_write(const OperatorText& op, Workbench& bench);
Recipe quantize(const OperatorText& op, Workbench& bench);
Recipe elementwise(const OperatorText& op, Workbench& bench);
Recipe grouped_moe(const OperatorText& op, Workbench& bench);

// Compares each own kernel with a plain one in single precision on random data; lines for people. False when
// one is off.
bool check_kernels(Workbench& bench, std::vector<std::string>& lines);

// Ceilings and gaps, for MeasuringDevice::constants.
std::vector<DeviceConstant> measure_constants(Workbench& bench, CublasLt& library);

}  // namespace warploom::collector
