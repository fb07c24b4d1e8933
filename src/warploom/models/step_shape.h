// The tokens of one forward pass of one engine rank.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/base/divide_up.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// prefill: chunks of prompts; decode: requests with one new token each (more when verifying drafts).
struct StepShape {
  std::vector<RequestGroup> prefill;
  std::vector<RequestGroup> decode;
  std::int64_t logits_rows = 0;   // rows that enter lm_head: requests that yield a token in this step
  std::int64_t group_tokens = 0;  // tokens of all attention-data-parallel ranks; 0: as many on each as here

  static std::int64_t tokens_of(const std::vector<RequestGroup>& groups) {
    std::int64_t total = 0;
    for (const RequestGroup& group : groups) total += group.count * group.query_tokens;
    return total;
  }
  static std::int64_t requests_of(const std::vector<RequestGroup>& groups) {
    std::int64_t total = 0;
    for (const RequestGroup& group : groups) total += group.count;
    return total;
  }
  std::int64_t tokens() const { return tokens_of(prefill) + tokens_of(decode); }
  // Tokens that one GPU computes when so many groups share out prompts and decoding requests.
  std::int64_t rank_tokens(std::int64_t prefill_context_parallel) const {
    return divide_up(tokens_of(prefill), prefill_context_parallel) +
           divide_up(tokens_of(decode), prefill_context_parallel);
  }
  std::int64_t requests() const { return requests_of(prefill) + requests_of(decode); }

  // `count` whole prompts of `tokens` after `context` cached tokens, each yielding its first token. A prompt
  // of one token is a decode step, as engines run it.
  static StepShape whole_prompts(std::int64_t count, std::int64_t tokens, std::int64_t context = 0) {
    if (tokens == 1) return one_token_each(count, context);
    return {{{count, tokens, context}}, {}, count, 0};
  }
  // One new token for each of `count` requests with `context` tokens in the cache.
  static StepShape one_token_each(std::int64_t count, std::int64_t context) {
    return {{}, {{count, 1, context}}, count, 0};
  }
};

}  // namespace warploom
