// The checks that families make of their operators: each a line of the family's `check`.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "warploom/kernels/operator.h"
#include "warploom/kernels/operator_limits.h"

namespace warploom {

// Checks run before every prediction, so the passing path is comparisons alone.
class OperatorChecker {
 public:
  OperatorChecker(std::string_view where, std::string_view family) : where_(where), family_(family) {}

  OperatorChecker& positive(std::string_view name, std::int64_t value, std::int64_t most = kLargestCount) {
    if (value < 1 || value > most) fail(name, value, 1, most);
    return *this;
  }
  OperatorChecker& not_negative(std::string_view name, std::int64_t value,
                                std::int64_t most = kLargestCount) {
    if (value < 0 || value > most) fail(name, value, 0, most);
    return *this;
  }
  // A rows, columns or depth of a product.
  OperatorChecker& side(std::string_view name, std::int64_t value) {
    return positive(name, value, kLargestSide);
  }
  // `names`: of the factors, as "m x n".
  OperatorChecker& product(std::string_view names, std::initializer_list<std::int64_t> factors,
                           double most = kMostElements, std::string_view unit = "elements") {
    double value = 1;
    for (const std::int64_t factor : factors) value *= double(factor);
    return amount(names, value, most, unit);
  }
  OperatorChecker& amount(std::string_view names, double value, double most, std::string_view unit) {
    if (!(value <= most)) fail(names, value, most, unit);
    return *this;
  }
  OperatorChecker& require(bool holds, std::string_view rule) {
    if (!holds) fail(rule);
    return *this;
  }
  // The requests of attention with `heads` over `kv_heads` of `width` elements.
  OperatorChecker& requests(const std::vector<RequestGroup>& groups, std::int64_t heads,
                            std::int64_t kv_heads, double width) {
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
  // A product, whose weights rotate.
  OperatorChecker& gemm(const Gemm& op) {
    side("m", op.m).side("n", op.n).side("k", op.k).positive("batch", op.batch);
    product("m x n x batch", {op.m, op.n, op.batch});
    product("m x k x batch", {op.m, op.k, op.batch});
    product("n x k x batch", {op.n, op.k, op.batch});
    return require(op.weight_copies >= 1 && op.weight_copies <= kMostWeightCopies,
                   "'weight_copies' must be 1 to 1e6");
  }
  OperatorChecker& heads(std::int64_t heads, std::int64_t kv_heads) {
    positive("heads", heads).positive("kv_heads", kv_heads);
    if (heads % kv_heads != 0) fail_heads(heads, kv_heads);
    return *this;
  }
  // Keys and values of every head, or in the absorbed form (decode) one latent for all.
  OperatorChecker& mla(const MlaShape& shape, const std::vector<RequestGroup>& groups, bool absorbed) {
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
                         std::int64_t most) const;
  [[noreturn]] void fail(std::string_view names, double value, double most, std::string_view unit) const;
  [[noreturn]] void fail(std::string_view rule) const;
  [[noreturn]] void fail_heads(std::int64_t heads, std::int64_t kv_heads) const;

  std::string_view where_, family_;
};

}  // namespace warploom
