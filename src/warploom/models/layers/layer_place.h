// Where one layer stands: in which model, on which share of it, in which engine's graph.
#pragma once

#include <cstdint>

#include "warploom/models/graph_options.h"
#include "warploom/models/sharding.h"

namespace warploom {

// How each group of matrices of a layer is stored and multiplied. Routers, embeddings, lm_head and norms keep
// the model's own type.
struct LayerSchemes {
  MatmulScheme attention_input = MatmulScheme::Bf16;   // q, k, v or the low-rank MLA projections
  MatmulScheme attention_output = MatmulScheme::Bf16;  // o_proj
  MatmulScheme mlp = MatmulScheme::Bf16;               // dense gate, up and down
  MatmulScheme experts = MatmulScheme::Bf16;           // routed experts
  MatmulScheme shared_experts = MatmulScheme::Bf16;
  bool operator==(const LayerSchemes&) const = default;
  static FieldTable describe();
};

// The rows, each of a token and one of its experts, that a GPU of a mixture has room for in a step.
enum class ExpertRows {
  OfAllGroups,   // those of every group's tokens: collectives bring all of them
  OfOwnExperts,  // as many as on every other GPU, where an exchange brings what is for it alone
  Reserved,      // of each of its experts all groups' tokens, as DeepEP's low-latency kernels lay them out
  Elsewhere,     // in a buffer that is counted by itself (mega_moe_buffer.h)
};

// What a layer's sizes on one GPU follow from, beside its own.
struct LayerPlace {
  std::int64_t hidden = 0;
  DataType dtype = DataType::Bf16;  // the model's own
  const Sharding& sharding;
  DataType kv_cache = DataType::Bf16;
  ExpertRows expert_rows = ExpertRows::OfAllGroups;
};

// `count` alike layers whose operators are launched.
struct LaunchedLayer : LayerPlace {
  const GraphOptions& options;
  std::int64_t count = 1;
  LayerSchemes schemes;
};

// The scheme of matrices kept in the model's own type.
MatmulScheme plain_scheme(DataType dtype);

}  // namespace warploom
