#include <algorithm>

#include "warploom/base/divide_up.h"
#include "warploom/models/plan_builders.h"

namespace warploom {
namespace {

void add_norms(ScaledOperators& plan, const PlanContext& context) {
  const ModelArchitecture& model = context.model;
  RmsNorm norm{.type = model.dtype, .width = model.hidden, .residual = false, .layer_norm = model.layer_norm};
  // A norm of each part of a layer takes the residual in; any further ones (behind attention and MLP in
  // Gemma 2 and 3) do not.
  std::int64_t norms = 0, joining = 0;
  for (const LayerGroup& group : context.layers) {
    norms += group.count * model.norms_of(group);
    joining += group.count * std::min(model.norms_of(group), group.parts());
  }
  const std::int64_t plain = norms - joining + (context.first_stage ? 1 : 0);
  if (plain > 0) plan.add("rmsnorm", plain, norm);
  norm.residual = true;
  const std::int64_t with_residual = joining - (context.first_stage ? 1 : 0) + (context.last_stage ? 1 : 0);
  constexpr std::int64_t kFusedTokens = 2048;
  const bool fused = context.options.fuse_allreduce_norm && context.sharding.tensor_parallel > 1;
  if (with_residual > 0) plan.add("rmsnorm", with_residual, norm, {.above = fused ? kFusedTokens : 0});
}

// Each part sums the outputs of the blocks of layers before it and of its own block, and normalises the sum
// in the same kernel. A norm of rows of `width` moves twice their bytes.
void add_block_sums(ScaledOperators& plan, const PlanContext& context) {
  const std::int64_t block = context.model.residual.block;
  constexpr std::int64_t kParts = 2;
  constexpr std::int64_t kOwnRows = 4;  // the sum so far and the last output read, both sums written
  std::int64_t first = context.range.first;
  while (first < context.range.last) {
    const std::int64_t blocks = divide_up(first, block);
    const std::int64_t last = std::min(context.range.last, blocks * block + 1);
    plan.add("residual_sum", kParts * (last - first),
             RmsNorm{.type = context.model.dtype, .width = context.model.hidden * (blocks + kOwnRows) / 2});
    first = last;
  }
}

// The streams are joined and spread anew between two parts of layers, in one kernel that normalises too
// (vLLM's MHCFusedPostPreOp); before the first part they are only joined, behind the last only spread.
void add_hyper_connections(ScaledOperators& plan, const PlanContext& context) {
  const ModelArchitecture& model = context.model;
  std::int64_t sites = 0;
  for (const LayerGroup& group : context.layers) sites += group.count * group.parts();
  HyperConnection op{.type = model.dtype,
                     .hidden = model.hidden,
                     .streams = model.residual.streams,
                     .sinkhorn_iterations = model.residual.sinkhorn_iterations};
  const auto add = [&](std::string_view label, HyperConnectionPart part, std::int64_t count) {
    op.part = part;
    if (count > 0) plan.add(label, count, op);
  };
  if (context.first_stage) add("hyper_expand", HyperConnectionPart::Expand, 1);
  add("hyper_pre", HyperConnectionPart::Pre, 1);
  add("hyper_connection", HyperConnectionPart::FusedPostPre, sites - 1);
  add("hyper_post", HyperConnectionPart::Post, 1);
  if (context.last_stage) add("hyper_contract", HyperConnectionPart::Contract, 1);
}

}  // namespace

void add_residuals(ScaledOperators& plan, const PlanContext& context) {
  const ModelArchitecture& model = context.model;
  if (model.residual.plain()) return add_norms(plan, context);
  if (model.residual.block > 0) add_block_sums(plan, context);
  if (model.residual.streams > 1) add_hyper_connections(plan, context);
  if (context.last_stage)
    plan.add("rmsnorm", 1,
             RmsNorm{.type = model.dtype, .width = model.hidden, .layer_norm = model.layer_norm});
}

}  // namespace warploom
