// Use case `tune plan`: which configurations to time at which shapes.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "warploom/app/tune/tune_method.h"
#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/tuner/anchor_plan.h"

namespace warploom {

// All anchors at once, or in two rounds, of which the second drops configurations that cannot win.
enum class AnchorRound { All, First, Second };
template <>
struct EnumNames<AnchorRound> {
  static constexpr std::array<std::pair<AnchorRound, std::string_view>, 3> kNames{
      {{AnchorRound::All, "all"}, {AnchorRound::First, "first"}, {AnchorRound::Second, "second"}}};
};

struct TunePlanRequest {
  TuneMethod method = TuneMethod::Warploom;  // wavetune: ends of waves, all at once
  TileKernel kernel;
  std::string gpu;
  FileScope files = FileScope::machine();  // where names may be paths
  AnchorRound round = AnchorRound::All;
  std::vector<std::filesystem::path> samples;  // second round: what the first measured
  std::vector<std::int32_t> split_k;           // gemm: also configurations whose loop has so many parts
  bool narrow_rows = false;                    // products: also rows that wide loads cannot read
  std::filesystem::path output;  // CSV: bm, bn, bk, warps, stages, m, n, k, split_k last where given; or none
  static FieldTable describe();
};

struct TunePlanResult {
  std::size_t configs = 0, rows = 0, shapes = 0;
};

// Throws NotFound (unknown GPU), InvalidInput (no legal configuration; rounds of the method wavetune),
// IoError.
// Samples ask for the second round. Throws InvalidInput also as check_kernel_scope.
TunePlanResult tune_plan(const TunePlanRequest& request);
// The anchors of the published wave model; outside warploom-judge throws JudgingElsewhere.
std::vector<AnchorRow> published_anchors(const TileKernel& kernel, const TileGpu& gpu,
                                         const std::vector<TileConfig>& space);
// The round that the request names, of a kernel that was checked before.
TunePlanResult write_anchors(const TunePlanRequest& request);

}  // namespace warploom
