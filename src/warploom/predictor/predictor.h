// The learned latency model: predictor files over structural bases, with intervals, tiers and the physical
// bound.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/predictor/model/family_model.h"
#include "warploom/predictor/tables/family_tables.h"

namespace warploom {

struct LoadedFamily;

// Tiers: measured when this GPU and kernel were swept; cross_gpu when the family was learned on other GPUs;
// roofline when the family has no model (then the structural base alone answers, with a wide interval). An
// empty context means what engines ship by default: see CellIndex::find. A kernel that this GPU was not
// measured with is priced by the nearest one that it was: of the same element types under other scales, or of
// another engine (stands_in); so is a routing of experts that no row has (unmeasured_routing.h). Outside the
// trained range of a feature the estimate is marked extrapolated. The interval grows with each such step away
// from the data (doubt.h). p50 is never below the physical bound. Where the predictor has measured tables of
// the family, points with measured neighbours are interpolated between them (family_tables.h), still in tier
// measured.
//
// Immutable after construction but for trees decoded on first use; every const method may run concurrently.
// One estimate takes about a microsecond, a batch less than half of that for each operator; nothing is
// allocated once the trees in use are decoded. estimate_batch gives what estimate gives, to the last bit.
class Predictor final : public LatencyModel {
 public:
  // The files linked into the binary (data/predictor).
  Predictor();
  // Every *.wlp of a folder, with the *.wlt of the same name where there is one. Throws NotFound when there
  // is no *.wlp, IoError, InvalidInput, Unsupported.
  explicit Predictor(const std::filesystem::path& folder);
  explicit Predictor(std::vector<FamilyModel> models, std::vector<FamilyTables> tables = {});
  ~Predictor() override;
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context = {}) const override;
  void estimate_batch(std::span<const Operator> operators, const GpuSpec& gpu, const KernelContext& context,
                      std::span<LatencyEstimate> results) const override;

  // nullptr when the family was not learned.
  const FamilyModel* model(Family family) const;
  bool has_tables(Family family) const;
  // The constants of the family's structural base (structural_price.h) as they were fitted for a GPU; nullptr
  // when the family was not learned.
  const BaseConstants* constants(Family family, const GpuSpec& gpu) const;
  // The implementation is empty when the family was not learned; views stay valid for the predictor's life.
  KernelAnswer answer(const Operator& op, const GpuSpec& gpu,
                      const KernelContext& context = {}) const override;

 private:
  LoadedFamily& load(FamilyModel model);
  std::unique_ptr<const GpuCatalog> catalog_;            // specs of the GPUs learned from
  std::vector<std::unique_ptr<LoadedFamily>> families_;  // by Family; null = not learned
};

// The hash of the files linked into the binary: changes when one of them does.
std::uint64_t shipped_files_hash();

}  // namespace warploom
