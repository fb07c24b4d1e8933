// The ceilings of all families: what this shape has been seen to reach, as a time on a GPU.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "warploom/ceiling/family_ceiling.h"
#include "warploom/kernels/kernel_profile.h"

namespace warploom {

// The ceiling of one operator on one GPU. physical_bound <= time <= median_time.
struct Ceiling {
  Seconds time;         // a share q of the implementations seen takes longer
  Seconds median_time;  // the same of one half
  Seconds physical_bound;
  bool known_gpu = false;  // rows of this GPU are among those learned from

  double efficiency() const { return physical_bound / time; }
  double efficiency_of(Seconds actual) const { return physical_bound / actual; }
};

// Throws InvalidInput naming `where` unless q lies in [kLeastQuantile, kMostQuantile].
void check_quantile(double q, std::string_view where);

// Immutable after construction; const methods may run concurrently.
class CeilingModel {
 public:
  // The files linked into the binary (data/ceiling).
  CeilingModel();
  // Every *.wlq of a folder. Throws NotFound when there is none, IoError, InvalidInput, Unsupported.
  explicit CeilingModel(const std::filesystem::path& folder);
  explicit CeilingModel(std::vector<FamilyCeiling> families);
  ~CeilingModel();
  CeilingModel(CeilingModel&&) noexcept;
  CeilingModel& operator=(CeilingModel&&) noexcept;

  // nullptr when the family was not learned.
  const FamilyCeiling* family(Family family) const;

  // `profile`: ceiling_profile() of the same operator and GPU. Expects a family that was learned and a q that
  // check_quantile passes. A few hundred nanoseconds, no allocation.
  Ceiling ceiling(const Operator& op, const GpuSpec& gpu, const KernelProfile& profile, double q) const;

 private:
  struct Loaded;
  void load(FamilyCeiling ceiling, std::string_view where);
  std::vector<std::unique_ptr<const Loaded>> families_;  // by Family; null = not learned
};

}  // namespace warploom
