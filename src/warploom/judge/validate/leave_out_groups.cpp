#include "warploom/judge/validate/leave_out_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/nearest_name.h"
#include "warploom/measurements/splits.h"
#include "warploom/predictor/features/features.h"
#include "warploom/predictor/training/few_shot_shapes.h"

namespace warploom {
namespace {

constexpr std::uint32_t kModelFolds = 6;
constexpr std::uint64_t kSampleSeed = 41;
constexpr std::string_view kNewShapes = "new shapes";

std::string version_name(const KernelContext& context) {
  return fmt::format("{} {}", context.framework, context.version);
}

// Fixed by shape, GPU and context.
double row_position(const Dataset& data, std::uint32_t r, std::uint64_t seed) {
  const KernelContext context = data.context(r);
  const std::uint64_t place = hash_combine(hash_bytes(data.gpu(r)), hash_bytes(context.framework));
  const std::uint64_t kernel = hash_combine(hash_bytes(context.version), hash_bytes(context.kernel));
  return hash_position(hash_combine(hash_combine(hash_combine(seed, data.shape(r)), place), kernel));
}

// Fixed by shape and GPU: equal for all versions.
double shape_on_gpu(const Dataset& data, std::uint32_t r, std::uint64_t seed) {
  return hash_position(hash_combine(hash_combine(seed, data.shape(r)), hash_bytes(data.gpu(r))));
}

// The rows of each GPU, thinned to about `most` of as many as `like` has.
std::vector<std::uint32_t> thin_by_gpu(const Dataset& data, const std::vector<std::uint32_t>& rows,
                                       const std::vector<std::uint32_t>& like, std::size_t most,
                                       std::uint64_t seed, bool same_shapes = false) {
  const RowGroup gpu = [&](std::uint32_t r) { return data.gpu_index(r); };
  return thin_by_group(
      rows, gpu, count_by_group(like, gpu, data.gpus().size()),
      [&](std::uint32_t r) { return (same_shapes ? shape_on_gpu : row_position)(data, r, seed); }, most);
}

// Engines that have another version too, those with enough rows.
std::vector<std::string> versions_to_leave_out(const Dataset& data, const std::vector<std::uint32_t>& rows,
                                               std::int64_t fewest_rows) {
  std::map<std::string, std::map<std::string, std::int64_t>> engines;
  for (const std::uint32_t r : rows) {
    const KernelContext context = data.context(r);
    ++engines[std::string(context.framework)][version_name(context)];
  }
  std::vector<std::string> names;
  for (const auto& [engine, versions] : engines)
    for (const auto& [name, count] : versions)
      if (versions.size() > 1 && count >= fewest_rows) names.push_back(name);
  return names;
}

// A group for each version: its rows apart from all others, those of held-out shapes judged.
std::map<std::string, LeaveOutGroup> version_groups(const FamilyRows& rows) {
  std::map<std::string, LeaveOutGroup> groups;
  const Dataset& data = rows.data;
  const ShapeSplit split;
  for (const std::string& version : rows.versions) {
    LeaveOutGroup& group = groups[version];
    for (std::uint32_t r = 0; r < data.size(); ++r)
      if (version_name(data.context(r)) != version)
        group.kept.push_back(r);
      else if (split.is_test(data.shape(r)))
        (data.marks(r).launch_bound ? group.launch_bound : group.judged).push_back(r);
  }
  return groups;
}

std::string fold_name(std::uint32_t fold) { return fmt::format("fold {}", fold + 1); }

}  // namespace

LeaveOutKind leave_out_kind(std::string_view name) {
  if (name == "gpu") return LeaveOutKind::Gpu;
  if (name == "generation") return LeaveOutKind::Generation;
  if (name == "model") return LeaveOutKind::Model;
  if (name == "shape") return LeaveOutKind::Shape;
  if (name == "version") return LeaveOutKind::Version;
  throw InvalidInput(
      fmt::format("leave_out: '{}' is unknown, expected gpu, generation, model, shape or version", name));
}

FamilyRows sample_family(const Dataset& dataset, Family family, LeaveOutKind kind, std::int64_t rows_per_gpu,
                         std::int64_t few_shot, FewShotPer per, std::int64_t fewest_rows) {
  const ShapeSplit split;
  std::vector<std::uint32_t> learn, judged;
  std::vector<std::size_t> counts(dataset.gpus().size(), 0);
  std::vector<std::vector<std::uint32_t>> by_gpu(dataset.gpus().size());
  for (const std::uint32_t r : dataset.rows_of(family)) {
    const Marks marks = dataset.marks(r);
    if (marks.biased || marks.source_test) continue;
    ++counts[dataset.gpu_index(r)];
    const bool held_out = split.is_test(dataset.shape(r));
    (held_out ? judged : learn).push_back(r);
    if (few_shot > 0 && !held_out) by_gpu[dataset.gpu_index(r)].push_back(r);
  }
  std::vector<bool> keep(dataset.size(), false);
  const bool versions = kind == LeaveOutKind::Version;
  for (const std::uint32_t r :
       thin_by_gpu(dataset, learn, learn, std::size_t(rows_per_gpu), kSampleSeed, versions))
    keep[r] = true;
  if (kind != LeaveOutKind::Model)
    for (const std::uint32_t r :
         thin_by_gpu(dataset, judged, judged, std::size_t(rows_per_gpu), kSampleSeed, versions))
      keep[r] = true;
  for (const std::vector<std::uint32_t>& of_gpu : by_gpu) {
    const std::set<std::uint64_t> few = few_shot_candidates(dataset, of_gpu, few_shot, per);
    for (const std::uint32_t r : of_gpu)
      if (few.contains(dataset.shape(r))) keep[r] = true;
  }
  FamilyRows rows;
  rows.family = family;
  rows.data = dataset.subset(dataset.rows_where([&](std::size_t r) { return keep[r]; }));
  for (std::size_t g = 0; g < counts.size(); ++g)
    if (std::int64_t(counts[g]) >= fewest_rows)
      rows.gpus.push_back(dataset.gpus()[g]);
    else if (counts[g] > 0)
      rows.small.emplace_back(dataset.gpus()[g], counts[g]);
  std::sort(rows.small.begin(), rows.small.end());
  std::sort(rows.gpus.begin(), rows.gpus.end());
  if (versions) {
    learn.insert(learn.end(), judged.begin(), judged.end());
    rows.versions = versions_to_leave_out(dataset, learn, fewest_rows);
    rows.small.clear();
  }
  return rows;
}

std::vector<LeaveOutGroup> leave_out_groups(const FamilyRows& rows, const GpuCatalog& catalog,
                                            LeaveOutKind kind, std::int64_t judged_rows) {
  std::map<std::string, LeaveOutGroup> groups;
  const Dataset& data = rows.data;
  if (kind == LeaveOutKind::Model) {
    if (rows.family != Family::Moe) return {};
    for (std::uint32_t r = 0; r < data.size(); ++r) {
      const std::uint32_t fold = shape_fold(layer_of(data.op(r)), kModelFolds, kSampleSeed);
      groups[fold_name(fold)].judged.push_back(r);
    }
    for (auto& [name, group] : groups) {
      const std::set<std::uint32_t> out(group.judged.begin(), group.judged.end());
      for (std::uint32_t r = 0; r < data.size(); ++r)
        if (!out.contains(r)) group.kept.push_back(r);
    }
  } else if (kind == LeaveOutKind::Version) {
    groups = version_groups(rows);
  } else {
    for (const std::string& gpu : rows.gpus) {
      const std::string name =
          kind == LeaveOutKind::Gpu ? gpu : std::string(name_of(catalog.get(gpu).generation));
      groups[name].gpus.insert(gpu);
    }
    // GPUs with few rows leave with their generation too.
    if (kind == LeaveOutKind::Generation)
      for (const std::string& gpu : data.gpus())
        if (const auto at = groups.find(std::string(name_of(catalog.get(gpu).generation)));
            at != groups.end())
          at->second.gpus.insert(gpu);
    if (kind == LeaveOutKind::Shape) groups = {{std::string(kNewShapes), {}}};
    const ShapeSplit split;
    for (auto& [name, group] : groups)
      for (std::uint32_t r = 0; r < data.size(); ++r)
        if ((group.gpus.empty() || group.gpus.contains(data.gpu(r))) && split.is_test(data.shape(r)))
          (data.marks(r).launch_bound ? group.launch_bound : group.judged).push_back(r);
  }
  std::vector<LeaveOutGroup> result;
  for (auto& [name, group] : groups) {
    group.name = name;
    // As many of each GPU's launch-bound rows, in proportion, as of the rows that are judged.
    group.launch_bound =
        thin_by_gpu(data, group.launch_bound, group.judged, std::size_t(judged_rows), kSampleSeed + 1);
    group.judged = thin_by_gpu(data, group.judged, group.judged, std::size_t(judged_rows), kSampleSeed + 1);
    if (!group.judged.empty()) result.push_back(std::move(group));
  }
  return result;
}

std::vector<std::string> versions_of(const Dataset& dataset) {
  std::set<std::string> versions;
  for (std::uint32_t r = 0; r < dataset.size(); ++r) versions.insert(version_name(dataset.context(r)));
  return {versions.begin(), versions.end()};
}

std::set<std::string> left_out_names(const std::vector<std::string>& names, LeaveOutKind kind,
                                     const GpuCatalog& catalog, const std::vector<std::string>& versions) {
  const auto canonical = [&](const std::string& name) -> std::string {
    if (kind == LeaveOutKind::Gpu) return catalog.get(name).name;
    if (kind == LeaveOutKind::Generation)
      return std::string(name_of(parse_enum<Generation>(name, "only_left_out")));
    if (kind == LeaveOutKind::Version) {
      if (std::find(versions.begin(), versions.end(), name) != versions.end()) return name;
      throw NotFound(fmt::format(
          "only_left_out: the rows have no '{}', expected an engine and its version, as \"vllm 0.31.0\"{}",
          name, did_you_mean(name, versions)));
    }
    for (std::uint32_t fold = 0; fold < kModelFolds; ++fold)
      if (name == fold_name(fold)) return name;
    throw InvalidInput(fmt::format("only_left_out: '{}' is unknown, expected {} to {}", name, fold_name(0),
                                   fold_name(kModelFolds - 1)));
  };
  if (kind == LeaveOutKind::Shape && !names.empty())
    throw InvalidInput("only_left_out: `leave_out` shape leaves out one group of shapes, expected none");
  std::set<std::string> result;
  for (const std::string& name : names) result.insert(canonical(name));
  return result;
}

}  // namespace warploom
