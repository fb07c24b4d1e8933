#include "warploom/fused_moe/config_votes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warploom {
namespace {

using Place = std::array<double, 7>;
constexpr double kOtherGeneration = 4;

Place place_of(const GroupedProduct& p, const SearchedGpu& gpu) {
  const double hit = std::min(p.experts, p.pairs), each = std::max(1.0, p.pairs / p.experts);
  return {1.5 * std::log2(each),     1.5 * std::log2(hit * p.outputs / double(gpu.sms)),
          std::log2(p.inner),        std::log2(p.outputs),
          std::log2(gpu.ridge),      std::log2(gpu.shared),
          std::log2(double(gpu.sms))};
}

double squared_distance(const Place& a, const Place& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

}  // namespace

SearchedGpu searched_gpu(const GpuSpec& gpu) {
  return {.name = gpu.name,
          .generation = gpu.generation,
          .sms = gpu.sm_count,
          .ridge = gpu.tensor_rate(gpu.tensor_rates.fp16).value() / gpu.memory_bandwidth.value(),
          .shared = gpu.shared_memory_per_sm.value()};
}

std::vector<double> config_votes(const ConfigSearches& searches, std::size_t candidates,
                                 const GroupedProduct& product, const SearchedGpu& gpu,
                                 const std::vector<char>& counts) {
  const Place here = place_of(product, gpu);
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> distances(searches.searches.size(), kNever);
  double nearest = kNever;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (!counts.empty() && !counts[i]) continue;
    const ConfigSearch& search = searches.searches[i];
    const SearchedGpu& there = searches.gpus[search.gpu];
    distances[i] = squared_distance(here, place_of(search.product, there));
    if (there.generation != gpu.generation) distances[i] += kOtherGeneration * kOtherGeneration;
    nearest = std::min(nearest, distances[i]);
  }
  std::vector<double> votes(candidates, 0);
  double all = 0;
  for (std::size_t i = 0; i < distances.size() && nearest < kNever; ++i) {
    const double weight = std::exp((nearest - distances[i]) / 2);
    all += weight;
    for (const std::uint16_t config : searches.searches[i].near_best) votes[config] += weight;
  }
  if (all > 0)
    for (double& vote : votes) vote /= all;
  return votes;
}

}  // namespace warploom
