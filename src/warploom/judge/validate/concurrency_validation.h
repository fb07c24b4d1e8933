// Published benchmarks at fixed concurrency against simulated ones: what `validate concurrency` finds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/app/runs/comparison.h"
#include "warploom/app/serving/simulate_request.h"
#include "warploom/base/fields.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// Judged cells make the headline; the others are reported apart.
enum class CellGroup {
  Judged,
  SetAside,           // a rule does not believe the row
  Repeat,             // the same measurement as an earlier row, rounded
  AssumedCheckpoint,  // the row names a checkpoint that is stored otherwise than it says it ran
  Disaggregated,      // prefill and decode apart
  Speculative         // its sweep fits with drafted tokens alone
};
template <>
struct EnumNames<CellGroup> {
  static constexpr std::array<std::pair<CellGroup, std::string_view>, 6> kNames{
      {{CellGroup::Judged, "judged"},
       {CellGroup::SetAside, "set_aside"},
       {CellGroup::Repeat, "repeat"},
       {CellGroup::AssumedCheckpoint, "assumed_checkpoint"},
       {CellGroup::Disaggregated, "disaggregated"},
       {CellGroup::Speculative, "speculative"}}};
};

// What a row is taken to have drafted.
struct AssumedDrafts {
  std::int64_t tokens = 0;       // proposed in a step; 0: none
  double acceptance_length = 1;  // mean tokens that a verifying step yields
};

struct ConcurrencyCell {
  std::string id, backend, version, model, gpu, quantization;
  std::string expert_routing;  // of a mixture of experts; else empty
  std::int64_t tp = 1, concurrency = 1, input_tokens = 1, output_tokens = 1, requests = 0;
  std::int64_t prefill_workers = 0, decode_workers = 0;  // 0: one engine does both
  Comparison ttft, tpot;                                 // ms, at the client
  double engine_ttft = 0;                                // ms, predicted, from the engine's queue
  CellGroup group = CellGroup::Judged;
  std::string excluded_by;                        // the rule that sets the row or its TTFT aside
  std::string checkpoint;                         // what is assumed of the checkpoint; empty: nothing
  bool judges_ttft = true;                        // false: the TTFT of this row is in no judged median
  bool ttft_fitted = false, tpot_fitted = false;  // a constant was set with this figure's error in view
  std::int64_t preemptions = 0;
  Tier tier = Tier::Roofline;
  AssumedDrafts drafts;
  // Where ValidateConcurrencyRequest::commands asks for it: what `simulate` answers alike. Absent where a
  // part of it has no field there; `not_asked` names that.
  std::optional<SimulateRequest> asked;
  std::string not_asked;
};

struct DroppedRows {
  std::string reason;
  std::int64_t rows = 0;
};

// A rule of data/benchmarks/concurrency_exclusions.json and the rows it matched.
struct ExcludedRows {
  std::string rule, kind, reason, source;
  std::int64_t rows = 0;
  bool ttft_alone = false;
};

// A rule of data/benchmarks/concurrency_fits.json and the judged cells it names.
struct FittedCells {
  std::string name, fitted, source;
  bool ttft = false, tpot = false, everywhere = false;
  std::int64_t cells = 0;
};

// A sweep over the number of requests that fits with drafted tokens alone.
struct SpeculativeSweep {
  struct Point {
    std::string id;
    std::int64_t concurrency = 0;
    double plain_ratio = 0;  // measured TPOT over the prediction without drafts
    bool fitted = false;     // the fit saw it; else it is judged
  };
  std::string name;
  AssumedDrafts drafts;
  std::vector<Point> points;
};

struct ConcurrencyValidation {
  std::int64_t rows = 0;                 // read
  std::vector<DroppedRows> dropped;      // not judged in the headline, in the order of the filters
  std::vector<ExcludedRows> exclusions;  // every rule, those without a row too
  std::int64_t corrected = 0;            // rows whose parallelism was put right
  std::string corrections;
  std::vector<FittedCells> fits;
  std::string speculation_rule;  // by which the sweeps below are found
  std::vector<SpeculativeSweep> speculation;
  std::vector<ConcurrencyCell> cells;        // judged
  std::vector<ConcurrencyCell> other_cells;  // of the other groups
};

}  // namespace warploom
