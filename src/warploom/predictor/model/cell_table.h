// The cells of a family by what they are asked for: the GPU, the names of a context, the kind.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/predictor/model/family_model.h"

namespace warploom {

// Hashes of the names of a context; 0: any.
struct ContextNames {
  std::uint64_t framework = 0, version = 0, kernel = 0;
};
ContextNames names_of(const KernelContext& context);

// How likely a context is meant where no framework is named: a library that engines call, swept on the user's
// own GPU, then vLLM, SGLang, TensorRT-LLM, then others, which have 0: benchmarks.
int rank_of(const ContextRecord& context);
// Whether it is from a sweep of `warploom-collect`.
bool is_swept(const ContextRecord& context);

// Each answer is the best cell of those that the names leave, nullptr where there is none: never one timed
// eagerly if there is another, then by rank_of, then the newest version, then that with most rows. A version
// with less than a quarter of the rows that another has of the kernel comes after it: it was measured for a
// model or two. No allocation; a version never measured takes a step for each cell of the engine's kernel
// here, all else O(1).
class CellTable {
 public:
  // The model must outlive the table and stay where it is.
  explicit CellTable(const FamilyModel& model);

  static constexpr std::uint64_t kAnyKind = 0xFFFFF;  // of classes alone
  // In place of a framework. The collector's own kernels ("own_...") are simpler than any that an engine
  // calls, so that they have a place of their own, which is asked last.
  static constexpr std::uint64_t kAnyFramework = 0, kOwnKernels = 1;

  // Measured on this GPU.
  const CellRecord* here(const GpuSpec& gpu, const ContextNames& names, std::uint64_t kind) const;
  // Not timed eagerly.
  const CellRecord* default_here(const GpuSpec& gpu, std::uint64_t framework, std::uint64_t kind) const;
  // The nearest to `version` of an engine's kernel (0: of any), of two as near the older; nullptr: none was
  // measured here, or `version` is no release.
  const CellRecord* nearest_version(const GpuSpec& gpu, const ContextNames& names, std::string_view version,
                                    std::uint64_t kind) const;
  // The newest kernel of the engine, at the version nearest to the one asked for: a version that was never
  // measured is not told to have run the kernel of its neighbour.
  const CellRecord* nearest_default(const GpuSpec& gpu, const ContextNames& names, std::string_view version,
                                    std::uint64_t kind) const;
  // The best of those that were timed eagerly, on this GPU or on one of its architecture.
  const CellRecord* eager_here(const GpuSpec& gpu, std::uint64_t framework, std::uint64_t kind) const;
  const CellRecord* eager_beside(const GpuSpec& gpu, std::uint64_t framework, std::uint64_t kind) const;
  // Whether some GPU has one.
  bool has_eager(std::uint32_t kind) const;

  // Classes: what GPUs of this architecture run by default (not what was timed eagerly), all GPUs, and the
  // class of a kernel, of another framework when this one has none.
  const CellRecord* class_beside(const GpuSpec& gpu, std::uint64_t framework, std::uint64_t kind) const;
  const CellRecord* class_anywhere(std::uint64_t framework, std::uint64_t kind) const;
  const CellRecord* class_of_kernel(const ContextNames& names, std::uint64_t kind) const;

  const ContextRecord& context_of(const CellRecord& cell) const { return model_.contexts[cell.context]; }

 private:
  void offer(std::uint64_t key, std::uint32_t cell);
  void offer_measured(const CellRecord& cell, std::uint32_t number);
  void offer_class(const CellRecord& cell, std::uint32_t number);
  bool better(std::uint32_t a, std::uint32_t b) const;
  void find_narrow_cells();
  const CellRecord* lookup(std::uint64_t key) const;

  const FamilyModel& model_;
  std::vector<double> positions_;  // version_position of model.contexts
  std::vector<bool> narrow_;       // cells of a version with few rows beside another's of the kernel
  std::vector<bool> stray_;        // and with hardly any beside another of the engine's for the kind
  std::unordered_map<std::uint64_t, std::uint32_t> cells_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> versions_;  // cells of an engine's kernel
  std::vector<std::uint32_t> eager_kinds_;  // of which some GPU has a cell that was timed eagerly
};

}  // namespace warploom
