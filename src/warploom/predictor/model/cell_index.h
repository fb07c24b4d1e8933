// Finds the cell that a caller means, from any part of a kernel context: the nearest (nearness.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/nearest_kind.h"
#include "warploom/predictor/model/cell_table.h"
#include "warploom/predictor/model/context_codes.h"
#include "warploom/predictor/model/family_model.h"
#include "warploom/predictor/model/nearness.h"

namespace warploom {

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
  // Empty parts of the context are free. A version that was never measured, or of which hardly a row is left
  // (a fiftieth of what the engine's largest cell of the kind has), falls to the nearest that ran the
  // newest's kernel, of two as near the older; a nightly build to the newest. A kernel never measured on this
  // GPU falls to the other GPUs. The collector's own kernels answer when they are named, or nothing else is
  // known. No allocation.
  //
  // Among cells of this kind alone; of the operator's and of the same arithmetic.
  Found find(const GpuSpec& gpu, const KernelContext& context, std::uint32_t kind) const;
  Found find(const GpuSpec& gpu, const KernelContext& context, const Operator& op) const;
  // Among those of this kind, from the other GPUs, measured on this one or not.
  Found find_elsewhere(const GpuSpec& gpu, const KernelContext& context, std::uint32_t kind) const;

  // What answers in place of `found` (of an operator) where that is asked outside of the sizes it was
  // measured at. For a kernel that was named but ran on other GPUs alone: this GPU's own kernel for the
  // operator. For a benchmark's product that no engine runs: an engine's under other scales, here or on other
  // GPUs. No cell: nothing better is known.
  Found instead_of(const Found& found, const GpuSpec& gpu, const KernelContext& context,
                   const Operator& op) const;
  bool may_be_replaced(const Found& found, const KernelContext& context) const;
  // The engine's kernel of a newer version than `found`, where that was timed call by call alone. Such a time
  // is the longer of kernel and host, so the kernel takes at most that: it bounds what the older kernel says.
  // On this GPU, or where `found` is of other GPUs on one of its architecture. No cell: there is none, or a
  // kernel or an older version is named.
  Found newer_eager(const Found& found, const GpuSpec& gpu, const KernelContext& context,
                    std::uint32_t kind) const;

  const ContextCodes& codes(const CellRecord& cell) const { return codes_[cell.context]; }
  const ContextCodes& codes_of(std::size_t context) const { return codes_[context]; }  // of model.contexts

 private:
  struct Question;
  Found first(std::span<const Nearness> order, const Question& question) const;
  Found at(const Nearness& nearness, const Question& question) const;
  Found named(const Nearness& nearness, const Question& question) const;
  const CellRecord* own_here(Whose whose, const Question& question) const;
  const CellRecord* asked_here(const Question& question, bool eager_too) const;
  Found eager_here(const Question& question) const;
  Found kin_here(const Nearness& nearness, const Question& question) const;
  Found elsewhere(const Question& question) const;
  Found at_distance(double distance, bool nearest, const Question& question) const;
  Found last_resort(const Question& question) const;
  Found measured(const CellRecord& cell, const Question& question, const NearKind& near) const;
  // Whether GPUs of this architecture ran the operator under the engine that is named.
  bool siblings_ran(const Question& question) const;
  // Whether no engine runs the cell's kernel: it is from a sweep, or a product that benchmarks alone timed.
  bool is_library(const CellRecord& cell) const;

  const FamilyModel& model_;
  CellTable table_;
  std::vector<ContextCodes> codes_;
};

}  // namespace warploom
