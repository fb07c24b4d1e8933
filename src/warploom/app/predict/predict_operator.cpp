#include "warploom/app/predict/predict_operator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/predict/machine_profile.h"
#include "warploom/app/predict/onboarding_fit.h"
#include "warploom/app/predict/tier_requirement.h"
#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/base/request_fields.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/collectives/across_nodes.h"
#include "warploom/kernels/kernel_profile.h"
#include "warploom/kernels/moe/expert_routing.h"
#include "warploom/kernels/moe/mega_moe.h"
#include "warploom/kernels/precision_support.h"
#include "warploom/kernels/roofline.h"
#include "warploom/predictor/predictor.h"
#include "warploom/serving/engines/engine_kernels.h"
#include "warploom/serving/pricing/step_pricer.h"
#include "warploom/steps/step_kernels.h"

namespace warploom {

FieldTable PredictRequest::describe() {
  using R = PredictRequest;
  return RequestFields<R>("predict")
      .add("gpu", &R::gpu, {.doc = "a name, an alias, or the path of your own record", .required = true})
      .add("predictor", &R::predictor, {.doc = "a folder that `train` wrote, or roofline"})
      .add("machine", &R::machine, {.doc = "your machine as it was measured: calibrate-machine writes it"})
      .add("framework", &R::framework, {.doc = "an engine, or who else made the kernel; absent: any"})
      .add("framework_version", &R::version, {.doc = "absent: the newest measured"})
      .add("kernel", &R::kernel, {.doc = "kernel name in the measured data; absent: the default"})
      .add("expert_routing", &R::expert_routing,
           {.doc = "in place of routing and routing_alpha: uniform, balanced or power_law:ALPHA"})
      .add("require_tier", &R::require_tier, {.doc = "measured: refuse a kernel that never was"})
      .add("features", &R::features,
           {.doc = "published: also show the feature vector of the published predictor PipeWeave"})
      .table();
}

namespace {

// The operator that is asked about, checked.
Operator operator_of(const PredictRequest& request) {
  Operator op = request.op;
  if (!request.expert_routing.empty()) {
    const ExpertRouting routing = parse_expert_routing(request.expert_routing, "expert_routing");
    auto* moe = std::get_if<FusedMoe>(&op);
    if (moe == nullptr)
      throw InvalidInput(
          fmt::format("expert_routing: says how tokens choose experts, which {} has not, expected none",
                      name_of(family_of(op))));
    moe->routing = routing.kind;
    moe->routing_alpha = routing.alpha;
  }
  check_operator(op, "predict");
  return op;
}

std::vector<PipelineShare> pipeline_shares(const KernelProfile& profile, Seconds predicted) {
  const PipelineDemand& demand = profile.demand;
  std::vector<PipelineShare> shares;
  const auto add = [&](Bound pipeline, double amount, double seconds) {
    if (seconds > 0) shares.push_back({pipeline, amount, Seconds(seconds), seconds / predicted.value()});
  };
  add(Bound::Tensor, demand.tensor_flop, profile.t_tensor);
  add(Bound::Fma, demand.fma_flop, profile.t_fma);
  add(Bound::SpecialFunction, demand.special_ops, profile.t_special);
  add(Bound::Shared, demand.shared_bytes, profile.t_shared);
  add(Bound::L2, demand.l2_bytes, profile.t_l2);
  add(Bound::Dram, demand.dram_bytes, profile.t_dram);
  add(Bound::Network, demand.network_bytes, profile.t_network);
  add(Bound::Launch, profile.launches, profile.t_launch);
  std::stable_sort(shares.begin(), shares.end(),
                   [](const PipelineShare& a, const PipelineShare& b) { return a.time > b.time; });
  return shares;
}

void check_known(const std::string& name, const std::set<std::string>& known, std::string_view what) {
  if (name.empty() || known.empty() || known.count(name) > 0) return;
  const std::vector<std::string> names(known.begin(), known.end());
  throw NotFound(fmt::format("{}: '{}' was not measured{}; expected one of: {}", what, name,
                             did_you_mean(name, names), fmt::join(names, ", ")));
}

// A misspelt implementation would else be priced as an average one.
void check_context(const Predictor& predictor, const Operator& op, const KernelContext& context) {
  const Family family = family_of(op);
  std::set<std::string> frameworks, kernels;
  for (const auto& [each, name] : EnumNames<Family>::kNames) {
    const FamilyModel* model = predictor.model(each);
    if (model == nullptr) continue;
    for (const ContextRecord& record : model->contexts) {
      if (!record.framework.empty()) frameworks.insert(record.framework);
      if (each == family && !record.kernel.empty()) kernels.insert(record.kernel);
    }
  }
  if (family == Family::Moe) kernels.insert(std::string(kMegaMoe));  // by a table of its own
  check_known(std::string(context.framework), frameworks, "framework");
  if (context.kernel != rule_of(op)) check_known(std::string(context.kernel), kernels, "kernel");
}

// Absent: the operator multiplies no weights.
std::optional<MatmulScheme> scheme_of_product(const Operator& op) {
  if (const auto* product = std::get_if<Gemm>(&op)) return product->scheme;
  if (const auto* experts = std::get_if<FusedMoe>(&op)) return experts->scheme;
  return std::nullopt;
}

bool widens_weights(const Operator& op, const GpuSpec& gpu) {
  return std::visit(
      [&](const auto& held) {
        using Op = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Op, Gemm> || std::is_same_v<Op, FusedMoe>) {
          const MatmulScheme scheme = held.scheme;
          const bool meant = scheme == MatmulScheme::Int4WeightOnly ||
                             scheme == MatmulScheme::Int8WeightOnly || scheme == MatmulScheme::MxFp4A16;
          return !meant && matrix_unit(scheme, gpu).weight_only;
        } else {
          static_assert(
              !requires { held.scheme; }, "weights that may be widened");
          return false;
        }
      },
      op);
}

std::vector<std::pair<std::string, double>> features_asked_for(const PredictRequest& request,
                                                               const Operator& op, const GpuSpec& gpu,
                                                               const KernelContext& context) {
  if (request.features.empty()) return {};
  if (request.features != "published") {
    throw InvalidInput(fmt::format("features: '{}' is unknown; expected published", request.features));
  }
  return published_features(op, gpu, context);
}

void check_tier(const std::string& asked, Tier tier) {
  if (requires_measured(asked) && tier != Tier::Measured) throw Unsupported(unmeasured_reason(tier));
}

}  // namespace

void check_named_kernel(const PredictRequest& request, std::string_view priced_framework,
                        std::string_view priced_kernel) {
  const std::string_view named = !request.kernel.empty()      ? "kernel"
                                 : !request.framework.empty() ? "framework"
                                 : !request.version.empty()   ? "framework_version"
                                                              : "";
  if (named.empty() || !priced_framework.empty() || !priced_kernel.empty()) return;
  throw InvalidInput(fmt::format("{} is not modelled here: no kernel of {} was measured, expected none{}",
                                 named, name_of(family_of(request.op)),
                                 request.predictor == "roofline" ? " or another `predictor`" : ""));
}

void check_routing_said_once(const std::function<bool(std::string_view)>& given) {
  constexpr std::string_view kRouting = "expert_routing";
  if (!given(kRouting)) return;
  for (const std::string_view part : {"routing", "routing_alpha"})
    if (given(part))
      throw InvalidInput(fmt::format("{}: says the same as `{}`, expected one of them", kRouting, part));
}

namespace {

// Figures of the network between nodes where no node is left would change nothing.
void check_network(const Operator& op, const GpuSpec& gpu) {
  const auto* collective = std::get_if<Collective>(&op);
  if (collective == nullptr || crosses_nodes(op, gpu)) return;
  const std::string_view given = collective->nic_rate           ? "nic_gb_s"
                                 : collective->nics_per_node    ? "nics_per_node"
                                 : collective->oversubscription ? "oversubscription"
                                                                : "";
  if (!given.empty())
    throw InvalidInput(
        fmt::format("{}: says what lies between nodes, but {} ranks of {} share one link domain, expected "
                    "more ranks, fewer ranks_per_node, or none of nic_gb_s, nics_per_node, oversubscription",
                    given, collective->ranks, gpu.title));
}

}  // namespace

Operator checked_operator(const PredictRequest& request, const LatencyModel& model) {
  Operator op = operator_of(request);
  if (const Predictor* predictor = predictor_of(model))
    check_context(*predictor, op, {request.framework, request.version, request.kernel});
  return op;
}

KernelContext asked_kernel(const PredictRequest& request, const KernelNames& engine, const Operator& op,
                           const GpuSpec& gpu) {
  if (!request.kernel.empty()) return {request.framework, request.version, request.kernel};
  return engine.of(op, gpu);
}

PredictResult predict_operator(const PredictRequest& request) {
  return predict_operator(request, *open_latency_model(request.predictor, request.files));
}

PredictResult predict_operator(const PredictRequest& request, const LatencyModel& model) {
  GpuCatalog catalog;
  const KernelNames engine = kernels_of(request.framework, request.version);
  PredictResult result;
  result.op = checked_operator(request, model);
  result.gpu = catalog.load_gpu(request.gpu, request.files);
  check_network(result.op, result.gpu);
  const KernelContext named{request.framework, request.version, request.kernel};
  const KernelContext context = asked_kernel(request, engine, result.op, result.gpu);
  KernelAnswer answer = model.answer(result.op, result.gpu, context);
  if (!request.machine.empty()) {
    const MachineProfile machine = load_machine_profile(request.machine, request.files);
    check_machine(machine, result.gpu.name, request.framework, request.version);
    if (machine.scale_of(result.op, answer.estimate.bound) == nullptr)
      throw InvalidInput(
          fmt::format("machine is not modelled here: '{}' has no factor of kernels that are "
                      "limited by {}, expected none",
                      machine.name, name_of(answer.estimate.bound)));
    // An operator is of any model.
    const auto scheme = scheme_of_product(result.op);
    const bool same_scheme = !scheme || has_scheme(machine, *scheme);
    const bool experts = machine.kind == kMixtureKind || std::holds_alternative<FusedMoe>(result.op);
    const Kinship kinship = experts       ? Kinship::Unlike
                            : same_scheme ? Kinship::Alike
                                          : Kinship::AlikeAnotherScheme;
    answer.estimate = on_machine(answer.estimate, result.op,
                                 machine.model.empty() ? machine : for_another_model(machine, kinship));
  }
  check_tier(request.require_tier, answer.estimate.tier);
  const KernelSource source(answer, result.op, named);
  result.framework = source.framework;
  result.version = source.version;
  result.kernel = source.kernel;
  result.stands_in_for = source.stands_in_for;
  result.scheme_priced = source.scheme_priced;
  result.by_rule = (!source.kernel.empty() && source.kernel == rule_of(result.op)) ||
                   is_network_kernel(result.kernel) || source.kernel == kMegaMoe;
  result.widened_weights = widens_weights(result.op, result.gpu);
  result.estimate = answer.estimate;
  result.roofline = RooflineModel().estimate(result.op, result.gpu, context);
  const KernelProfile shown = profile(result.op, result.gpu, answer.implementation,
                                      {.constants = fitted_constants(model, result.op, result.gpu)});
  result.structure = shown.price;
  result.pipelines = pipeline_shares(shown, result.estimate.p50);
  result.features = features_asked_for(request, result.op, result.gpu, context);
  return result;
}

}  // namespace warploom
