#include "warploom/learning/symmetric_boosting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/base/random.h"

namespace warploom {
namespace {

constexpr std::size_t kBins = kSymmetricCuts + 1;
constexpr double kLeafSteps = 31;  // finer ones gain nothing and deflate worse
constexpr std::size_t kRowsToALeaf = 8;
constexpr double kLargestScale = 32767;

struct Sum {
  float gradient = 0, count = 0;
};
using Histogram = std::vector<Sum>;  // of one input: kBins for each node

struct Split {
  double gain = -1;
  std::uint8_t input = 0, cut = 0;
};

// The low byte of the fraction is dropped: cuts are stored in three bytes.
float shortened(float value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xFFFFFF00U);
}

// Quantiles of the values; between neighbours when there are few distinct ones.
std::vector<float> choose_cuts(std::vector<float> values, std::size_t most) {
  std::sort(values.begin(), values.end());
  std::vector<float> distinct = values, cuts;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() <= most + 1) {
    for (std::size_t i = 1; i < distinct.size(); ++i)
      cuts.push_back(distinct[i - 1] + (distinct[i] - distinct[i - 1]) / 2);
  } else {
    for (std::size_t i = 1; i <= most; ++i) cuts.push_back(values[values.size() * i / (most + 1)]);
    if (!cuts.empty() && cuts.front() == values.front()) cuts.erase(cuts.begin());
  }
  for (float& cut : cuts) cut = shortened(cut);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

class Booster {
 public:
  Booster(std::span<const float> rows, std::size_t columns, std::span<const float> targets,
          const SymmetricOptions& options)
      : options_(options),
        random_(options.seed, "symmetric trees"),
        residual_(targets.begin(), targets.end()),
        depth_(std::min(std::size_t(options.depth), kSymmetricDepth)) {
    while (depth_ > 2 && (kRowsToALeaf << depth_) > targets.size()) --depth_;
    std::vector<float> column(targets.size());
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t r = 0; r < column.size(); ++r) column[r] = rows[r * columns + c];
      std::vector<float> cuts = choose_cuts(column, std::min(std::size_t(options.cuts), kSymmetricCuts));
      if (cuts.empty()) continue;
      std::vector<std::uint8_t> bins(column.size());
      for (std::size_t r = 0; r < column.size(); ++r)
        bins[r] = std::uint8_t(std::upper_bound(cuts.begin(), cuts.end(), column[r]) - cuts.begin());
      bins_.push_back(std::move(bins));
      result_.slots.push_back(std::uint8_t(c));
      result_.cuts.push_back(std::move(cuts));
    }
  }

  SymmetricTrees learn() {
    for (int i = 0; i < options_.trees && !bins_.empty(); ++i) grow();
    drop_unasked();
    return std::move(result_);
  }

 private:
  void draw();
  void take_pulls();
  void fill(std::size_t node, const std::vector<std::uint8_t>& bins, Histogram& histogram) const;
  void count(std::size_t k, std::size_t nodes);
  void search(std::size_t k, std::size_t nodes, Split& best);
  void part(const Split& split, std::size_t nodes);
  void grow();
  void set_leaves(SymmetricTree& tree) const;
  void drop_unasked();

  SymmetricOptions options_;
  RandomStream random_;
  std::vector<float> residual_;
  std::vector<float> pull_;  // residuals as they count in the tree being grown
  std::size_t depth_;
  std::vector<std::vector<std::uint8_t>> bins_;  // by input, by row
  SymmetricTrees result_;
  // The tree being grown.
  std::vector<std::size_t> inputs_;
  std::vector<std::uint32_t> order_, scratch_;  // drawn rows, node after node
  std::vector<std::uint32_t> start_;            // of each node in order_
  std::vector<float> gradient_;                 // of order_
  std::vector<Histogram> parents_, histograms_;
};

void Booster::draw() {
  inputs_.resize(bins_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) inputs_[i] = i;
  random_.shuffle(inputs_);
  inputs_.resize(std::size_t(std::max(1L, std::lround(double(bins_.size()) * options_.column_share))));
  order_.clear();
  const auto limit = std::uint64_t(std::lround(256 * options_.row_share));
  std::uint64_t bits = 0;
  for (std::uint32_t r = 0; r < residual_.size(); ++r, bits >>= 8) {
    if (r % 8 == 0) bits = random_.next();
    if ((bits & 255) < limit) order_.push_back(r);
  }
  start_ = {0, std::uint32_t(order_.size())};
  parents_.resize(inputs_.size());
  histograms_.resize(inputs_.size());
}

void Booster::take_pulls() {
  pull_ = residual_;
  if (options_.bound <= 0) return;
  for (float& pull : pull_) pull = std::abs(pull);
  const auto middle = pull_.begin() + std::ptrdiff_t(pull_.size() / 2);
  std::nth_element(pull_.begin(), middle, pull_.end());
  const float bound = float(options_.bound) * *middle;
  for (std::size_t r = 0; r < pull_.size(); ++r) pull_[r] = std::clamp(residual_[r], -bound, bound);
}

void Booster::fill(std::size_t node, const std::vector<std::uint8_t>& bins, Histogram& histogram) const {
  Sum* sums = histogram.data() + node * kBins;
  for (std::uint32_t i = start_[node]; i < start_[node + 1]; ++i) {
    Sum& sum = sums[bins[order_[i]]];
    sum.gradient += gradient_[i];
    sum.count += 1;
  }
}

// Histograms of input k: of each pair of siblings the smaller is counted, the other is the difference.
void Booster::count(std::size_t k, std::size_t nodes) {
  Histogram& histogram = histograms_[k];
  histogram.assign(nodes * kBins, {});
  const std::vector<std::uint8_t>& bins = bins_[inputs_[k]];
  if (nodes == 1) {
    fill(0, bins, histogram);
    return;
  }
  for (std::size_t parent = 0; parent < nodes / 2; ++parent) {
    const std::size_t a = 2 * parent, b = a + 1;
    if (start_[a] == start_[b + 1]) continue;
    const bool left_smaller = start_[a + 1] - start_[a] < start_[b + 1] - start_[b];
    const std::size_t small = left_smaller ? a : b, large = left_smaller ? b : a;
    fill(small, bins, histogram);
    for (std::size_t i = 0; i < kBins; ++i) {
      const Sum& whole = parents_[k][parent * kBins + i];
      const Sum& part = histogram[small * kBins + i];
      histogram[large * kBins + i] = {whole.gradient - part.gradient, whole.count - part.count};
    }
  }
}

void Booster::search(std::size_t k, std::size_t nodes, Split& best) {
  const std::size_t cuts = result_.cuts[inputs_[k]].size();
  const auto lambda = float(options_.lambda);
  std::array<double, kBins> gains{};
  std::array<float, kBins> gradient{}, rows{};
  for (std::size_t node = 0; node < nodes; ++node) {
    if (start_[node] == start_[node + 1]) continue;
    const Sum* sums = histograms_[k].data() + node * kBins;
    Sum below;
    for (std::size_t i = 0; i <= cuts; ++i) {
      below.gradient += sums[i].gradient;
      below.count += sums[i].count;
      gradient[i] = below.gradient;
      rows[i] = below.count;
    }
    const float whole = below.gradient * below.gradient / (below.count + lambda);
    for (std::size_t i = 0; i < cuts; ++i) {
      const float above = below.gradient - gradient[i];
      gains[i] += double(gradient[i] * gradient[i] / (rows[i] + lambda) +
                         above * above / (below.count - rows[i] + lambda) - whole);
    }
  }
  for (std::size_t i = 0; i < cuts; ++i)
    if (gains[i] > best.gain) best = {gains[i], std::uint8_t(inputs_[k]), std::uint8_t(i)};
}

// Every node into a lower and an upper child, rows in order.
void Booster::part(const Split& split, std::size_t nodes) {
  const std::vector<std::uint8_t>& bins = bins_[split.input];
  scratch_.resize(order_.size());
  std::vector<std::uint32_t> start(2 * nodes + 1);
  std::uint32_t to = 0;
  for (std::size_t node = 0; node < nodes; ++node)
    for (const bool upper : {false, true}) {
      start[2 * node + std::size_t(upper)] = to;
      for (std::uint32_t i = start_[node]; i < start_[node + 1]; ++i)
        if ((bins[order_[i]] > split.cut) == upper) scratch_[to++] = order_[i];
    }
  start[2 * nodes] = to;
  order_.swap(scratch_);
  start_.swap(start);
}

void Booster::grow() {
  draw();
  take_pulls();
  SymmetricTree tree;
  for (std::size_t level = 0; level < depth_; ++level) {
    const std::size_t nodes = std::size_t(1) << level;
    gradient_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) gradient_[i] = pull_[order_[i]];
    Split best;
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      count(k, nodes);
      search(k, nodes, best);
    }
    parents_.swap(histograms_);
    part(best, nodes);
    tree.questions.push_back({best.input, best.cut});
  }
  set_leaves(tree);
  for (std::size_t r = 0; r < residual_.size(); ++r) {
    std::size_t leaf = 0;
    for (std::size_t q = 0; q < tree.questions.size(); ++q)
      leaf |= std::size_t(bins_[tree.questions[q].input][r] > tree.questions[q].cut) << q;
    residual_[r] -= float(double(tree.leaves[leaf]) * double(tree.scale) * kSymmetricUnit);
  }
  result_.trees.push_back(std::move(tree));
}

void Booster::set_leaves(SymmetricTree& tree) const {
  const std::size_t depth = tree.questions.size(), leaves = std::size_t(1) << depth;
  std::vector<double> values(leaves, 0);
  double largest = 0;
  for (std::size_t node = 0; node < leaves; ++node) {
    double sum = 0;
    for (std::uint32_t i = start_[node]; i < start_[node + 1]; ++i) sum += double(pull_[order_[i]]);
    // Nodes count the first question as the highest bit, leaves as the lowest.
    std::size_t leaf = 0;
    for (std::size_t q = 0; q < depth; ++q) leaf |= (node >> (depth - 1 - q) & 1) << q;
    values[leaf] = options_.eta * sum / (double(start_[node + 1] - start_[node]) + options_.lambda);
    largest = std::max(largest, std::abs(values[leaf]));
  }
  tree.scale =
      std::int16_t(std::clamp(std::ceil(largest / (kLeafSteps * kSymmetricUnit)), 1.0, kLargestScale));
  tree.leaves.resize(leaves);
  for (std::size_t leaf = 0; leaf < leaves; ++leaf)
    tree.leaves[leaf] = std::int8_t(std::clamp(
        std::round(values[leaf] / (double(tree.scale) * kSymmetricUnit)), -kLeafSteps, kLeafSteps));
}

// Inputs and cuts that no question names, renumbering the rest.
void Booster::drop_unasked() {
  std::vector<std::vector<bool>> asked;
  for (const std::vector<float>& cuts : result_.cuts) asked.emplace_back(cuts.size(), false);
  for (const SymmetricTree& tree : result_.trees)
    for (const SymmetricTree::Question& q : tree.questions) asked[q.input][q.cut] = true;
  SymmetricTrees kept;
  std::vector<std::vector<SymmetricTree::Question>> renamed(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    std::vector<float> cuts;
    for (std::size_t c = 0; c < asked[i].size(); ++c) {
      renamed[i].push_back({std::uint8_t(kept.slots.size()), std::uint8_t(cuts.size())});
      if (asked[i][c]) cuts.push_back(result_.cuts[i][c]);
    }
    if (cuts.empty()) continue;
    kept.slots.push_back(result_.slots[i]);
    kept.cuts.push_back(std::move(cuts));
  }
  for (SymmetricTree& tree : result_.trees)
    for (SymmetricTree::Question& q : tree.questions) q = renamed[q.input][q.cut];
  result_.slots = std::move(kept.slots);
  result_.cuts = std::move(kept.cuts);
}

}  // namespace

SymmetricTrees boost_symmetric(std::span<const float> rows, std::size_t columns,
                               std::span<const float> targets, const SymmetricOptions& options) {
  if (targets.empty() || columns == 0 || rows.size() != targets.size() * columns)
    throw InvalidInput(fmt::format("boosting: {} values for {} columns and {} targets", rows.size(), columns,
                                   targets.size()));
  return Booster(rows, columns, targets, options).learn();
}

}  // namespace warploom
