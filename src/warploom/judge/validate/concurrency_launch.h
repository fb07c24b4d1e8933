// How the engines of published fixed-concurrency benchmarks were started: the entries of
// data/benchmarks/concurrency_launches.json, each with its source, and with what was inferred where no script
// is known.
//
// An entry has "when" (see row_condition.h) and any of
//   "set"          fields of ServingConfig; a number may be {"of": Q, "at_least": N} with Q "concurrency",
//                  "one_prompt_and_decodes", "prompt_and_output" or "prompt_and_1500"; null gives the field
//                  back to the engine's default
//   "range_ratio"  lengths are drawn evenly from this share of the stated ones up to them
//   "front_ends"   event loops that take requests in, where prefill and decode are apart; else one
//   "experts"      "whole": expert parallelism over all GPUs, whatever the row says
//   "prefill", "decode"  of the engines of one pool, where prefill and decode are apart: "set" as above, and
//                  "attention": "data_parallel" where every GPU of the stated tensor parallelism serves
//                  requests of its own
// Entries are applied in the order of the file, so that later ones overrule earlier ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/base/units.h"
#include "warploom/judge/validate/concurrency_truth.h"
#include "warploom/judge/validate/row_condition.h"
#include "warploom/serving/config/serving_config.h"

namespace warploom {

// The engines of one pool.
struct LaunchedPool {
  ServingConfig config;                  // engine and limits; no parallelism
  bool attention_data_parallel = false;  // over the GPUs of the stated tensor parallelism
};

struct ConcurrencyLaunch {
  LaunchedPool engine;           // which does both
  LaunchedPool prefill, decode;  // where they are apart
  bool experts_whole = false;    // expert parallelism over all GPUs, whatever the row says
  std::int64_t front_ends = 1;   // event loops that take requests in, where pools are apart
  double range_ratio = 1.0;      // lengths are drawn evenly from this share of the stated ones up to them
};

// The checkpoint that a row ran, since the one it names is stored otherwise: assumed, or named by its script.
struct AssumedCheckpoint {
  std::string model;                    // another model of the catalog; empty: the row's own, but for
  std::optional<MatmulScheme> experts;  // the routed experts
  std::optional<MatmulScheme> linears;  // or every linear layer
  bool stated = false;                  // a public script names it: nothing is assumed
  std::string words;                    // for people: what is assumed
};

class ConcurrencyLaunches {
 public:
  // Throws InvalidInput on a document that is not of the schema, or sets what ServingConfig does not have.
  explicit ConcurrencyLaunches(const Json& document);

  ConcurrencyLaunch launch_of(const ConcurrencyTruth& row) const;
  std::optional<AssumedCheckpoint> checkpoint_of(const ConcurrencyTruth& row) const;

 private:
  struct EntryOfPool {
    std::string fields = "{}";
    bool attention_data_parallel = false;
  };
  struct Entry {
    RowCondition when;
    std::string fields;  // JSON of "set"
    EntryOfPool prefill, decode;
    std::optional<double> range_ratio;
    std::optional<std::int64_t> front_ends;
    bool experts_whole = false;
  };
  struct Checkpoint {
    RowCondition when;
    AssumedCheckpoint assumed;
  };
  std::vector<Entry> entries_;
  std::vector<Checkpoint> checkpoints_;
};

// The launches of the built-in file.
const ConcurrencyLaunches& concurrency_launches();
ConcurrencyLaunch launch_of(const ConcurrencyTruth& row);

}  // namespace warploom
