// Finds the cell that a caller means, from any part of a kernel context.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/nearest_kind.h"
#include "warploom/predictor/model/family_model.h"

namespace warploom {

// Codes of a context's framework, kernel and version among those of a model, in name order. The first two are
// features of the learners, so names that came after the training follow all others, in the order they came.
struct ContextCodes {
  float framework = 0, kernel = 0, version = 0;
};
std::vector<ContextCodes> context_codes(const FamilyModel& model);

class CellIndex {
 public:
  // The model must outlive the index and stay where it is.
  explicit CellIndex(const FamilyModel& model);

  struct Found {
    const CellRecord* cell = nullptr;  // nullptr: nothing of this family and kind
    bool measured = false;             // on this GPU
    bool exact_kind = true;            // false: the class is of another kind (data type)
    bool other_engine = false;         // measured, but of another engine or kernel than was named
    // The question is answered as one of this kind: that of the cell when exact_kind.
    std::uint32_t kind = 0;
    NearKind near{};  // the cell's kind beside the operator's own
  };
  // Empty parts of the context are free: the user's own cuBLASLt sweep before vLLM before SGLang before
  // TensorRT-LLM before others, then the newest version, then the kernel with most rows, never one timed
  // eagerly if there is another, of whatever framework. A version with less than a quarter of the rows that
  // another has of the kernel comes after it: it was measured for a model or two. A version that was never
  // measured, or of which hardly a row is left (a fiftieth of what the engine's largest cell of the kind
  // has), falls to the nearest that ran the newest's kernel, of two as near the older; a nightly build to the
  // newest. A kernel never measured on this GPU falls to the other GPUs. The collector's own kernels
  // ("own_...") answer when they are named, or nothing else is known. No allocation; a version never measured
  // takes a step for each cell of the engine's kernel here, all else O(1).
  Found find(const GpuSpec& gpu, const KernelContext& context, std::uint32_t kind) const;
  // The cell of this GPU that prices an operator: its own kind as above, else the nearest kernel of the same
  // arithmetic (near_kinds at distance 0), of the same engine before another's; else find_near_class.
  Found find_near(const GpuSpec& gpu, const KernelContext& context, const Operator& op) const;
  // What answers in place of `found` (of find_near) where that is asked outside of the sizes it was measured
  // at. For a kernel that was named but ran on other GPUs alone: this GPU's own kernel for the operator. For
  // a benchmark's product that no engine runs: an engine's under other scales, here or on other GPUs. No
  // cell: nothing better is known.
  Found find_instead(const GpuSpec& gpu, const KernelContext& context, const Operator& op,
                     const Found& found) const;
  // The engine's kernel of a newer version than `found`, where that was timed call by call alone. Such a time
  // is the longer of kernel and host, so the kernel takes at most that: it bounds what the older kernel says.
  // On this GPU, or where `found` is of other GPUs on one of its architecture. No cell: there is none, or a
  // kernel or an older version is named.
  Found find_eager(const GpuSpec& gpu, const KernelContext& context, std::uint32_t kind,
                   const Found& found) const;
  bool may_be_replaced(const Found& found, const KernelContext& context) const;
  // The same among classes alone, from the other GPUs, measured on this one or not. Kernels of engines before
  // those of benchmarks, then GPUs of this architecture before others (the other way round for a library's
  // own kernel), the engine's own kernel under other scales before another engine's, and the nearest
  // arithmetic where the own is unknown.
  Found find_near_class(const GpuSpec& gpu, const KernelContext& context, const NearKinds& kinds) const;
  Found find_class(const GpuSpec& gpu, const KernelContext& context, std::uint32_t kind) const;
  // A cell by exactly these.
  const CellRecord* exact(const GpuSpec& gpu, const KernelContext& context, std::uint32_t kind) const;

  const ContextCodes& codes(const CellRecord& cell) const { return codes_[cell.context]; }
  const ContextCodes& codes_of(std::size_t context) const { return codes_[context]; }  // of model.contexts

 private:
  void offer(std::uint64_t key, std::uint32_t cell);
  void offer_measured(const CellRecord& cell, std::uint32_t number);
  void offer_class(const CellRecord& cell, std::uint32_t number);
  Found measured(const CellRecord& cell, const KernelContext& context, const NearKind& near) const;
  Found last_resort(const GpuSpec& gpu, std::uint64_t framework, const NearKind& own) const;
  // Whether no engine runs the cell's kernel: it is from a sweep, or a product that benchmarks alone timed.
  bool is_library(const CellRecord& cell) const;
  // A cell of this GPU that is no eager one.
  const CellRecord* default_at(const GpuSpec& gpu, std::uint64_t framework, std::uint64_t version,
                               std::uint32_t kind) const;
  // The class that the architecture's default points at, unless that was timed eagerly.
  const CellRecord* sibling_class(std::uint64_t arch, std::uint64_t framework, std::uint32_t kind) const;
  bool better(std::uint32_t a, std::uint32_t b) const;
  // The nearest to `version` of an engine's kernel (0: of any) on a GPU; nullptr: none was
  // measured, or `version` is no release.
  const CellRecord* nearest_version(const GpuSpec& gpu, std::uint64_t framework, std::uint64_t kernel,
                                    std::string_view version, std::uint32_t kind) const;
  // The newest kernel of the engine for the kind, at the version nearest to the one asked for: a version that
  // was never measured is not told to have run the kernel of its neighbour.
  const CellRecord* nearest_default(const GpuSpec& gpu, const KernelContext& context,
                                    std::uint32_t kind) const;
  void find_narrow_cells();
  const CellRecord* lookup(std::uint64_t key) const;
  // Class of a kernel, of another framework when this one has none.
  const CellRecord* class_of_kernel(std::uint64_t framework, std::uint64_t kernel, std::uint32_t kind) const;

  const FamilyModel& model_;
  std::vector<ContextCodes> codes_;
  std::vector<double> positions_;  // version_position of model.contexts
  std::vector<bool> narrow_;       // cells of a version with few rows beside another's of the kernel
  std::vector<bool> stray_;        // and with hardly any beside another of the engine's for the kind
  std::unordered_map<std::uint64_t, std::uint32_t> cells_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> versions_;  // cells of an engine's kernel
  std::vector<std::uint32_t> eager_kinds_;  // of which some GPU has a cell that was timed eagerly
};

}  // namespace warploom
