// Requests of attention that are all alike, in the three numbers by which people say them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// The request groups of an attention operator; nullptr: it has none.
std::vector<RequestGroup>* requests_of(Operator& op);
// Whether its requests have one new token each unless it is said otherwise.
bool decodes(const Operator& op);

struct AlikeRequests {
  std::optional<std::int64_t> batch;    // how many requests
  std::optional<std::int64_t> tokens;   // new ones of each
  std::optional<std::int64_t> context;  // that each has in the cache
  bool any() const { return batch || tokens || context; }
  static FieldTable describe();
};

// What the field of AlikeRequests is called in a RequestGroup; empty: it is none.
std::string_view group_field(std::string_view alike);

// The one group that they are: one request, no context and, where `op` decodes, one new token unless it is
// said otherwise. `listed`: whether the groups were given one by one; then nothing. Throws InvalidInput
// "<where>: ..." when both or neither were given, tokens are missing, or a number is out of range.
std::optional<RequestGroup> alike_group(const Operator& op, const AlikeRequests& alike, bool listed,
                                        std::string_view where);

}  // namespace warploom
