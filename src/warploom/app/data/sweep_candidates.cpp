#include "warploom/app/data/sweep_candidates.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "warploom/base/error.h"
#include "warploom/models/model_split.h"
#include "warploom/models/step_plan.h"

namespace warploom {
namespace {

constexpr std::int64_t kMostPrefillTokens = 32768;   // of all requests together
constexpr std::int64_t kMostCachedTokens = 1 << 20;  // likewise, of decode

// An operator in the form that the collector's kernels take, for each of which `keep` is called.
template <class Keep>
struct Normal {
  std::span<const MatmulScheme> schemes;
  const Keep& keep;

  void operator()(const Gemm& op) const {
    if (op.batch != 1 || op.m < 1) return;
    for (const MatmulScheme scheme : schemes) keep(Gemm{.scheme = scheme, .m = op.m, .n = op.n, .k = op.k});
    if (op.k % 8 == 0) keep(Quantize{.target = DataType::Fp8, .rows = op.m, .width = op.k});
  }
  void operator()(const AttentionPrefill& op) const {
    if (op.head_dim != 64 && op.head_dim != 128) return;
    keep(AttentionPrefill{
        .heads = op.heads, .kv_heads = op.kv_heads, .head_dim = op.head_dim, .requests = op.requests});
  }
  void operator()(const AttentionDecode& op) const {
    if (op.head_dim != 64 && op.head_dim != 128) return;
    keep(AttentionDecode{
        .heads = op.heads, .kv_heads = op.kv_heads, .head_dim = op.head_dim, .requests = op.requests});
  }
  void operator()(const FusedMoe& op) const {
    if (!op.gated || op.hidden % 64 != 0 || op.intermediate / op.tensor_parallel % 64 != 0) return;
    keep(FusedMoe{.tokens = op.tokens,
                  .hidden = op.hidden,
                  .intermediate = op.intermediate,
                  .experts = op.experts,
                  .top_k = op.top_k,
                  .tensor_parallel = op.tensor_parallel,
                  .expert_parallel = op.expert_parallel});
  }
  void operator()(const RmsNorm& op) const {
    if (op.width % 8 == 0) keep(RmsNorm{.tokens = op.tokens, .width = op.width, .residual = op.residual});
  }
  void operator()(const Activation& op) const {
    if (op.gated && op.width % 8 == 0) keep(Activation{.tokens = op.tokens, .width = op.width});
  }
  void operator()(const Rope& op) const {
    if (op.head_dim % 16 == 0)
      keep(Rope{.tokens = op.tokens, .heads = op.heads, .kv_heads = op.kv_heads, .head_dim = op.head_dim});
  }
  void operator()(const KvWrite& op) const {
    if (op.head_dim % 8 == 0)
      keep(KvWrite{.tokens = op.tokens, .kv_heads = op.kv_heads, .head_dim = op.head_dim});
  }
  // The collector has no kernels of any other, or sweeps them apart.
  template <class Op>
  void operator()(const Op&) const {}
};

// Expert parallelism over all ranks where there are experts, and without.
std::vector<Sharding> shardings_of(const ModelArchitecture& model) {
  std::vector<Sharding> possible;
  for (const std::int64_t ranks : {1, 2, 4, 8})
    for (const std::int64_t experts : {std::int64_t{1}, ranks}) {
      const Sharding sharding{.tensor_parallel = ranks, .expert_parallel = experts};
      if (experts > 1 || possible.empty() || possible.back().tensor_parallel != ranks) try {
          check_sharding(model, sharding, "sweep");
          possible.push_back(sharding);
        } catch (const InvalidInput&) {  // a model that cannot be split so
        }
    }
  return possible;
}

std::int64_t log_uniform(RandomStream& random, double low, double high) {
  return std::llround(low * std::pow(high / low, random.uniform()));
}

struct StepSizes {
  std::vector<std::int64_t> tokens;           // of dense operators
  std::vector<RequestGroup> prefill, decode;  // requests of attention
};

StepSizes drawn_sizes(std::size_t each, RandomStream& random) {
  StepSizes sizes;
  while (sizes.tokens.size() < each) sizes.tokens.push_back(log_uniform(random, 1, 8192));
  while (sizes.prefill.size() < each) {
    const std::int64_t query = log_uniform(random, 32, 8192), count = log_uniform(random, 1, 16);
    const std::int64_t context = random.uniform() < 0.75 ? 0 : log_uniform(random, 128, 8192);
    if (query * count <= kMostPrefillTokens) sizes.prefill.push_back({count, query, context});
  }
  while (sizes.decode.size() < each) {
    const std::int64_t context = log_uniform(random, 32, 32768), count = log_uniform(random, 1, 512);
    if (context * count <= kMostCachedTokens) sizes.decode.push_back({count, 1, context});
  }
  return sizes;
}

}  // namespace

std::vector<Operator> sweep_candidates(std::span<const ModelArchitecture> models,
                                       std::span<const MatmulScheme> schemes, std::size_t steps,
                                       RandomStream& random) {
  std::vector<Operator> operators;
  std::unordered_set<std::uint64_t> seen;
  const auto keep = [&](Operator op) {
    if (seen.insert(shape_hash(op)).second) operators.push_back(std::move(op));
  };
  const Normal<decltype(keep)> normal{schemes, keep};
  for (const ModelArchitecture& model : models)
    for (const Sharding& sharding : shardings_of(model)) {
      const StepPlan plan(model, sharding);
      const StepSizes sizes = drawn_sizes(steps, random);
      for (const RowSource source : {RowSource::Tokens, RowSource::GroupTokens, RowSource::LogitsRows})
        for (const std::int64_t tokens : sizes.tokens)
          if (source != RowSource::LogitsRows || tokens <= 512)
            for (const OperatorNode& node : plan.operators_of(source, tokens)) std::visit(normal, node.op);
      for (const RequestGroup& requests : sizes.prefill)
        for (const OperatorNode& node : plan.attention_of({.prefill = {requests}}))
          std::visit(normal, node.op);
      for (const RequestGroup& requests : sizes.decode)
        for (const OperatorNode& node : plan.attention_of({.decode = {requests}}))
          std::visit(normal, node.op);
    }
  return operators;
}

std::vector<Operator> collective_candidates(std::int64_t gpus, std::size_t each, RandomStream& random) {
  constexpr double kLeast = 1 << 10, kMost = 1 << 30;
  constexpr std::int64_t kWord = 16;  // bytes, whole ones of each rank
  std::vector<Operator> operators;
  for (std::int64_t ranks = 2; ranks <= gpus; ranks *= 2)
    for (const CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
          CollectiveKind::AllToAll, CollectiveKind::SendRecv})
      for (std::size_t i = 0; i < each; ++i) {
        const std::int64_t words = log_uniform(random, kLeast, kMost) / (kWord * ranks);
        operators.emplace_back(
            Collective{.kind = kind,
                       .size = Bytes(double(std::max<std::int64_t>(words, 1) * kWord * ranks)),
                       .ranks = ranks});
      }
  return operators;
}

}  // namespace warploom
