#include "warploom/baselines/kernelsight/train_kernelsight.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "warploom/base/hash.h"
#include "warploom/base/parallel.h"
#include "warploom/baselines/library_rows.h"
#include "warploom/kernels/operator_family.h"
#include "warploom/measurements/splits.h"

namespace warploom::baselines {
namespace {

constexpr std::size_t kMostValidated = 2000;  // rows of a kernel in cross-validation
constexpr std::size_t kMostChoosing = 12;     // kernels of a family that choose its learner
constexpr std::size_t kFewestLinkRows = 4;
constexpr std::uint32_t kShapeFolds = 4;
constexpr double kFloorShare = 0.01;  // of a kernel's rows are faster than its launch floor
constexpr double kNearFloor = 1.15;   // times the floor: such a row says nothing of the efficiency
constexpr std::array kLearners{LearnerKind::Linear, LearnerKind::Trees, LearnerKind::Mlp,
                               LearnerKind::Analytic};

struct KernelSample {
  EfficiencyView view;
  double seconds = 0;
  std::uint32_t gpu = 0;
  std::uint64_t shape = 0;
};

// The rows of one library's kernel.
struct KernelSamples {
  std::vector<KernelSample> all;
  double floor = 0;
};

KernelSamples samples_of(const BaselineRows& rows, const std::vector<std::uint32_t>& chosen,
                         const GpuCatalog& catalog) {
  KernelSamples samples;
  std::vector<double> times;
  for (const std::uint32_t row : chosen) {
    const Dataset& data = rows.dataset;
    samples.all.push_back({efficiency_view(data.op(row), catalog.get(data.gpu(row))),
                           data.latency(row).value(), data.gpu_index(row), data.shape(row)});
    times.push_back(data.latency(row).value());
  }
  const auto at = times.begin() + std::ptrdiff_t(kFloorShare * double(times.size()));
  std::nth_element(times.begin(), at, times.end());
  samples.floor = *at;
  return samples;
}

// Those whose time is more than a launch, unless too few are.
EfficiencySamples learned_samples(const std::vector<const KernelSample*>& chosen, double floor) {
  EfficiencySamples result;
  for (const bool near_floor_too : {false, true}) {
    for (const KernelSample* sample : chosen) {
      if (!near_floor_too && sample->seconds < kNearFloor * floor) continue;
      result.views.push_back(sample->view);
      result.log_efficiency.push_back(std::log(sample->view.bound_seconds / sample->seconds));
    }
    if (result.views.size() >= kFewestNetworkRows / 2 || near_floor_too) break;
    result = {};
  }
  return result;
}

// Sum of relative errors, and rows, of a learner with each fold left out.
struct ValidatedError {
  double sum = 0;
  std::size_t rows = 0;
};

ValidatedError cross_validate(LearnerKind kind, const KernelSamples& samples, std::uint64_t seed) {
  std::set<std::uint32_t> gpus;
  for (const KernelSample& sample : samples.all) gpus.insert(sample.gpu);
  const bool by_gpu = gpus.size() > 1;
  const auto fold_of = [&](const KernelSample& sample) {
    return by_gpu ? sample.gpu : shape_fold(sample.shape, kShapeFolds);
  };
  std::set<std::uint32_t> folds;
  for (const KernelSample& sample : samples.all) folds.insert(fold_of(sample));
  ValidatedError error;
  for (const std::uint32_t out : folds) {
    std::vector<const KernelSample*> learned, judged;
    for (const KernelSample& sample : samples.all)
      (fold_of(sample) == out ? judged : learned).push_back(&sample);
    if (learned.size() < kFewestNetworkRows) continue;
    const EfficiencyLearner learner(kind, learned_samples(learned, samples.floor), seed);
    for (const KernelSample* sample : judged) {
      const double said = predicted_seconds(learner, sample->view, samples.floor);
      error.sum += std::abs(said / sample->seconds - 1);
      ++error.rows;
    }
  }
  return error;
}

class KernelSightTraining {
 public:
  KernelSightTraining(const BaselineRows& rows, const GpuCatalog& catalog, const KernelSightOptions& options)
      : rows_(rows), catalog_(catalog), options_(options) {}

  KernelSightParts run() {
    learn_links();
    choose_learners();
    learn_kernels();
    learn_surfaces();
    choose_usual();
    note_families();
    return std::move(parts_);
  }

 private:
  using LibraryRows = std::map<std::uint64_t, std::vector<std::uint32_t>>;

  Family family_of_rows(const std::vector<std::uint32_t>& chosen) const {
    return rows_.dataset.family(chosen.front());
  }
  void say(const std::string& line) const {
    if (options_.progress) options_.progress(line);
  }

  // By cross-validation: of each family the learner with the least error over its kernels.
  void choose_learners() {
    std::map<Family, std::vector<const std::vector<std::uint32_t>*>> choosing;
    const LibraryRows fewer = rows_by_library(rows_, catalog_, kFewestNetworkRows, kMostValidated);
    for (const auto& [library, chosen] : fewer) {
      const Family family = family_of_rows(chosen);
      if (!is_collective(family) && choosing[family].size() < kMostChoosing)
        choosing[family].push_back(&chosen);
    }
    struct Trial {
      Family family{};
      LearnerKind kind{};
      const std::vector<std::uint32_t>* rows = nullptr;
      ValidatedError error;
    };
    std::vector<Trial> trials;
    for (const auto& [family, kernels] : choosing)
      for (const LearnerKind kind : kLearners)
        for (const std::vector<std::uint32_t>* kernel : kernels) trials.push_back({family, kind, kernel, {}});
    parallel_for(trials.size(), options_.threads, [&](std::size_t t) {
      Trial& trial = trials[t];
      trial.error = cross_validate(trial.kind, samples_of(rows_, *trial.rows, catalog_), options_.seed);
    });
    std::map<std::pair<Family, LearnerKind>, ValidatedError> totals;
    for (const Trial& trial : trials) {
      ValidatedError& total = totals[{trial.family, trial.kind}];
      total.sum += trial.error.sum;
      total.rows += trial.error.rows;
    }
    for (const auto& [family, kernels] : choosing) {
      LearnerKind best = LearnerKind::Trees;
      double least = std::numeric_limits<double>::infinity();
      for (const LearnerKind kind : kLearners) {
        const ValidatedError& total = totals[{family, kind}];
        if (total.rows == 0 || total.sum / double(total.rows) >= least) continue;
        least = total.sum / double(total.rows);
        best = kind;
      }
      parts_.families[family].learner = best;
      say(fmt::format("{}: learner {}", name_of(family), name_of(best)));
    }
  }

  void learn_kernels() {
    const LibraryRows libraries = rows_by_library(rows_, catalog_, kFewestNetworkRows, kMostNetworkRows);
    std::vector<LibraryRows::const_iterator> jobs;
    for (auto library = libraries.begin(); library != libraries.end(); ++library)
      if (!is_collective(family_of_rows(library->second))) jobs.push_back(library);
    std::vector<KernelSightKernel> learned(jobs.size());
    parallel_for(jobs.size(), options_.threads, [&](std::size_t j) {
      const KernelSamples samples = samples_of(rows_, jobs[j]->second, catalog_);
      std::vector<const KernelSample*> all;
      for (const KernelSample& sample : samples.all) all.push_back(&sample);
      const LearnerKind kind = *parts_.families.at(family_of_rows(jobs[j]->second)).learner;
      learned[j] = {samples.floor,
                    EfficiencyLearner(kind, learned_samples(all, samples.floor), options_.seed)};
    });
    for (std::size_t j = 0; j < jobs.size(); ++j)
      parts_.kernels.emplace(jobs[j]->first, std::move(learned[j]));
    say(fmt::format("{} kernels of libraries learned", jobs.size()));
  }

  void learn_surfaces() {
    const Dataset& data = rows_.dataset;
    for (const std::uint32_t row : rows_.rows) {
      if (is_collective(data.family(row))) continue;
      const GpuSpec& gpu = catalog_.get(data.gpu(row));
      const OperatorCoordinates coordinates = operator_coordinates(data.op(row));
      const CircleKeys keys = circle_keys(coordinates, gpu, data.context(row));
      const double bound = efficiency_view(data.op(row), gpu).bound_seconds;
      const std::uint64_t cell = keys[std::size_t(Circle::Cell)];
      parts_.surfaces[cell].add(coordinates.values(), std::log(bound / data.latency(row).value()));
      parts_.newest[keys[std::size_t(Circle::Release)]] = cell;
    }
    for (auto& [key, surface] : parts_.surfaces) surface.finish();
  }

  // For each family and data types, the learned library with the most rows.
  void choose_usual() {
    const Dataset& data = rows_.dataset;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> counts;
    for (const std::uint32_t row : rows_.rows) {
      if (is_collective(data.family(row))) continue;
      const OperatorCoordinates coordinates = operator_coordinates(data.op(row));
      const std::uint64_t library = circle_keys(coordinates, catalog_.get(data.gpu(row)),
                                                data.context(row))[std::size_t(Circle::Library)];
      if (parts_.kernels.contains(library)) ++counts[{plain_variant(data.op(row)), library}];
    }
    std::unordered_map<std::uint64_t, std::size_t> most;
    for (const auto& [keys, count] : counts) {
      if (count <= most[keys.first]) continue;
      most[keys.first] = count;
      parts_.usual[keys.first] = keys.second;
    }
  }

  void learn_links() {
    struct LinkSums {
      double one = 0, bytes = 0, squares = 0, target = 0, with_bytes = 0;
      std::size_t rows = 0;
    };
    std::unordered_map<std::uint64_t, LinkSums> sums;
    for (const std::uint32_t row : rows_.rows) {
      const auto* op = std::get_if<Collective>(&rows_.dataset.op(row));
      if (op == nullptr) continue;
      // Relative least squares: each row weighs by its time.
      LinkSums& s = sums[link_key(*op, catalog_.get(rows_.dataset.gpu(row)))];
      const double weight = 1 / rows_.dataset.latency(row).value(), bytes = op->size.value() * weight;
      s.one += weight * weight;
      s.bytes += weight * bytes;
      s.squares += bytes * bytes;
      s.target += weight;
      s.with_bytes += bytes;
      ++s.rows;
    }
    for (const auto& [key, s] : sums) {
      if (s.rows < kFewestLinkRows) continue;
      const double determinant = s.one * s.squares - s.bytes * s.bytes;
      KernelSightLink link{s.target / s.one, 0};
      if (determinant > 0) {
        const double start = (s.target * s.squares - s.with_bytes * s.bytes) / determinant;
        const double slope = (s.one * s.with_bytes - s.bytes * s.target) / determinant;
        if (start >= 0 && slope >= 0)
          link = {start, slope};
        else if (start < 0 && s.squares > 0)
          link = {0, s.with_bytes / s.squares};
      }
      parts_.links[key] = link;
    }
  }

  void note_families() {
    const Dataset& data = rows_.dataset;
    std::map<Family, std::set<std::string>> gpus;
    for (const std::uint32_t row : rows_.rows) {
      gpus[data.family(row)].insert(data.gpu(row));
      ++parts_.families[data.family(row)].rows;
    }
    for (const auto& [family, names] : gpus) parts_.families[family].gpus = {names.begin(), names.end()};
  }

  const BaselineRows rows_;
  const GpuCatalog& catalog_;
  const KernelSightOptions& options_;
  KernelSightParts parts_;
};

// At most about `rows_per_gpu` rows of each library's kernel on each GPU.
std::vector<std::uint32_t> drawn_rows(const BaselineRows& rows, const GpuCatalog& catalog,
                                      const KernelSightOptions& options) {
  const Dataset& data = rows.dataset;
  std::unordered_map<std::uint64_t, std::size_t> number_of;
  std::unordered_map<std::uint32_t, std::size_t> group_of;
  for (const std::uint32_t row : rows.rows) {
    const CircleKeys keys =
        circle_keys(operator_coordinates(data.op(row)), catalog.get(data.gpu(row)), data.context(row));
    const auto entry = number_of.emplace(keys[std::size_t(Circle::Release)], number_of.size()).first;
    group_of[row] = entry->second;
  }
  const RowGroup group = [&](std::uint32_t row) { return group_of.at(row); };
  const RowPosition position = [&](std::uint32_t row) {
    return hash_position(hash_combine(hash_combine(options.seed, data.shape(row)), row));
  };
  return thin_by_group(rows.rows, group, count_by_group(rows.rows, group, number_of.size()), position,
                       options.rows_per_gpu);
}

}  // namespace

KernelSightModel train_kernelsight(const BaselineRows& rows, const GpuCatalog& catalog,
                                   const KernelSightOptions& options) {
  if (options.rows_per_gpu == 0) return KernelSightModel(KernelSightTraining(rows, catalog, options).run());
  const std::vector<std::uint32_t> drawn = drawn_rows(rows, catalog, options);
  return KernelSightModel(KernelSightTraining({rows.dataset, drawn}, catalog, options).run());
}

}  // namespace warploom::baselines
