#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "warploom/kernels/operator.h"
#include "warploom/kernels/operator_limits.h"
#include "warploom/kernels/work.h"

namespace warploom {
namespace {

// As 1e12.
std::string short_text(double value) {
  std::string text = fmt::format("{:.5g}", value);
  std::erase(text, '+');
  return text;
}

// Checks run before every prediction, so the passing path is comparisons alone.
class Checker {
 public:
  Checker(std::string_view where, std::string_view family) : where_(where), family_(family) {}

  Checker& positive(std::string_view name, std::int64_t value, std::int64_t most = kLargestCount) {
    if (value < 1 || value > most) fail(name, value, 1, most);
    return *this;
  }
  Checker& not_negative(std::string_view name, std::int64_t value, std::int64_t most = kLargestCount) {
    if (value < 0 || value > most) fail(name, value, 0, most);
    return *this;
  }
  // A rows, columns or depth of a product.
  Checker& side(std::string_view name, std::int64_t value) { return positive(name, value, kLargestSide); }
  // `names`: of the factors, as "m x n".
  Checker& product(std::string_view names, std::initializer_list<std::int64_t> factors,
                   double most = kMostElements, std::string_view unit = "elements") {
    double value = 1;
    for (const std::int64_t factor : factors) value *= double(factor);
    return amount(names, value, most, unit);
  }
  Checker& amount(std::string_view names, double value, double most, std::string_view unit) {
    if (!(value <= most)) fail(names, value, most, unit);
    return *this;
  }
  Checker& require(bool holds, std::string_view rule) {
    if (!holds) throw InvalidInput(fmt::format("{}: {}: {}", where_, family_, rule));
    return *this;
  }
  // The requests of attention with `heads` over `kv_heads` of `width` elements.
  Checker& requests(const std::vector<RequestGroup>& groups, std::int64_t heads, std::int64_t kv_heads,
                    double width) {
    require(!groups.empty(), "'requests' is empty, expected at least one group");
    double queries = 0, keys = 0, pairs = 0;
    for (const RequestGroup& group : groups) {
      positive("count", group.count).positive("query_tokens", group.query_tokens);
      not_negative("context_tokens", group.context_tokens);
      product("heads x tokens of a request", {heads, group.kv_tokens()});
      const double count = double(group.count), tokens = double(group.query_tokens);
      queries += count * tokens;
      keys += count * double(group.kv_tokens());
      pairs += count * tokens * double(group.kv_tokens());
    }
    amount("query tokens x heads x width of a head", queries * double(heads) * width, kMostElements,
           "elements");
    amount("tokens x kv_heads x width of a head", keys * double(kv_heads) * width, kMostElements, "elements");
    const double flop = 4 * pairs * double(heads) * width;
    return amount("4 x heads x queries x keys x width of a head", flop, kMostFlop, "FLOP");
  }
  Checker& heads(std::int64_t heads, std::int64_t kv_heads) {
    positive("heads", heads).positive("kv_heads", kv_heads);
    if (heads % kv_heads != 0) {
      throw InvalidInput(fmt::format("{}: {}: 'heads' is {}, expected a multiple of 'kv_heads' = {}", where_,
                                     family_, heads, kv_heads));
    }
    return *this;
  }
  // Keys and values of every head, or in the absorbed form (decode) one latent for all.
  Checker& mla(const MlaShape& shape, const std::vector<RequestGroup>& groups, bool absorbed) {
    positive("heads", shape.heads)
        .positive("kv_lora_rank", shape.kv_lora_rank)
        .positive("rope_head_dim", shape.rope_head_dim)
        .positive("nope_head_dim", shape.nope_head_dim)
        .positive("value_head_dim", shape.value_head_dim);
    const double latent = double(shape.kv_lora_rank + shape.rope_head_dim);
    const double head = double(shape.nope_head_dim + shape.rope_head_dim + shape.value_head_dim);
    return absorbed ? requests(groups, shape.heads, 1, latent + head)
                    : requests(groups, shape.heads, shape.heads, head);
  }

 private:
  [[noreturn]] void fail(std::string_view name, std::int64_t value, std::int64_t least,
                         std::int64_t most) const {
    throw InvalidInput(fmt::format("{}: {}: '{}' is {}, expected {} to {}", where_, family_, name, value,
                                   least, short_text(double(most))));
  }
  [[noreturn]] void fail(std::string_view names, double value, double most, std::string_view unit) const {
    throw InvalidInput(fmt::format("{}: {}: '{}' is {} {}, expected at most {}", where_, family_, names,
                                   short_text(value), unit, short_text(most)));
  }

  std::string_view where_, family_;
};

void check_struct(Checker& c, const Gemm& op) {
  c.side("m", op.m).side("n", op.n).side("k", op.k).positive("batch", op.batch);
  c.product("m x n x batch", {op.m, op.n, op.batch});
  c.product("m x k x batch", {op.m, op.k, op.batch});
  c.product("n x k x batch", {op.n, op.k, op.batch});
  c.require(op.weight_copies >= 1 && op.weight_copies <= kMostWeightCopies,
            "'weight_copies' must be 1 to 1e6");
}
template <class Attention>
void check_attention(Checker& c, const Attention& op) {
  c.heads(op.heads, op.kv_heads).positive("head_dim", op.head_dim).not_negative("window", op.window);
  c.requests(op.requests, op.heads, op.kv_heads, double(op.head_dim));
}
void check_struct(Checker& c, const AttentionPrefill& op) { check_attention(c, op); }
void check_struct(Checker& c, const AttentionDecode& op) { check_attention(c, op); }
void check_struct(Checker& c, const MlaPrefill& op) { c.mla(op.shape, op.requests, false); }
void check_struct(Checker& c, const MlaDecode& op) { c.mla(op.shape, op.requests, true); }
void check_struct(Checker& c, const MlaModule& op) {
  c.mla(op.shape, op.requests, op.decode);
  c.side("hidden", op.hidden).not_negative("q_lora_rank", op.q_lora_rank, kLargestSide);
  const MlaShape& s = op.shape;
  const double widest = double(s.nope_head_dim + s.rope_head_dim + s.value_head_dim);
  c.amount("heads x width of a head", double(s.heads) * widest, double(kLargestSide), "columns");
  c.side("kv_lora_rank", s.kv_lora_rank);
  const MlaProjections projections = mla_projections(op);
  for (std::size_t i = 0; i < projections.size; ++i) check_struct(c, projections.products[i]);
}
void check_struct(Checker& c, const FusedMoe& op) {
  c.side("tokens", op.tokens).side("hidden", op.hidden).side("intermediate", op.intermediate);
  c.positive("experts", op.experts, kMostExperts).positive("top_k", op.top_k);
  c.positive("tensor_parallel", op.tensor_parallel).positive("expert_parallel", op.expert_parallel);
  c.require(op.top_k <= op.experts, "'top_k' must not exceed 'experts'");
  c.require(op.expert_parallel <= op.experts, "'expert_parallel' must not exceed 'experts'");
  c.require(op.tensor_parallel <= op.intermediate, "'tensor_parallel' must not exceed 'intermediate'");
  c.product("experts x top_k", {op.experts, op.top_k}, kMostExpertChoices, "choices");
  c.product("experts x hidden x intermediate", {op.experts, op.hidden, op.intermediate});
  c.product("tokens x top_k x hidden", {op.tokens, op.top_k, op.hidden});
  c.product("tokens x top_k x intermediate", {op.tokens, op.top_k, op.intermediate});
  c.require(op.routing_alpha >= 0 && op.routing_alpha <= 16, "'routing_alpha' must be 0 to 16");
}
void check_struct(Checker& c, const RmsNorm& op) {
  c.positive("tokens", op.tokens).positive("width", op.width);
  c.product("tokens x width", {op.tokens, op.width});
}
void check_struct(Checker& c, const Activation& op) {
  c.positive("tokens", op.tokens).positive("width", op.width);
  c.product("tokens x width", {op.tokens, op.width});
}
void check_struct(Checker& c, const Elementwise& op) {
  c.positive("rows", op.rows).positive("width", op.width).positive("inputs", op.inputs, kMostInputs);
  c.product("rows x width", {op.rows, op.width});
}
void check_struct(Checker& c, const Rope& op) {
  c.positive("tokens", op.tokens).positive("heads", op.heads).positive("kv_heads", op.kv_heads);
  c.positive("head_dim", op.head_dim);
  c.product("tokens x (heads + kv_heads) x head_dim", {op.tokens, op.heads + op.kv_heads, op.head_dim});
}
void check_struct(Checker& c, const KvWrite& op) {
  c.positive("tokens", op.tokens).positive("kv_heads", op.kv_heads).positive("head_dim", op.head_dim);
  c.product("tokens x kv_heads x head_dim", {op.tokens, op.kv_heads, op.head_dim});
}
void check_struct(Checker& c, const Quantize& op) {
  c.positive("rows", op.rows).positive("width", op.width);
  c.product("rows x width", {op.rows, op.width});
}
void check_struct(Checker& c, const Embedding& op) {
  c.positive("tokens", op.tokens).positive("hidden", op.hidden).positive("vocabulary", op.vocabulary);
  c.product("tokens x hidden", {op.tokens, op.hidden});
  c.product("vocabulary x hidden", {op.vocabulary, op.hidden});
}
void check_struct(Checker& c, const Sampling& op) {
  c.positive("sequences", op.sequences).positive("vocabulary", op.vocabulary);
  c.product("sequences x vocabulary", {op.sequences, op.vocabulary});
}
void check_struct(Checker& c, const LinearAttention& op) {
  c.positive("sequences", op.sequences).positive("tokens_per_sequence", op.tokens_per_sequence);
  c.positive("key_heads", op.key_heads).positive("key_dim", op.key_dim);
  c.positive("value_heads", op.value_heads).positive("value_dim", op.value_dim);
  c.positive("convolution_width", op.convolution_width).positive("state_size", op.state_size);
  c.product("key_heads x key_dim", {op.key_heads, op.key_dim});
  c.product("value_heads x value_dim", {op.value_heads, op.value_dim});
  const double tokens = double(op.sequences) * double(op.tokens_per_sequence);
  const double keys = double(op.key_heads) * double(op.key_dim);
  const double values = double(op.value_heads) * double(op.value_dim);
  c.amount("tokens x channels", tokens * (2 * keys + values), kMostElements, "elements");
  c.amount("channels x convolution_width", (2 * keys + values) * double(op.convolution_width), kMostElements,
           "elements");
  const double state = values * double(std::max(op.key_dim, op.state_size));
  c.amount("sequences x value_heads x value_dim x width of the state", double(op.sequences) * state,
           kMostElements, "elements");
  c.amount("4 x tokens x value_heads x value_dim x width of the state", 4 * tokens * state, kMostFlop,
           "FLOP");
}
void check_struct(Checker& c, const Collective& op) {
  c.require(op.size.value() > 0 && op.size.value() <= kMostCollectiveBytes,
            "'size_bytes' must be above 0 and at most 1e15");
  c.require(op.ranks >= 2 && op.ranks <= kMostRanks, "'ranks' must be 2 to 1e6");
  c.not_negative("ranks_per_node", op.ranks_per_node, kMostRanks);
  c.not_negative("top_k", op.top_k, kMostRanks);
  c.require(op.token_bytes.value() >= 0 && op.token_bytes.value() <= kMostTokenBytes,
            "'token_bytes' must be 0 to 1e9");
  const auto from_to = [](const auto& value, double least, double most) {
    return !value || (*value >= least && *value <= most);
  };
  const std::optional<double> nic = op.nic_rate ? std::optional(op.nic_rate->value()) : std::nullopt;
  c.require(from_to(nic, kSlowestNic, kFastestNic), "'nic_gb_s' must be 0.01 to 10000");
  c.require(!op.nics_per_node || (*op.nics_per_node >= 1 && *op.nics_per_node <= kMostNics),
            "'nics_per_node' must be 1 to 1024");
  c.require(from_to(op.oversubscription, 1, kMostOversubscription), "'oversubscription' must be 1 to 1000");
}

}  // namespace

void check_operator(const Operator& op, std::string_view where) {
  Checker checker(where, name_of(family_of(op)));
  std::visit([&checker](const auto& alternative) { check_struct(checker, alternative); }, op);
}

}  // namespace warploom
