#include "warploom/baselines/pipeweave/train_pipeweave.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/parallel.h"
#include "warploom/measurements/splits.h"

namespace warploom::baselines {
namespace {

using published::PublishedKernel;

constexpr std::size_t kFewestForestRows = 20;
constexpr std::uint64_t kDrawSeed = 11;  // of the even draw of rows
constexpr std::size_t kEpochsBetweenNotes = 100;

// At most about `most` of each GPU's rows.
std::vector<std::uint32_t> draw_rows(const Dataset& dataset, const std::vector<std::uint32_t>& rows,
                                     std::size_t most) {
  if (most == 0) return rows;
  const RowGroup gpu = [&](std::uint32_t r) { return dataset.gpu_index(r); };
  return thin_by_group(
      rows, gpu, count_by_group(rows, gpu, dataset.gpus().size()),
      [&](std::uint32_t r) {
        return hash_position(hash_combine(hash_combine(kDrawSeed, dataset.shape(r)), r));
      },
      most);
}

EfficiencyRows efficiencies(const BaselineRows& rows, const GpuCatalog& catalog, PublishedKernel kernel,
                            std::vector<std::uint32_t>& chosen) {
  EfficiencyRows result;
  std::vector<std::uint32_t> usable;
  for (const std::uint32_t r : chosen) {
    const GpuSpec& gpu = catalog.get(rows.dataset.gpu(r));
    published::Features features;
    try {
      features = features_of_kernel(kernel, rows.dataset.op(r), gpu, rows.dataset.context(r));
    } catch (const Unsupported&) {
      continue;  // no tile for these sizes
    }
    const std::vector<double> values = features.values();
    result.width = values.size();
    result.features.insert(result.features.end(), values.begin(), values.end());
    result.efficiency.push_back(features.theory_cycles() /
                                (rows.dataset.latency(r).value() * gpu.boost_clock.value()));
    usable.push_back(r);
  }
  chosen = std::move(usable);
  return result;
}

std::vector<std::string> gpus_of(const Dataset& dataset, const std::vector<std::uint32_t>& rows) {
  std::set<std::string> names;
  for (const std::uint32_t r : rows) names.insert(dataset.gpu(r));
  return {names.begin(), names.end()};
}

std::vector<CollectiveForest> train_forests(const BaselineRows& rows, std::uint64_t seed) {
  std::map<std::pair<CollectiveKind, std::string>, std::vector<CollectiveRow>> groups;
  for (const std::uint32_t r : rows.rows) {
    const auto* op = std::get_if<Collective>(&rows.dataset.op(r));
    if (op == nullptr || op->ranks_per_node != 0) continue;
    if (op->kind != CollectiveKind::AllReduce && op->kind != CollectiveKind::SendRecv) continue;
    if (!is_nccl(rows.dataset.context(r))) continue;
    groups[{op->kind, rows.dataset.gpu(r)}].push_back(
        {op->size.value(), double(op->ranks), rows.dataset.latency(r).value()});
  }
  std::vector<CollectiveForest> forests;
  for (const auto& [key, group] : groups)
    if (group.size() >= kFewestForestRows)
      forests.emplace_back(key.first, key.second, CollectiveForest::train(group, seed), "training");
  return forests;
}

// Notes of several trainings at once, one line at a time.
class TrainingNotes {
 public:
  explicit TrainingNotes(const std::function<void(std::string_view)>& sink) : sink_(sink) {}
  void say(const std::string& line) {
    if (!sink_) return;
    const std::lock_guard lock(mutex_);
    sink_(line);
  }

 private:
  const std::function<void(std::string_view)>& sink_;
  std::mutex mutex_;
};

}  // namespace

std::map<PublishedKernel, KernelRows> rows_by_kernel(const BaselineRows& rows, const GpuCatalog& catalog,
                                                     std::size_t rows_per_gpu) {
  std::map<PublishedKernel, KernelRows> kernels;
  const Dataset& dataset = rows.dataset;
  for (const std::uint32_t r : rows.rows) {
    const auto choice =
        published::published_kernel(dataset.op(r), catalog.get(dataset.gpu(r)), dataset.context(r));
    // What a host's launch hides says nothing of a kernel.
    if (choice.kernel && !dataset.marks(r).launch_bound) kernels[*choice.kernel].rows.push_back(r);
  }
  for (auto& [kernel, found] : kernels) {
    found.rows = draw_rows(dataset, found.rows, rows_per_gpu);
    found.learned = efficiencies(rows, catalog, kernel, found.rows);
  }
  return kernels;
}

PipeWeaveModel train_pipeweave(const BaselineRows& rows, const GpuCatalog& catalog,
                               const PipeWeaveOptions& options) {
  const std::map<PublishedKernel, KernelRows> kernels = rows_by_kernel(rows, catalog, options.rows_per_gpu);
  TrainingNotes notes(options.progress);
  std::vector<std::pair<PublishedKernel, const KernelRows*>> jobs;
  for (const auto& [kernel, found] : kernels) {
    if (found.rows.size() >= kFewestEfficiencyRows)
      jobs.emplace_back(kernel, &found);
    else
      notes.say(fmt::format("{}: {} rows, expected at least {}: no network", name_of(kernel),
                            found.rows.size(), kFewestEfficiencyRows));
  }
  // The longest first.
  std::stable_sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) {
    return a.second->rows.size() > b.second->rows.size();
  });
  std::vector<std::optional<EfficiencyNetwork>> networks(jobs.size());
  parallel_for(jobs.size(), options.threads, [&](std::size_t j) {
    const std::string name(name_of(jobs[j].first));
    EfficiencyTraining training{.epochs = options.epochs, .quantile = options.quantile, .seed = options.seed};
    training.progress = [&](std::size_t epoch, std::size_t epochs, double loss) {
      if (epoch % kEpochsBetweenNotes == 0)
        notes.say(fmt::format("{}: epoch {} of at most {}, error of the rows apart {:.2f} %", name, epoch,
                              epochs, 100 * loss));
    };
    networks[j].emplace(jobs[j].second->learned, training);
    notes.say(fmt::format("{}: learned from {} rows", name, jobs[j].second->rows.size()));
  });
  PipeWeaveKernels trained;
  for (std::size_t j = 0; j < jobs.size(); ++j)
    trained.emplace(jobs[j].first,
                    PipeWeaveKernel{std::move(*networks[j]), gpus_of(rows.dataset, jobs[j].second->rows),
                                    jobs[j].second->rows.size()});
  return {std::move(trained), train_forests(rows, options.seed)};
}

}  // namespace warploom::baselines
