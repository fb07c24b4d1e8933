// What drafts beside a target model: the layers of a pass, what joins them to the target's states, and how
// many passes a step takes.
#pragma once

#include <cstdint>
#include <optional>

#include "warploom/base/units.h"
#include "warploom/models/architecture.h"
#include "warploom/models/draft_config.h"
#include "warploom/models/graph_options.h"
#include "warploom/models/scaled_operators.h"
#include "warploom/models/sharding.h"

namespace warploom {

// The product that makes the drafter's input of the target's states, whole on every GPU.
struct DraftFusion {
  std::int64_t width = 0;   // that goes in; 0: there is none
  bool every_pass = false;  // a pass over a proposed token joins its embedding too; else once in a step
};

// A pass that drafts all tokens at once. The drafter's layers take keys and values of the context from the
// fused states, by products over the step's tokens, and run over the block alone.
struct DraftBlock {
  bool anchored = true;          // the block is the sure token and a mask for each draft but the first; else
                                 // for each draft
  std::int64_t trained = 0;      // tokens that it was trained to draft at once; 0: not said
  std::int64_t markov_rank = 0;  // of a bias by the token before, one token after another; 0: none
  bool confidence = false;       // a head that says how sure each draft is: its weights are kept
  // Tokens of a request in the pass.
  std::int64_t queries(std::int64_t steps) const { return anchored ? steps : steps + 1; }
};

struct Drafter {
  ModelArchitecture model;  // the layers of a pass; the vocabulary is that of its lm_head
  DraftFusion fusion;
  std::optional<DraftBlock> block;  // absent: one token after another
  bool own_embeddings = false;      // a table of its own; else the target's
  std::int64_t read_vocabulary = 0;
  bool own_lm_head = false;
  std::int64_t modules = 1;  // copies of which an engine keeps weights and caches, whichever a step runs
  bool whole = false;        // `model` is a model for itself: nothing of it is the target's
};

// Operators beside those of the drafter's layers: over the step's tokens, and over the tokens of each pass of
// `steps` drafts.
struct DraftOperators {
  ScaledOperators each_step, each_pass;
};
DraftOperators draft_operators(const Drafter& drafter, const Sharding& sharding, const GraphOptions& options,
                               std::int64_t steps);

// What one GPU holds of the drafter, all its modules.
Bytes draft_weights(const Drafter& drafter, const Sharding& sharding);

// Parts of drafters that several methods share.

// A dense MLP as wide as the target's widest, for layers of a mixture that have none.
DenseMlp dense_beside_experts(const ModelArchitecture& target);
// The target's last layer that keeps something of each token, as the one layer of a drafter.
Drafter one_layer_of(const ModelArchitecture& target, std::string_view method, const LayerGroup& layer);
// The target's last layer with a dense MLP and nothing quantised: EAGLE's heads are dense, whatever the
// target is.
LayerGroup dense_last_layer(const ModelArchitecture& target);
// A drafter of its own config.json; the fusion joins `states` of the target's.
Drafter drafter_of(const DraftConfig& own, const ModelArchitecture& target, std::int64_t states);

}  // namespace warploom
