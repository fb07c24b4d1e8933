// What an engine's own kernels take beside what a probe of the same machine says, by what limits them:
// data/engines/probe_reference.json, by tools/engine_truth/probe_reference.py.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/predict/machine_profile.h"
#include "warploom/base/json.h"

namespace warploom {

// In ln, to add to the probe's own factor; `experts` for kernels of experts, which tables know better.
struct ReferenceOffset {
  double offset = 0, experts = 0;
  double width = 0;  // half-width of 80 %, of `offset`, over machines
};

struct ProbeReference {
  struct OfGpu {
    std::string gpu;  // by the catalog's name
    std::array<ReferenceOffset, kKernelGroups> groups{};
  };
  std::vector<OfGpu> gpus;
  // Half-widths for a GPU of which no machine was both probed and onboarded: no offset is added there.
  std::array<double, kKernelGroups> elsewhere{};

  ReferenceOffset of(std::string_view gpu, KernelGroup group) const;
};

// Throws InvalidInput "<where>: ..." on what is missing or out of range, Unsupported on a newer version.
ProbeReference parse_probe_reference(const Json& document, std::string_view where);

// As shipped; read once.
const ProbeReference& shipped_probe_reference();

// A probe's scales as an engine's kernels have them.
void refer_to_engines(const ProbeReference& reference, std::string_view gpu,
                      std::vector<KernelScale>& scales);

}  // namespace warploom
