#include "warploom/measurements/slow_rows.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <variant>

#include "warploom/base/hash.h"
#include "warploom/kernels/operator_family.h"

namespace warploom {
namespace {

constexpr std::size_t kMostSizes = 4;

// What a row shares with its neighbours in one size, and that size.
struct Place {
  std::uint64_t line = 0;
  std::int64_t size = 0;
  std::uint32_t row = 0;
  bool operator<(const Place& other) const {
    return std::tie(line, size, row) < std::tie(other.line, other.size, other.row);
  }
};

struct Suspicion {
  bool suspected = false;
  std::uint32_t neighbour = 0;  // the longer one, in the first size that raised the suspicion
};

class SlowRows {
 public:
  SlowRows(const Dataset& data, const SlowRowLimits& limits)
      : data_(data), limits_(limits), calm_(data.size()) {}

  void look_at(const std::vector<std::uint32_t>& rows) {
    for (std::size_t number = 0; number < kMostSizes; ++number) look_along(rows, number);
  }

  std::vector<std::uint32_t> found() const {
    std::vector<std::uint32_t> rows;
    for (const auto& [row, suspicion] : suspicions_)
      if (suspicion.suspected && !calm_[row]) rows.push_back(row);
    std::sort(rows.begin(), rows.end());
    return without_shared(rows);
  }

 private:
  double latency(std::uint32_t row) const { return data_.latency(row).value(); }

  std::vector<Place> places(const std::vector<std::uint32_t>& rows, std::size_t number) const {
    std::unordered_map<std::uint32_t, std::pair<std::uint64_t, std::int64_t>> lines;  // of operators
    std::vector<Place> places;
    for (const std::uint32_t row : rows) {
      const auto [at, fresh] = lines.try_emplace(data_.operator_index(row));
      if (fresh) {
        Operator op = data_.op(row);
        if (std::int64_t* const size = family_value(op).stepped_size(op, number)) {
          at->second.second = *size;
          *size = 1;
          if (auto* const gemm = std::get_if<Gemm>(&op)) gemm->weight_copies = 1;
          at->second.first = shape_hash(op) | 1;
        }
      }
      const auto [line, size] = at->second;
      if (line == 0) continue;
      const std::uint64_t source = std::uint64_t(data_.gpu_index(row)) << 40 |
                                   std::uint64_t(data_.context_index(row)) << 8 | data_.marks(row).bits();
      places.push_back({hash_combine(line, source), size, row});
    }
    std::sort(places.begin(), places.end());
    return places;
  }

  bool are_neighbours(const Place& a, const Place& b) const {
    return a.line == b.line && a.size < b.size &&
           double(b.size) <= limits_.farthest_neighbour * double(a.size);
  }

  void look_along(const std::vector<std::uint32_t>& rows, std::size_t number) {
    const std::vector<Place> all = places(rows, number);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool after = i > 0 && are_neighbours(all[i - 1], all[i]);
      const bool before = i + 1 < all.size() && are_neighbours(all[i], all[i + 1]);
      if (!after && !before) continue;
      const std::uint32_t row = all[i].row, left = all[after ? i - 1 : i + 1].row,
                          right = all[before ? i + 1 : i - 1].row;
      const std::uint32_t longer = latency(left) > latency(right) ? left : right;
      const double times = latency(row) / latency(longer);
      if (after && before && times > limits_.times_neighbours) {
        Suspicion& suspicion = suspicions_[row];
        if (!suspicion.suspected) suspicion.neighbour = longer;
        suspicion.suspected = true;
      } else if (times < limits_.times_calm) {
        calm_[row] = true;
      }
    }
  }

  // Those whose excess no other version or GPU of the framework shows.
  std::vector<std::uint32_t> without_shared(const std::vector<std::uint32_t>& rows) const {
    using Source = std::tuple<std::uint32_t, std::uint32_t>;           // GPU, context
    std::unordered_map<std::uint32_t, std::map<Source, double>> seen;  // latencies by operator
    for (const std::uint32_t row : rows) {
      seen[data_.operator_index(row)];
      seen[data_.operator_index(suspicions_.at(row).neighbour)];
    }
    for (std::uint32_t r = 0; r < data_.size(); ++r)
      if (const auto at = seen.find(data_.operator_index(r)); at != seen.end())
        at->second[{data_.gpu_index(r), data_.context_index(r)}] = latency(r);
    std::vector<std::uint32_t> alone;
    for (const std::uint32_t row : rows) {
      const std::uint32_t neighbour = suspicions_.at(row).neighbour;
      const double excess = latency(row) / latency(neighbour) - 1;
      const Source own{data_.gpu_index(row), data_.context_index(row)};
      const auto& beside = seen.at(data_.operator_index(neighbour));
      bool shared = false;
      for (const auto& [source, other] : seen.at(data_.operator_index(row))) {
        const auto at = beside.find(source);
        if (source == own || at == beside.end()) continue;
        if (data_.context_at(std::get<1>(source)).framework != data_.context(row).framework) continue;
        shared = shared || other / at->second - 1 >= excess / 2;
      }
      if (!shared) alone.push_back(row);
    }
    return alone;
  }

  const Dataset& data_;
  SlowRowLimits limits_;
  std::unordered_map<std::uint32_t, Suspicion> suspicions_;
  std::vector<bool> calm_;  // of every row
};

}  // namespace

std::vector<std::uint32_t> find_slow_rows(const Dataset& dataset, const SlowRowLimits& limits) {
  if (limits.times_neighbours <= 0) return {};
  std::map<Family, std::vector<std::uint32_t>> families;
  for (std::uint32_t row = 0; row < dataset.size(); ++row) families[dataset.family(row)].push_back(row);
  SlowRows search(dataset, limits);
  for (const auto& [family, rows] : families) search.look_at(rows);
  return search.found();
}

}  // namespace warploom
