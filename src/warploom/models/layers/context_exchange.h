// What context parallelism exchanges around attention: queries to those that hold other tokens, their results
// with the logarithms of their sums back (vLLM's cp_lse_ag_out_rs), or keys and values where there are more
// queries than those.
#pragma once

#include <cstdint>

#include "warploom/models/layers/layer_place.h"
#include "warploom/models/request_operators.h"

namespace warploom {

// Elements of one token on one GPU.
struct ExchangedSizes {
  std::int64_t heads = 0;          // of queries
  double query = 0, output = 0;    // of one head
  double keys_and_values = 0;      // of all heads
  bool prompts_gather_kv = false;  // prompts gather what is cached, whatever the ranks
  std::int64_t chosen = 0;  // tokens that an indexer chooses of each rank's, to choose among them again
};

// Nothing where one GPU holds all tokens of a request.
void add_context_exchange(RequestOperators& plan, const LaunchedLayer& layer, const ExchangedSizes& sizes,
                          bool decode);

}  // namespace warploom
