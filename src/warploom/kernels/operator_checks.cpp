#include <fmt/format.h>

#include <cmath>

#include "warploom/kernels/operator.h"

namespace warploom {
namespace {

constexpr std::int64_t kLargestCount = 1'000'000'000'000;

// Checks run before every prediction, so the passing path is comparisons alone.
class Checker {
 public:
  Checker(std::string_view where, std::string_view family) : where_(where), family_(family) {}

  Checker& positive(std::string_view name, std::int64_t value) {
    if (value < 1 || value > kLargestCount) fail(name, value, "1 to 1e12");
    return *this;
  }
  Checker& not_negative(std::string_view name, std::int64_t value) {
    if (value < 0 || value > kLargestCount) fail(name, value, "0 to 1e12");
    return *this;
  }
  Checker& require(bool holds, std::string_view rule) {
    if (!holds) throw InvalidInput(fmt::format("{}: {}: {}", where_, family_, rule));
    return *this;
  }
  Checker& requests(const std::vector<RequestGroup>& groups) {
    require(!groups.empty(), "'requests' is empty, expected at least one group");
    for (const RequestGroup& group : groups) {
      positive("count", group.count).positive("query_tokens", group.query_tokens);
      not_negative("context_tokens", group.context_tokens);
    }
    return *this;
  }
  Checker& heads(std::int64_t heads, std::int64_t kv_heads) {
    positive("heads", heads).positive("kv_heads", kv_heads);
    if (heads % kv_heads != 0) {
      throw InvalidInput(fmt::format("{}: {}: 'heads' is {}, expected a multiple of 'kv_heads' = {}", where_,
                                     family_, heads, kv_heads));
    }
    return *this;
  }
  Checker& mla(const MlaShape& shape) {
    return positive("heads", shape.heads)
        .positive("kv_lora_rank", shape.kv_lora_rank)
        .positive("rope_head_dim", shape.rope_head_dim)
        .positive("nope_head_dim", shape.nope_head_dim)
        .positive("value_head_dim", shape.value_head_dim);
  }

 private:
  [[noreturn]] void fail(std::string_view name, std::int64_t value, std::string_view expected) const {
    throw InvalidInput(
        fmt::format("{}: {}: '{}' is {}, expected {}", where_, family_, name, value, expected));
  }

  std::string_view where_, family_;
};

void check_struct(Checker& c, const Gemm& op) {
  c.positive("m", op.m).positive("n", op.n).positive("k", op.k).positive("batch", op.batch);
  c.require(std::isfinite(op.weight_copies) && op.weight_copies >= 1, "'weight_copies' must be at least 1");
}
void check_struct(Checker& c, const AttentionPrefill& op) {
  c.heads(op.heads, op.kv_heads).positive("head_dim", op.head_dim).not_negative("window", op.window);
  c.requests(op.requests);
}
void check_struct(Checker& c, const AttentionDecode& op) {
  c.heads(op.heads, op.kv_heads).positive("head_dim", op.head_dim).not_negative("window", op.window);
  c.requests(op.requests);
}
void check_struct(Checker& c, const MlaPrefill& op) { c.mla(op.shape).requests(op.requests); }
void check_struct(Checker& c, const MlaDecode& op) { c.mla(op.shape).requests(op.requests); }
void check_struct(Checker& c, const MlaModule& op) {
  c.mla(op.shape).requests(op.requests);
  c.positive("hidden", op.hidden).not_negative("q_lora_rank", op.q_lora_rank);
}
void check_struct(Checker& c, const FusedMoe& op) {
  c.positive("tokens", op.tokens).positive("hidden", op.hidden).positive("intermediate", op.intermediate);
  c.positive("experts", op.experts).positive("top_k", op.top_k);
  c.positive("tensor_parallel", op.tensor_parallel).positive("expert_parallel", op.expert_parallel);
  c.require(op.top_k <= op.experts, "'top_k' must not exceed 'experts'");
  c.require(op.expert_parallel <= op.experts, "'expert_parallel' must not exceed 'experts'");
  c.require(op.tensor_parallel <= op.intermediate, "'tensor_parallel' must not exceed 'intermediate'");
  c.require(std::isfinite(op.routing_alpha) && op.routing_alpha >= 0 && op.routing_alpha <= 16,
            "'routing_alpha' must be 0 to 16");
}
void check_struct(Checker& c, const RmsNorm& op) {
  c.positive("tokens", op.tokens).positive("width", op.width);
}
void check_struct(Checker& c, const Activation& op) {
  c.positive("tokens", op.tokens).positive("width", op.width);
}
void check_struct(Checker& c, const Elementwise& op) {
  c.positive("rows", op.rows).positive("width", op.width).positive("inputs", op.inputs);
}
void check_struct(Checker& c, const Rope& op) {
  c.positive("tokens", op.tokens).positive("heads", op.heads).positive("kv_heads", op.kv_heads);
  c.positive("head_dim", op.head_dim);
}
void check_struct(Checker& c, const KvWrite& op) {
  c.positive("tokens", op.tokens).positive("kv_heads", op.kv_heads).positive("head_dim", op.head_dim);
}
void check_struct(Checker& c, const Quantize& op) { c.positive("rows", op.rows).positive("width", op.width); }
void check_struct(Checker& c, const Embedding& op) {
  c.positive("tokens", op.tokens).positive("hidden", op.hidden).positive("vocabulary", op.vocabulary);
}
void check_struct(Checker& c, const Sampling& op) {
  c.positive("sequences", op.sequences).positive("vocabulary", op.vocabulary);
}
void check_struct(Checker& c, const LinearAttention& op) {
  c.positive("sequences", op.sequences).positive("tokens_per_sequence", op.tokens_per_sequence);
  c.positive("key_heads", op.key_heads).positive("key_dim", op.key_dim);
  c.positive("value_heads", op.value_heads).positive("value_dim", op.value_dim);
  c.positive("convolution_width", op.convolution_width).positive("state_size", op.state_size);
}
void check_struct(Checker& c, const Collective& op) {
  c.require(std::isfinite(op.size.value()) && op.size.value() > 0, "'size_bytes' must be above 0");
  c.require(op.ranks >= 2 && op.ranks <= 1'000'000, "'ranks' must be at least 2");
  c.not_negative("ranks_per_node", op.ranks_per_node);
  c.not_negative("top_k", op.top_k);
  c.require(std::isfinite(op.token_bytes.value()) && op.token_bytes.value() >= 0,
            "'token_bytes' must be at least 0");
}

}  // namespace

void check_operator(const Operator& op, std::string_view where) {
  Checker checker(where, name_of(family_of(op)));
  std::visit([&checker](const auto& alternative) { check_struct(checker, alternative); }, op);
}

}  // namespace warploom
