#include "warploom/models/layers/mamba2.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/models/layers/linear_layer.h"

namespace warploom {

// More ranks than groups keep copies of a group (vLLM's extra_groups_for_head_shards).
Mamba2 Mamba2::on(std::int64_t ranks) const {
  Mamba2 local = *this;
  local.heads = heads / ranks;
  local.groups = std::max<std::int64_t>(1, groups / ranks);
  return local;
}

void Mamba2::check(std::string_view where) const {
  if (groups < 1 || heads % groups != 0)
    throw InvalidInput(fmt::format("{}: {} Mamba-2 heads in {} groups, expected a divisor of the heads",
                                   where, heads, groups));
}

void Mamba2::check_split(const SplitCheck& check, std::int64_t ranks) const {
  check.divides("Mamba-2 heads", heads, "`tensor_parallel_size`", ranks);
  if (groups % ranks != 0 && ranks % groups != 0)
    check.refuse(
        fmt::format("{} Mamba-2 groups cannot be split by `tensor_parallel_size` {}, expected a divisor or "
                    "a multiple",
                    groups, ranks));
}

void Mamba2::count(LayerParameters& layer, const LayerPlace& place) const {
  const Mamba2 local = on(place.sharding.tensor_parallel);
  layer.attention_input = element_count(place.hidden, 2 * local.inner() + local.shared() + local.heads);
  layer.attention_output = element_count(place.hidden, local.inner());
  // The convolution with its bias; decay, skip and step bias of each head; the gated norm.
  layer.plain += element_count(local.inner() + local.shared(), convolution_width + 1) +
                 static_cast<double>(3 * local.heads + local.inner());
}

LayerCache Mamba2::cache(const LayerPlace& place) const {
  const Mamba2 local = on(place.sharding.tensor_parallel);
  const double recurrent = element_count(local.inner(), state) * bytes_per_element(state_type);
  const double convolution = element_count(local.inner() + local.shared(), convolution_width - 1);
  return {.bytes_per_request = recurrent + convolution * bytes_per_element(place.dtype)};
}

double Mamba2::widest_outputs(const LayerPlace& place) const {
  const Mamba2 local = on(place.sharding.tensor_parallel);
  return static_cast<double>(4 * local.inner() + 2 * local.shared() + local.heads);
}

void Mamba2::add_projections(ScaledOperators& plan, const LaunchedLayer& layer) const {
  const Mamba2 local = on(layer.sharding.tensor_parallel);
  // Gate, values, both shared vectors and the step of each head.
  add_linear(plan, layer, "mamba_in_proj", layer.schemes.attention_input,
             2 * local.inner() + local.shared() + local.heads, layer.hidden);
  plan.add("gated_norm", layer.count,
           RmsNorm{.type = layer.dtype, .width = local.inner() / local.groups, .residual = true},
           {.factor = local.groups});
  add_linear(plan, layer, "o_proj", layer.schemes.attention_output, layer.hidden, local.inner());
}

void Mamba2::add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const {
  const Mamba2 local = on(layer.sharding.tensor_parallel);
  LinearAttention op;
  op.kind = LinearAttentionKind::Mamba2;
  op.stage = LinearAttentionStage::Convolution;
  op.key_heads = local.groups;
  op.key_dim = state;
  op.value_heads = local.heads;
  op.value_dim = head_dim;
  op.convolution_width = convolution_width;
  op.state_size = state;
  plan.add("linear_convolution", layer.count, op);
  op.stage = decode ? LinearAttentionStage::StateUpdate : LinearAttentionStage::Scan;
  plan.add(decode ? "linear_state_update" : "linear_scan", layer.count, op);
}

FieldTable Mamba2::describe() {
  return FieldList<Mamba2>("mamba2")
      .add("heads", &Mamba2::heads, {.min = 1, .max = kMostHeadWidth})
      .add("head_dim", &Mamba2::head_dim, {.min = 1, .max = kMostHeadWidth})
      .add("groups", &Mamba2::groups,
           {.doc = "heads of one share two vectors", .min = 1, .max = kMostHeadWidth})
      .add("state", &Mamba2::state,
           {.doc = "elements of the state of an output", .min = 1, .max = kMostHeadWidth})
      .add("convolution_width", &Mamba2::convolution_width, {.min = 1, .max = 1024})
      .add("state_type", &Mamba2::state_type, {.doc = "type of the recurrent state"})
      .table();
}

}  // namespace warploom
