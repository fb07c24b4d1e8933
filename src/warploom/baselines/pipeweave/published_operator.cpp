// The features of an operator: which of the published vectors, and its requests one by one.
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "warploom/base/error.h"
#include "warploom/baselines/pipeweave/published_kernel.h"

namespace warploom::published {
namespace {

// The published rules walk over requests and tiles one by one.
constexpr double kMostRequests = 1e6, kMostTiles = 1e7, kMostTokens = 1e9;
constexpr double kLeastRows = 16;  // of a tile

[[noreturn]] void refuse_many(double value, std::string_view what, double most) {
  throw Unsupported(
      fmt::format("published features list each tile: {:.3g} {}, expected at most {:g}", value, what, most));
}

template <class Attention>
void check_listed(const Attention& op) {
  double requests = 0, tiles = 0, tokens = 0;
  for (const RequestGroup& group : op.requests) {
    const double count = double(group.count);
    requests += count;
    tiles += count * double(op.heads) * (double(group.query_tokens) / kLeastRows + 1);
    tokens = std::max(tokens, double(group.kv_tokens()));
  }
  if (requests > kMostRequests) refuse_many(requests, "requests", kMostRequests);
  if (tiles > kMostTiles) refuse_many(tiles, "tiles of 16 rows", kMostTiles);
  if (tokens > kMostTokens) refuse_many(tokens, "tokens of one request", kMostTokens);
}

std::vector<Request> requests_of(const std::vector<RequestGroup>& groups) {
  std::vector<Request> requests;
  for (const RequestGroup& group : groups) {
    requests.insert(requests.end(), std::size_t(group.count), {group.query_tokens, group.kv_tokens()});
  }
  return requests;
}

template <class Attention>
Features attention(PublishedKernel kernel, const Attention& op, const Hardware& gpu,
                   const KernelContext& context) {
  check_listed(op);
  const std::vector<Request> requests = requests_of(op.requests);
  // Prompts are computed before their keys are in pages, as the publication composes a prefill.
  const bool ragged = context.kernel.ends_with("ragged") ||
                      (std::is_same_v<Attention, AttentionPrefill> && !context.kernel.ends_with("paged"));
  switch (kernel) {
    case PublishedKernel::AttentionFa2:
      return attention_fa2(requests, op.heads, op.kv_heads, op.head_dim, !ragged, gpu);
    case PublishedKernel::AttentionFa3:
      return attention_fa3(requests, op.heads, op.head_dim, !ragged, gpu);
    case PublishedKernel::AttentionCutlass:
      return attention_cutlass(requests, op.heads, op.head_dim, true, gpu);
    default:
      return attention_ck(requests, op.heads, op.head_dim, true, gpu);
  }
}

}  // namespace

Features attention_features(PublishedKernel kernel, const Operator& op, const Hardware& gpu,
                            const KernelContext& context) {
  if (const auto* prefill = std::get_if<AttentionPrefill>(&op))
    return attention(kernel, *prefill, gpu, context);
  return attention(kernel, std::get<AttentionDecode>(op), gpu, context);
}

Features features(const Operator& op, const GpuSpec& gpu, const KernelContext& context) {
  const KernelChoice choice = published_kernel(op, gpu, context);
  if (!choice.kernel)
    throw Unsupported(fmt::format("published features: none for the family {} here: {}",
                                  name_of(family_of(op)), choice.reason));
  return features_of_kernel(*choice.kernel, op, gpu, context);
}

}  // namespace warploom::published
