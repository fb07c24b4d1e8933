#include "warploom/hardware/gpu_class.h"

namespace warploom {
namespace {

// Architecture classes, as gpu_class.h counts them.
constexpr int kAmpere = 80, kAda = 89, kBlackwellRtx = 120, kFirstAmd = 1003;
constexpr double kHopperYear = 2022;

}  // namespace

bool are_cousins(int architecture, int other) {
  return (architecture == kAda && other == kBlackwellRtx) || (architecture == kBlackwellRtx && other == kAda);
}

Lineage lineage_of(int architecture) {
  if (architecture >= kFirstAmd) return Lineage::Amd;
  return architecture >= kAmpere ? Lineage::SinceAmpere : Lineage::BeforeAmpere;
}

double years_since_hopper(const GpuSpec& gpu) {
  return gpu.sm_design_year > 0 ? double(gpu.sm_design_year) - kHopperYear : 0;
}

}  // namespace warploom
