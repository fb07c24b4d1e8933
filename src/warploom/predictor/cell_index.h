// Finds the cell that a caller means, from any part of a kernel context.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/predictor/family_model.h"

namespace warploom {

// Codes of a context's framework, kernel and version among those of a model, in name order, so stable. The
// first two are features of the learners.
struct ContextCodes {
  float framework = 0, kernel = 0, version = 0;
};
std::vector<ContextCodes> context_codes(const std::vector<ContextRecord>& contexts);

class CellIndex {
 public:
  // The model must outlive the index and stay where it is.
  explicit CellIndex(const FamilyModel& model);

  struct Found {
    const CellRecord* cell = nullptr;  // nullptr: nothing of this family and kind
    bool measured = false;             // on this GPU
    bool exact_kind = true;            // false: the class is of another kind (data type)
  };
  // Empty parts of the context are free: the user's own cuBLASLt sweep before vLLM before SGLang before
  // TensorRT-LLM before others, then the newest version, then the kernel with most rows, never one timed
  // eagerly if there is another, of whatever framework. A version that was never measured falls to the
  // newest; a kernel never measured on this GPU falls to the other GPUs. O(1), no allocation.
  Found find(const GpuSpec& gpu, const KernelContext& context, std::uint32_t kind) const;
  // The same among classes alone: what the other GPUs say, measured on this one or not.
  Found find_class(const GpuSpec& gpu, const KernelContext& context, std::uint32_t kind) const;
  // A cell by exactly these.
  const CellRecord* exact(const GpuSpec& gpu, const KernelContext& context, std::uint32_t kind) const;

  const ContextCodes& codes(const CellRecord& cell) const { return codes_[cell.context]; }
  const ContextCodes& codes_of(std::size_t context) const { return codes_[context]; }  // of model.contexts

 private:
  void offer(std::uint64_t key, std::uint32_t cell);
  bool better(const CellRecord& a, const CellRecord& b) const;
  const CellRecord* lookup(std::uint64_t key) const;
  // Class of a kernel, of another framework when this one has none.
  const CellRecord* class_of_kernel(std::uint64_t framework, std::uint64_t kernel, std::uint32_t kind) const;

  const FamilyModel& model_;
  std::vector<ContextCodes> codes_;
  std::unordered_map<std::uint64_t, std::uint32_t> cells_;
};

// Compares dotted versions by their numbers: "0.9.1" < "0.14.0". Negative, zero or positive.
int compare_versions(std::string_view a, std::string_view b);

}  // namespace warploom
