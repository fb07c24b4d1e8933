#include "warploom/app/predict/machine_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/hardware/record_version.h"
#include "warploom/kernels/operator_family.h"

namespace warploom {
namespace {

constexpr std::string_view kMachineSchema = "warploom_machine";
// Since 2: measured_at, host_level; since 3: pace_spread; since 4: rows as a group, scheme; since 5: kind;
// since 6: experts of a kernel's scale.
constexpr std::int64_t kMachineVersion = 6;
// Factors beyond this are no machine of the same kind, but a damaged or foreign file.
constexpr double kLeastFactor = 0.02, kMostFactor = 50;

template <class Scale>
void add_factors(FieldList<Scale>& fields) {
  const auto factor = [](std::string_view doc) {
    return FieldOptions{.doc = doc, .min = kLeastFactor, .max = kMostFactor, .required = true};
  };
  fields.add("factor", &Scale::factor, factor("of the time without the profile"))
      .add("low", &Scale::low, factor("its 10th percentile"))
      .add("high", &Scale::high, factor("its 90th percentile"));
}

template <class Scale>
void check_scales(const std::vector<Scale>& scales, std::string_view name, std::string_view where) {
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const Scale& scale = scales[i];
    if (scale.low > scale.factor || scale.factor > scale.high)
      throw InvalidInput(
          fmt::format("{}: {}[{}]: low, factor and high are {}, {}, {}, expected them in order", where, name,
                      i, scale.low, scale.factor, scale.high));
    for (std::size_t j = 0; j < i; ++j)
      if (scales[j].group == scale.group)
        throw InvalidInput(
            fmt::format("{}: '{}' has {} twice, expected each once", where, name, name_of(scale.group)));
  }
}

// What limits a product, attention or experts; nothing: a launch or a link.
std::optional<KernelGroup> limited_by(Bound bound) {
  switch (bound) {
    case Bound::Tensor:
    case Bound::Fma:
    case Bound::SpecialFunction:
    case Bound::Shared:
      return KernelGroup::Computing;
    case Bound::L2:
    case Bound::Dram:
      return KernelGroup::Streaming;
    case Bound::Network:
    case Bound::Launch:
      break;
  }
  return std::nullopt;
}

}  // namespace

FieldTable HostScale::describe() {
  FieldList<HostScale> fields("host_scale");
  fields.add("group", &HostScale::group, {.doc = "constants of a host profile", .required = true});
  add_factors(fields);
  fields.add("kept", &HostScale::kept,
             {.doc = "part of ln(factor) that is there when the engine runs", .min = 0, .max = 1});
  return fields.table();
}

FieldTable KernelScale::describe() {
  FieldList<KernelScale> fields("kernel_scale");
  fields.add("group", &KernelScale::group, {.doc = "kernels by what limits them", .required = true});
  add_factors(fields);
  fields
      .add("scatter", &KernelScale::scatter,
           {.doc = "half-width in ln of what measured products keep after the factor; 0: not known",
            .min = 0,
            .max = 1})
      .add("experts", &KernelScale::experts,
           {.doc = "in place of the factor for kernels of experts, as sure as it; 0: no other",
            .min = 0,
            .max = kMostFactor});
  return fields.table();
}

FieldTable MachineProfile::describe() {
  using P = MachineProfile;
  return FieldList<P>("machine")
      .add("name", &P::name, {.doc = "short name", .required = true})
      .add("source", &P::source, {.doc = "what was measured, and when", .required = true})
      .add("measured_at", &P::measured_at, {.doc = "when, in UTC; absent: not recorded"})
      .add("host_level", &P::host_level,
           {.doc = "how slow the host was while it was measured, over its fastest tenth; 0: not recorded",
            .min = 0,
            .max = kMostFactor})
      .add("pace_spread", &P::pace_spread,
           {.doc = "standard deviation of ln of the host's times within the probe; 0: not recorded",
            .min = 0,
            .max = 2})
      .add("gpu", &P::gpu, {.doc = "the GPU by the catalog's name; absent: kernels were not measured"})
      .add("engine", &P::engine, {.doc = "whose steps were timed; absent: none's"})
      .add("engine_version", &P::engine_version, {.doc = "of that engine"})
      .add("model", &P::model, {.doc = "that it ran: layers, hidden size, vocabulary"})
      .add("scheme", &P::scheme, {.doc = "how that model's products are quantised; absent: not recorded"})
      .add("kind", &P::kind, {.doc = "dense, or mixture where that model has experts; absent: not recorded"})
      .add("base", &P::base, {.doc = "host profile that is scaled; absent: the host was not measured"})
      .add("host", &P::host, {.doc = "factors of the host's constants"})
      .add("kernels", &P::kernels, {.doc = "factors of kernels"})
      .table();
}

double MachineProfile::pace_spread_beside(const EngineHost& entry, int side) const {
  if (pace_spread <= 0 || host.empty()) return 0;
  const double kept = host.front().kept;
  return kept * pace_spread + (1 - kept) * entry.pace_spread_at(side);
}

HostFactors MachineProfile::host_factors(const EngineHost& entry, int side) const {
  HostFactors factors;
  factors.fill(1);
  for (const HostScale& scale : host) {
    const bool launches = scale.group == HostGroup::Pieces || scale.group == HostGroup::Kernels;
    const double level = launches ? entry.launches_level : 1;
    const double middle = std::pow(scale.factor / level, scale.kept);
    // Where a part is kept, all of it may be there later, or nothing.
    const double nothing = scale.kept < 1 ? 1 : middle;
    factors[std::size_t(scale.group)] = side < 0   ? std::min({middle, scale.low / level, nothing})
                                        : side > 0 ? std::max({middle, scale.high / level, nothing})
                                                   : middle;
  }
  return factors;
}

const KernelScale* MachineProfile::scale_of(KernelGroup group) const {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const KernelScale& scale) { return scale.group == group; });
  return found == kernels.end() ? nullptr : &*found;
}

const KernelScale* MachineProfile::scale_of(const Operator& op, Bound bound) const {
  const std::optional<KernelGroup> group = group_of(op, bound);
  if (!group) return nullptr;
  const KernelScale* scale = scale_of(*group);
  if (scale != nullptr || *group != KernelGroup::Rows) return scale;
  return scale_of(limited_by(bound).value());
}

MachineProfile machine_profile_from_json(const Json& document, std::string_view where) {
  check_record_version(document, kMachineSchema, kMachineVersion, where);
  MachineProfile profile;
  read_fields(document, fields_of<MachineProfile>(), &profile, where);
  if (profile.host_level > 0 && profile.host_level < 1)
    throw InvalidInput(
        fmt::format("{}: 'host_level' is {}, expected 0 or at least 1", where, profile.host_level));
  check_scales(profile.host, "host", where);
  check_scales(profile.kernels, "kernels", where);
  if (profile.host.empty() != profile.base.empty())
    throw InvalidInput(fmt::format("{}: 'base' goes with 'host', expected both or none", where));
  if (profile.kernels.empty() != profile.gpu.empty())
    throw InvalidInput(fmt::format("{}: 'gpu' goes with 'kernels', expected both or none", where));
  return profile;
}

Json machine_profile_to_json(const MachineProfile& profile) {
  Json document = {{"schema", kMachineSchema}, {"version", kMachineVersion}};
  document.update(to_json(profile));
  return document;
}

MachineProfile load_machine_profile(const std::string& path, const FileScope& files) {
  if (!files.holds(path))
    throw NotFound(fmt::format("machine: '{}' is no file, expected one that calibrate-machine wrote", path));
  return machine_profile_from_json(parse_json(read_file(path), path), path);
}

void check_machine(const MachineProfile& profile, std::string_view gpu, std::string_view engine,
                   std::string_view version) {
  const auto refuse = [&](std::string_view what, std::string_view has, std::string_view asked) {
    throw InvalidInput(
        fmt::format("machine: '{}' was measured with {} {}, the question is of {}; expected a "
                    "profile of the same",
                    profile.name, what, has, asked));
  };
  if (!profile.gpu.empty() && profile.gpu != gpu) refuse("GPU", profile.gpu, gpu);
  if (!profile.engine.empty() && !engine.empty() && profile.engine != engine)
    refuse("engine", profile.engine, engine);
  if (!profile.engine_version.empty() && !version.empty() && profile.engine_version != version)
    refuse(profile.engine, profile.engine_version, version);
}

std::string model_label(const ModelArchitecture& model) {
  return fmt::format("{} layers of {}, vocabulary {}", model.layer_count(), model.hidden, model.vocabulary);
}

namespace {

constexpr std::string_view kSchemeJoint = "+";

}  // namespace

std::string scheme_label(const ModelArchitecture& model) {
  std::set<std::string_view> schemes;
  const auto add = [&](MatmulScheme scheme) { schemes.insert(name_of(scheme)); };
  for (const LayerGroup& group : model.layers) {
    if (!std::holds_alternative<NoMixer>(group.mixer)) {
      add(group.schemes.attention_input);
      add(group.schemes.attention_output);
    }
    const MixtureOfExperts* mixture = group.mixture();
    if (std::holds_alternative<DenseMlp>(group.feed_forward) ||
        (mixture != nullptr && mixture->mlp_intermediate > 0))
      add(group.schemes.mlp);
    if (mixture != nullptr) add(group.schemes.experts);
    if (mixture != nullptr && mixture->shared_intermediate > 0) add(group.schemes.shared_experts);
  }
  return fmt::format("{}", fmt::join(schemes, kSchemeJoint));
}

bool has_scheme(const MachineProfile& profile, MatmulScheme scheme) {
  const std::string all = fmt::format("{0}{1}{0}", kSchemeJoint, profile.scheme);
  return profile.scheme.empty() ||
         all.find(fmt::format("{0}{1}{0}", kSchemeJoint, name_of(scheme))) != std::string::npos;
}

std::string_view kind_label(const ModelArchitecture& model) {
  const bool experts = std::any_of(model.layers.begin(), model.layers.end(),
                                   [](const LayerGroup& group) { return group.mixture() != nullptr; });
  return experts ? kMixtureKind : kDenseKind;
}

std::optional<KernelGroup> group_of(const Operator& op, Bound bound) {
  const std::optional<KernelGroup> group = limited_by(bound);
  return group && works_on_rows(op) ? KernelGroup::Rows : group;
}

bool works_on_rows(const Operator& op) { return family_value(family_of(op)).kind == FamilyKind::Rows; }

KernelScale KernelScale::of_experts() const {
  KernelScale scale = *this;
  if (experts <= 0) return scale;
  const double other = experts / factor;
  for (double KernelScale::*end : {&KernelScale::factor, &KernelScale::low, &KernelScale::high})
    scale.*end *= other;
  return scale;
}

LatencyEstimate on_machine(LatencyEstimate estimate, const Operator& op, const MachineProfile& profile,
                           Seconds on_rows) {
  const KernelScale* found = profile.scale_of(op, estimate.bound);
  if (found == nullptr) return estimate;
  // Experts' kernels may err otherwise than products do that the same limits.
  const KernelScale scale = std::holds_alternative<FusedMoe>(op) ? found->of_experts() : *found;
  const KernelScale* rows = profile.scale_of(KernelGroup::Rows);
  if (rows == nullptr) rows = found;
  const double share = std::min(1.0, on_rows / estimate.p50);
  const auto mixed = [&](double KernelScale::*end) {
    return (1 - share) * (scale.*end) + share * (rows->*end);
  };
  const double factor = mixed(&KernelScale::factor);
  const auto half_width = [&](Seconds end) {
    const double width = std::abs(std::log(end.value() / estimate.p50.value()));
    if (scale.scatter <= 0 || !std::holds_alternative<Gemm>(op)) return width;
    return std::min(width, scale.scatter);
  };
  const double below = half_width(estimate.p10), above = half_width(estimate.p90);
  // The factor's own doubt and the kernel's are independent.
  const auto with = [&](double width, double factor_end) {
    return std::hypot(width, std::log(factor_end / factor));
  };
  const Seconds middle = std::max(estimate.physical_bound, estimate.p50 * factor);
  estimate.p10 = std::max(estimate.physical_bound, middle * std::exp(-with(below, mixed(&KernelScale::low))));
  estimate.p90 = middle * std::exp(with(above, mixed(&KernelScale::high)));
  estimate.p50 = middle;
  return estimate;
}

}  // namespace warploom
