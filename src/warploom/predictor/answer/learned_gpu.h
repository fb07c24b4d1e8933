// A GPU that a family was learned from, with what its record alone gives to features: worked out when it is
// first asked for, then kept.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>

#include "warploom/hardware/same_numbers.h"
#include "warploom/kernels/data_type.h"
#include "warploom/kernels/gemm/gemm_model.h"
#include "warploom/predictor/features/features.h"

namespace warploom {

// Thread-safe. What is kept follows from the catalog's record and the constants, so it serves another record
// only where all of its numbers are the same (same_numbers): a user may give any record this GPU's name.
class LearnedGpu {
 public:
  // `spec` may be nullptr, a GPU that the catalog lacks; it must outlive this.
  void set(const GpuSpec* spec) { spec_ = spec; }
  const GpuSpec* spec() const { return spec_; }

  // compute_features for the GPU's own record, with the constants that the family has for it.
  void compute(const Operator& op, const ContextKernel& kernel, const BaseConstants& fitted,
               OperatorFeatures& row) const;
  // Whether `gpu` may be answered as the GPU's own record.
  bool is_like(const GpuSpec& gpu) const {
    return spec_ != nullptr && gpu.name_hash == spec_->name_hash && same_numbers(gpu, *spec_);
  }

 private:
  static constexpr std::size_t kSchemes = EnumNames<MatmulScheme>::kNames.size();
  struct Product {
    std::once_flag once;
    std::unique_ptr<const GemmModel> model;
  };
  const GemmModel* product(const Operator& op, const BaseConstants& fitted) const;

  const GpuSpec* spec_ = nullptr;
  mutable std::once_flag once_;
  mutable std::optional<GpuFeatures> features_;
  mutable std::array<Product, kSchemes> products_;  // by scheme
};

}  // namespace warploom
