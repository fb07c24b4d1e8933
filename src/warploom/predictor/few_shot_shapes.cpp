#include "warploom/predictor/few_shot_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "warploom/predictor/features.h"

namespace warploom {
namespace {

constexpr std::int64_t kCandidates = 10;  // for each shape that is kept
constexpr double kKnown = 2;              // rows' worth that is known of every kernel before
constexpr double kRepeat = 0.3;           // worth of a second row at the very same sizes
constexpr double kFar = 1.0;              // distance, in standard deviations, that counts in full

struct Candidate {
  std::uint64_t shape = 0;
  std::vector<std::uint32_t> classes;  // distinct, ascending
  std::vector<float> features;
  double nearest = std::numeric_limits<double>::max();  // of those chosen, squared
};

struct Candidates {
  std::vector<Candidate> list;
  std::vector<double> share;  // of each class
};

Candidates gather(const Dataset& dataset, std::span<const std::uint32_t> rows, const GpuSpec& gpu,
                  const std::set<std::uint64_t>& shapes) {
  Candidates all;
  std::map<std::uint64_t, Candidate> by_shape;
  std::map<std::tuple<std::string, std::string, std::uint32_t>, std::uint32_t> classes;
  FeatureRow row;
  for (const std::uint32_t r : rows) {
    const std::uint64_t shape = dataset.shape(r);
    if (!shapes.contains(shape) || dataset.marks(r).launch_bound) continue;
    const KernelContext context = dataset.context(r);
    const auto [at, fresh] = classes.try_emplace(
        {std::string(context.framework), std::string(context.kernel), kind_code(dataset.op(r))},
        std::uint32_t(classes.size()));
    if (fresh) all.share.push_back(0);
    ++all.share[at->second];
    Candidate& candidate = by_shape[shape];
    candidate.shape = shape;
    candidate.classes.push_back(at->second);
    if (!candidate.features.empty()) continue;
    compute_features(dataset.op(r), gpu, row);
    candidate.features.assign(row.values.begin(), row.values.begin() + row.count);
  }
  for (auto& [shape, candidate] : by_shape) {
    std::sort(candidate.classes.begin(), candidate.classes.end());
    candidate.classes.erase(std::unique(candidate.classes.begin(), candidate.classes.end()),
                            candidate.classes.end());
    all.list.push_back(std::move(candidate));
  }
  return all;
}

// Features in standard deviations over the root of their number; those that do not vary become 0.
void standardise(std::vector<Candidate>& list) {
  const std::size_t count = list.empty() ? 0 : list.front().features.size();
  double varying = 0;
  for (std::size_t f = 0; f < count; ++f) {
    double sum = 0, squares = 0;
    for (const Candidate& c : list) {
      sum += double(c.features[f]);
      squares += double(c.features[f]) * double(c.features[f]);
    }
    const double n = double(list.size()), mean = sum / n;
    const double deviation = std::sqrt(std::max(0.0, squares / n - mean * mean));
    varying += deviation > 1e-4 ? 1 : 0;
    for (Candidate& c : list)
      c.features[f] = deviation > 1e-4 ? float((double(c.features[f]) - mean) / deviation) : 0.0F;
  }
  const auto scale = float(1 / std::sqrt(std::max(1.0, varying)));
  for (Candidate& c : list)
    for (float& value : c.features) value *= scale;
}

double squared_distance(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t f = 0; f < a.size(); ++f) sum += (a[f] - b[f]) * (a[f] - b[f]);
  return double(sum);
}

std::set<std::uint64_t> candidates(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                   std::int64_t count) {
  std::set<std::uint64_t> shapes;
  for (const std::uint32_t r : rows) {
    shapes.insert(dataset.shape(r));
    if (std::int64_t(shapes.size()) > kCandidates * count) shapes.erase(std::prev(shapes.end()));
  }
  return shapes;
}

std::set<std::uint64_t> shapes_to_measure(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                          const GpuSpec& gpu, std::int64_t count) {
  Candidates all = gather(dataset, rows, gpu, candidates(dataset, rows, count));
  standardise(all.list);
  std::vector<double> known(all.share.size(), kKnown);
  std::set<std::uint64_t> chosen;
  while (std::int64_t(chosen.size()) < count && chosen.size() < all.list.size()) {
    const Candidate* best = nullptr;
    double most = -1;
    for (const Candidate& candidate : all.list) {
      double gain = 0;
      for (const std::uint32_t c : candidate.classes) gain += all.share[c] / (known[c] * (known[c] + 1));
      gain *= kRepeat + (1 - kRepeat) * std::min(1.0, std::sqrt(candidate.nearest) / kFar);
      if (gain <= most || chosen.contains(candidate.shape)) continue;
      most = gain;
      best = &candidate;
    }
    chosen.insert(best->shape);
    for (const std::uint32_t c : best->classes) ++known[c];
    for (Candidate& candidate : all.list)
      candidate.nearest = std::min(candidate.nearest, squared_distance(candidate.features, best->features));
  }
  return chosen;
}

// The rows that share one number of shapes.
std::vector<std::vector<std::uint32_t>> parts(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                              FewShotPer per) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_kind;
  for (const std::uint32_t r : rows)
    by_kind[per == FewShotPer::Kind ? kind_code(dataset.op(r)) : 0].push_back(r);
  std::vector<std::vector<std::uint32_t>> result;
  for (auto& [kind, of_kind] : by_kind) result.push_back(std::move(of_kind));
  return result;
}

}  // namespace

std::set<std::uint64_t> few_shot_candidates(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                            std::int64_t count, FewShotPer per) {
  std::set<std::uint64_t> all;
  for (const auto& part : parts(dataset, rows, per)) all.merge(candidates(dataset, part, count));
  return all;
}

std::set<std::uint64_t> few_shot_shapes(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                        const GpuSpec& gpu, std::int64_t count, FewShotPer per) {
  std::set<std::uint64_t> all;
  for (const auto& part : parts(dataset, rows, per)) all.merge(shapes_to_measure(dataset, part, gpu, count));
  return all;
}

}  // namespace warploom
