// Which rows a leave-out run learns from and judges.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/predictor/training/few_shot_shapes.h"

namespace warploom {

enum class LeaveOutKind { Gpu, Generation, Model, Shape, Version };
constexpr bool is_by_gpu(LeaveOutKind kind) {
  return kind == LeaveOutKind::Gpu || kind == LeaveOutKind::Generation;
}
// Throws InvalidInput on another name.
LeaveOutKind leave_out_kind(std::string_view name);

// An even sample of one family.
struct FamilyRows {
  Family family = Family::Gemm;
  Dataset data;
  std::vector<std::string> gpus;                           // with enough rows in all to be left out
  std::vector<std::pair<std::string, std::size_t>> small;  // GPUs with too few, and their rows
  // Engine and version ("vllm 0.31.0") with enough rows in all, of engines that have another version too.
  std::vector<std::string> versions;
};

// At most about `rows_per_gpu` rows of each GPU to learn from, as many again of held-out shapes to be judged,
// and every row of the shapes that few-shot training would choose `few_shot` from. GPUs with fewer than
// `fewest_rows` rows are not left out on their own. For versions the sample keeps a shape in all versions of
// a GPU or in none: what tells whether versions behave alike is equal shapes.
FamilyRows sample_family(const Dataset& dataset, Family family, LeaveOutKind kind, std::int64_t rows_per_gpu,
                         std::int64_t few_shot, FewShotPer per = FewShotPer::Family,
                         std::int64_t fewest_rows = 1000);

struct LeaveOutGroup {
  std::string name;
  std::set<std::string> gpus;         // left out; empty when models are
  std::vector<std::uint32_t> kept;    // rows to train on; empty: all
  std::vector<std::uint32_t> judged;  // at most about `judged_rows` of each GPU
  // Held-out rows that the rule launch_bound keeps from being judged, thinned as `judged` is.
  std::vector<std::uint32_t> launch_bound;
};

// In order of name. Models are left out in six folds; shapes as the one group that no training ever sees; of
// a version every row, so that nothing of it reaches trees, offsets, intervals or what versions share.
std::vector<LeaveOutGroup> leave_out_groups(const FamilyRows& rows, const GpuCatalog& catalog,
                                            LeaveOutKind kind, std::int64_t judged_rows);

// Names as a user writes them as the groups have them. Throws NotFound on an unknown GPU or a version that
// `versions` has not, InvalidInput on an unknown generation or fold.
std::set<std::string> left_out_names(const std::vector<std::string>& names, LeaveOutKind kind,
                                     const GpuCatalog& catalog, const std::vector<std::string>& versions);
// Engine and version of each row, in order of name.
std::vector<std::string> versions_of(const Dataset& dataset);

}  // namespace warploom
