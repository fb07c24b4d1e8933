// What a user's machine was measured to be, beside the one that constants and tables come from: factors on
// the host's constants and on kernels, each with an interval. `calibrate-machine` writes it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/base/file_scope.h"
#include "warploom/base/json.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/models/architecture.h"
#include "warploom/serving/host/host_fit.h"

namespace warploom {

// Products, attention and experts by what limits them, and what works on rows between them (norms,
// activations, rotations, quantising, that before a product too, cache writes); launches and links are not
// scaled.
enum class KernelGroup : std::uint8_t { Streaming, Computing, Rows };
template <>
struct EnumNames<KernelGroup> {
  static constexpr std::array<std::pair<KernelGroup, std::string_view>, 3> kNames{
      {{KernelGroup::Streaming, "streaming"},
       {KernelGroup::Computing, "computing"},
       {KernelGroup::Rows, "rows"}}};
};
inline constexpr std::size_t kKernelGroups = EnumNames<KernelGroup>::kNames.size();

struct HostScale {
  HostGroup group = HostGroup::Step;
  double factor = 1, low = 1, high = 1;  // of the base profile's constants; low and high: p10 and p90
  // The part of ln(factor) that is there when the engine runs; below 1 where others share the cores.
  double kept = 1;
  static FieldTable describe();
};

struct KernelScale {
  KernelGroup group = KernelGroup::Streaming;
  double factor = 1, low = 1, high = 1;
  double scatter = 0;  // of ln(measured / scaled prediction) over the kernels measured; 0: not known
  double experts = 0;  // in place of `factor` for kernels of experts, as sure as it; 0: no other
  // What kernels of experts are scaled by: this one where they have no other.
  KernelScale of_experts() const;
  static FieldTable describe();
};

struct MachineProfile {
  std::string name, source;
  std::string measured_at;  // UTC, as 2026-11-26T12:30:00Z; empty: not recorded
  // How slow a loop that is always the same was while the host was measured, over its fastest tenth there;
  // 1: undisturbed, 0: not recorded. It changes no price: the host's factors hold what it did.
  double host_level = 0;
  // By how much the host varies within a run, as EngineHost::pace_spread; 0: not recorded.
  double pace_spread = 0;
  std::string gpu;                     // as the catalog has it; empty: kernels were not measured
  std::string engine, engine_version;  // whose steps were timed; empty: none's, any engine is meant
  std::string model;                   // that it ran, as model_label has it; empty: none
  std::string scheme;                  // of its products, as scheme_label has it; empty: not recorded
  std::string kind;                    // of that model, as kind_label has it; empty: not recorded
  std::string base;  // the host profile whose constants are scaled; empty: host not measured
  std::vector<HostScale> host;
  std::vector<KernelScale> kernels;

  static FieldTable describe();
  // On the constants of an entry of its base, which may have been measured when that machine was slowed: the
  // profile's own are on the undisturbed one. One for a group that it does not have. `side` below 0: low,
  // above 0: high.
  HostFactors host_factors(const EngineHost& base, int side = 0) const;
  // How much the host varies within a run: of what was measured the part that is kept, the rest as the
  // base's. Nothing where it was not measured.
  double pace_spread_beside(const EngineHost& base, int side = 0) const;
  const KernelScale* scale_of(KernelGroup group) const;
  // The factor of a kernel with this bound; nullptr for launches and links, and where the group was not
  // measured. Files of before version 4 have no rows: those go by what limits them.
  const KernelScale* scale_of(const Operator& op, Bound bound) const;
};

// Throws InvalidInput naming `where`: a group twice, factors out of order; Unsupported on a newer version.
MachineProfile machine_profile_from_json(const Json& document, std::string_view where);
Json machine_profile_to_json(const MachineProfile& profile);
// Throws IoError, and what machine_profile_from_json throws.
MachineProfile load_machine_profile(const std::string& path, const FileScope& files);

// Refuses a profile of another GPU, engine or version (empty `engine` or `version`: none is asked for).
void check_machine(const MachineProfile& profile, std::string_view gpu, std::string_view engine,
                   std::string_view version);

// What tells models apart whose configurations have no name.
std::string model_label(const ModelArchitecture& model);
// How its products are quantised, each scheme once: "bf16", "bf16+fp8_block".
std::string scheme_label(const ModelArchitecture& model);
// Whether the onboarded model has products of that scheme; true where its schemes were not recorded.
bool has_scheme(const MachineProfile& profile, MatmulScheme scheme);
// Whether it has experts.
inline constexpr std::string_view kDenseKind = "dense", kMixtureKind = "mixture";
std::string_view kind_label(const ModelArchitecture& model);

// Which group a kernel with this bound belongs to; nothing for launches and links.
std::optional<KernelGroup> group_of(const Operator& op, Bound bound);
bool works_on_rows(const Operator& op);
// Prices on the machine: scaled; of a product as wide as products were seen to scatter, where that is less.
// `on_rows`: the part of the price that quantises a product's rows.
LatencyEstimate on_machine(LatencyEstimate estimate, const Operator& op, const MachineProfile& profile,
                           Seconds on_rows = Seconds(0.0));

}  // namespace warploom
