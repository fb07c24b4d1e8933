#include "warploom/models/layers/mixture_of_experts.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/divide_up.h"
#include "warploom/models/layers/dense_mlp.h"
#include "warploom/models/layers/linear_layer.h"

namespace warploom {
namespace {

// Norms of a layer whose experts stand beside a dense MLP: behind the MLP, before the router, before and
// behind the experts. All but the router's, which has a scale of its own, have weights.
constexpr std::int64_t kNormsBesideMlp = 4;

// The nearest divisor of `experts` from `ranks` on, up or down; ranks <= experts.
std::int64_t divisor_from(std::int64_t experts, std::int64_t ranks, std::int64_t step) {
  while (experts % ranks != 0) ranks += step;
  return ranks;
}

// What says over how many ranks the experts are spread, as its messages name it: experts apart have an option
// of their own.
std::string expert_ranks_text(const Sharding& sharding) {
  return fmt::format("{}{}",
                     sharding.apart() ? "`num_ffn_ranks` " : "expert_parallel=", sharding.expert_parallel);
}

}  // namespace

void MixtureOfExperts::check(std::string_view where) const {
  if (top_k > experts)
    throw InvalidInput(fmt::format("{}: top_k {} exceeds {} experts", where, top_k, experts));
}

void MixtureOfExperts::check_split(const SplitCheck& check, const Sharding& sharding) const {
  const std::int64_t expert_ranks = sharding.expert_parallel;
  if (sharding.moe_ranks() % expert_ranks != 0)
    check.refuse(
        fmt::format("expert_parallel={} does not divide {} = {}", expert_ranks,
                    sharding.apart() ? "`num_ffn_ranks`" : "tensor_parallel x attention_data_parallel",
                    sharding.moe_ranks()));
  check_expert_split(check, sharding);
  if (sharding.apart() && expert_ranks == 1 && intermediate % sharding.moe_ranks() != 0)
    check.refuse(
        fmt::format("{} columns of an expert cannot be split by `num_ffn_ranks` {}, expected a divisor, or "
                    "`enable_expert_parallel` to place whole experts",
                    intermediate, sharding.moe_ranks()));
  check.divides("columns of an expert", intermediate,
                "tensor_parallel x attention_data_parallel / expert_parallel",
                sharding.moe_tensor_parallel());
  check.divides("columns of the shared experts", shared_intermediate, "`tensor_parallel_size`",
                sharding.tensor_parallel);
  check.divides("MLP columns", mlp_intermediate, "`tensor_parallel_size`", sharding.tensor_parallel);
}

void MixtureOfExperts::check_expert_split(const SplitCheck& check, const Sharding& sharding) const {
  const std::int64_t ranks = sharding.expert_parallel, slots = experts + sharding.redundant_experts;
  if (slots % ranks == 0) return;
  const std::int64_t missing = divide_up(experts, ranks) * ranks - experts;
  if (sharding.redundant_experts > 0)
    check.refuse(
        fmt::format("{} experts and num_redundant_experts={} cannot be split by {}, "
                    "expected {} redundant ones or a multiple of {} more",
                    experts, sharding.redundant_experts, expert_ranks_text(sharding), missing, ranks));
  if (ranks > experts)
    check.refuse(
        fmt::format("{} exceeds {} experts, expected {} redundant ones (`enable_eplb`, "
                    "`num_redundant_experts`)",
                    expert_ranks_text(sharding), experts, missing));
  check.refuse(
      fmt::format("{} experts cannot be split by {}, expected a divisor or {} redundant ones (`enable_eplb`, "
                  "`num_redundant_experts`); the nearest divisors are {} and {}",
                  experts, expert_ranks_text(sharding), missing, divisor_from(experts, ranks, -1),
                  divisor_from(experts, ranks, 1)));
}

void MixtureOfExperts::count(LayerParameters& layer, const LayerPlace& place) const {
  const Sharding& sharding = place.sharding;
  const std::int64_t matrices = gated ? 3 : 2;
  layer.experts = element_count(expert_width(place.hidden), intermediate / sharding.moe_tensor_parallel(),
                                (experts + sharding.redundant_experts) / sharding.expert_parallel * matrices);
  layer.shared_experts =
      element_count(place.hidden, shared_intermediate / sharding.tensor_parallel, matrices);
  layer.plain += element_count(2 * place.hidden, latent) + static_cast<double>(latent_norm ? latent : 0);
  layer.used = static_cast<double>(top_k) / static_cast<double>(experts + sharding.redundant_experts);
  layer.plain += element_count(place.hidden, experts) + (shared_gate ? static_cast<double>(place.hidden) : 0);
  if (mlp_intermediate == 0) return;
  DenseMlp{.intermediate = mlp_intermediate, .gated = gated}.count(layer, place);
  layer.plain += element_count(place.hidden, kNormsBesideMlp) + static_cast<double>(experts);
}

// Rows of a step for each token of a group; data-parallel ranks bring their tokens too.
double MixtureOfExperts::rows_of_token(const LayerPlace& place) const {
  const Sharding& sharding = place.sharding;
  const double rank_groups = double(sharding.expert_groups());
  const double ranks = double(std::max<std::int64_t>(1, sharding.expert_parallel));
  switch (place.expert_rows) {
    case ExpertRows::OfAllGroups:
      break;
    case ExpertRows::OfOwnExperts:
      return double(top_k) * rank_groups / ranks;
    case ExpertRows::Reserved:
      return double(experts + sharding.redundant_experts) / ranks * rank_groups;
    case ExpertRows::Elsewhere:
      return 0;
  }
  return double(top_k) * rank_groups;
}

// Both grouped products keep what they write of each row.
double MixtureOfExperts::widest_outputs(const LayerPlace& place) const {
  const std::int64_t width = intermediate / place.sharding.moe_tensor_parallel();
  const double routed =
      rows_of_token(place) * static_cast<double>(2 * width + std::max(width, expert_width(place.hidden)));
  return std::max(routed, DenseMlp{.intermediate = mlp_intermediate}.widest_outputs(place));
}

void MixtureOfExperts::add_shared(ScaledOperators& plan, const LaunchedLayer& layer) const {
  const std::int64_t width = shared_intermediate / layer.sharding.tensor_parallel;
  const MatmulScheme scheme = layer.schemes.shared_experts;
  const auto beside = [](OperatorNode& node) { node.stream = Stream::BesideExperts; };
  beside(add_linear(plan, layer, gated ? "shared_gate_up_proj" : "shared_up_proj", scheme,
                    (gated ? 2 : 1) * width, layer.hidden));
  beside(plan.add(gated ? "shared_silu_and_mul" : "shared_activation", layer.count,
                  Activation{.type = layer.dtype, .width = width, .gated = gated}));
  beside(add_linear(plan, layer, "shared_down_proj", scheme, layer.hidden, width));
  if (shared_gate) {
    beside(plan.add("shared_gate", layer.count,
                    Gemm{.scheme = plain_scheme(layer.dtype), .n = 1, .k = layer.hidden}));
    // Engines write sigmoid(gate) * output, in a call that no compiler fuses (vLLM's qwen2_moe.py).
    plan.add("shared_gate", layer.count,
             Elementwise{.kind = ElementwiseKind::Tanh, .type = layer.dtype, .width = 1, .inputs = 1});
    plan.add("shared_gate", layer.count,
             Elementwise{.kind = ElementwiseKind::Multiply, .type = layer.dtype, .width = layer.hidden});
  }
  plan.add("shared_add", layer.count,
           Elementwise{.kind = ElementwiseKind::Add, .type = layer.dtype, .width = layer.hidden});
}

// One after the other, as engines run them.
void MixtureOfExperts::add_mlp_beside(ScaledOperators& plan, const LaunchedLayer& layer) const {
  DenseMlp{.intermediate = mlp_intermediate, .gated = gated}.add_operators(plan, layer);
  plan.add("rmsnorm", kNormsBesideMlp * layer.count, RmsNorm{.type = layer.dtype, .width = layer.hidden});
  plan.add("experts_add", layer.count,
           Elementwise{.kind = ElementwiseKind::Add, .type = layer.dtype, .width = layer.hidden});
}

void MixtureOfExperts::add_operators(ScaledOperators& plan, const LaunchedLayer& layer) const {
  plan.add("router", layer.count, Gemm{.scheme = plain_scheme(layer.dtype), .n = experts, .k = layer.hidden});
  FusedMoe moe;
  moe.scheme = layer.schemes.experts;
  moe.hidden = expert_width(layer.hidden);
  moe.intermediate = intermediate;
  moe.experts = experts;
  moe.top_k = top_k;
  moe.tensor_parallel = layer.sharding.moe_tensor_parallel();
  moe.expert_parallel = layer.sharding.expert_parallel;
  moe.routing = layer.options.routing;
  moe.routing_alpha = layer.options.routing == RoutingKind::PowerLaw ? layer.options.routing_alpha : 0.0;
  moe.gated = gated;
  if (const std::int64_t nodes = layer.options.balanced_nodes; nodes > 0) {
    const std::int64_t slots = experts + layer.sharding.redundant_experts;
    const bool by_group = groups % nodes == 0 && experts % groups == 0 && slots % nodes == 0 &&
                          layer.sharding.expert_parallel % nodes == 0;
    moe.redundant_experts = layer.sharding.redundant_experts;
    moe.placement_groups = by_group ? groups : 1;
    moe.placement_nodes = by_group ? nodes : 1;
  }
  if (layer.options.choose_experts) plan.add("expert_choice", layer.count, Sampling{.vocabulary = experts});
  const MatmulScheme plain = plain_scheme(layer.dtype);
  if (latent > 0)
    plan.add("latent_down_proj", layer.count, Gemm{.scheme = plain, .n = latent, .k = layer.hidden});
  plan.add("moe", layer.count, moe, {.source = RowSource::GroupTokens});
  if (latent_norm) plan.add("latent_norm", layer.count, RmsNorm{.type = layer.dtype, .width = latent});
  if (latent > 0)
    plan.add("latent_up_proj", layer.count, Gemm{.scheme = plain, .n = layer.hidden, .k = latent});
  if (shared_intermediate > 0) add_shared(plan, layer);
  if (mlp_intermediate > 0) add_mlp_beside(plan, layer);
}

FieldTable MixtureOfExperts::describe() {
  return FieldList<MixtureOfExperts>("mixture_of_experts")
      .add("experts", &MixtureOfExperts::experts, {.doc = "routed experts", .min = 1, .max = kMostExperts})
      .add("top_k", &MixtureOfExperts::top_k, {.doc = "experts of a token", .min = 1, .max = kMostExperts})
      .add("intermediate", &MixtureOfExperts::intermediate,
           {.doc = "width of a routed expert", .min = 1, .max = kMostWidth})
      .add("shared_intermediate", &MixtureOfExperts::shared_intermediate,
           {.doc = "width of all shared experts", .min = 0, .max = kMostWidth})
      .add("shared_gate", &MixtureOfExperts::shared_gate, {.doc = "a gate scales the shared output"})
      .add("gated", &MixtureOfExperts::gated, {.doc = "gate and up projections"})
      .add("latent", &MixtureOfExperts::latent,
           {.doc = "width that routed experts work in, 0 = the model's", .min = 0, .max = kMostWidth})
      .add("latent_norm", &MixtureOfExperts::latent_norm, {.doc = "what they yield is normalised in it"})
      .add("mlp_intermediate", &MixtureOfExperts::mlp_intermediate,
           {.doc = "width of a dense MLP beside the experts", .min = 0, .max = kMostWidth})
      .add("groups", &MixtureOfExperts::groups,
           {.doc = "groups of experts that tokens choose first", .min = 1, .max = kMostExperts})
      .table();
}

}  // namespace warploom
