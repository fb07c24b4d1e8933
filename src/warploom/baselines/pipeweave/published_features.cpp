#include "warploom/baselines/pipeweave/published_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "warploom/base/any_of.h"
#include "warploom/base/error.h"

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
Features attention(const Attention& op, const Hardware& gpu, const KernelContext& context) {
  check_listed(op);
  const std::vector<Request> requests = requests_of(op.requests);
  const bool paged = !context.kernel.ends_with("ragged");
  if (gpu.hopper && !context.kernel.starts_with("fa2")) {
    return attention_fa3(requests, op.heads, op.head_dim, paged, gpu);
  }
  return attention_fa2(requests, op.heads, op.kv_heads, op.head_dim, paged, gpu);
}

}  // namespace

Features features(const Operator& op, const GpuSpec& gpu, const KernelContext& context) {
  const Hardware hardware = Hardware::of(gpu);
  return std::visit(
      [&](const auto& held) -> Features {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, Gemm>) {
          if (weight_type(held.scheme) == DataType::Fp8 && hardware.tensor_fp8 > 0) {
            return gemm_fp8(held.m, held.n, held.k, hardware);
          }
          throw Unsupported("published features: a product of 16-bit types needs the tile from a profile");
        } else if constexpr (std::is_same_v<T, AttentionPrefill> || std::is_same_v<T, AttentionDecode>) {
          return attention(held, hardware, context);
        } else if constexpr (std::is_same_v<T, RmsNorm>) {
          return rmsnorm(held.tokens, held.width, hardware);
        } else if constexpr (std::is_same_v<T, Activation>) {
          return silu_and_mul(held.tokens, 2 * held.width, hardware);
        } else {
          static_assert(AnyOf<T, MlaPrefill, MlaDecode, MlaModule, FusedMoe, Elementwise, Rope, KvWrite,
                              Quantize, Embedding, Sampling, LinearAttention, Collective>);
          throw Unsupported(
              fmt::format("published features: none for the family {}", name_of(family_of(op))));
        }
      },
      op);
}

}  // namespace warploom::published
