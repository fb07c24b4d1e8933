#include "warploom/predictor/training/few_shot_shapes.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/kernels/base_constants.h"
#include "warploom/predictor/features/features.h"
#include "warploom/predictor/training/shape_design.h"

namespace warploom {
namespace {

constexpr std::int64_t kCandidates = 10;  // for each shape that is kept

// Numbers of names, in the order they are met.
class Numbers {
 public:
  float of(std::string_view name) {
    return float(numbers_.try_emplace(std::string(name), numbers_.size()).first->second);
  }

 private:
  std::map<std::string, std::size_t> numbers_;
};

// The rows of `shapes` that were not timed eagerly, shapes numbered in the order of `met`.
std::vector<DesignRow> gather(const Dataset& dataset, std::span<const std::uint32_t> rows, const GpuSpec& gpu,
                              const std::set<std::uint64_t>& shapes, std::vector<std::uint64_t>& met) {
  std::vector<DesignRow> gathered;
  std::map<std::uint64_t, std::uint32_t> numbers;
  Numbers frameworks, kernels, versions;
  const RoutingCache routing;
  OperatorFeatures row;
  for (const std::uint32_t r : rows) {
    const std::uint64_t shape = dataset.shape(r);
    if (!shapes.contains(shape) || dataset.marks(r).launch_bound) continue;
    const auto [at, fresh] = numbers.try_emplace(shape, std::uint32_t(met.size()));
    if (fresh) met.push_back(shape);
    const Operator& op = dataset.op(r);
    const KernelContext context = dataset.context(r);
    ContextKernel kernel(context);
    kernel.routing = &routing;
    compute_features(op, gpu, kernel, default_constants(dataset.family(r)), row);
    gathered.push_back({{row.values.begin(), row.values.begin() + row.count},
                        {frameworks.of(context.framework), kernels.of(context.kernel),
                         versions.of(context.version), kind_code(op)},
                        at->second});
  }
  return gathered;
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
  std::vector<std::uint64_t> met;
  const std::vector<DesignRow> gathered = gather(dataset, rows, gpu, candidates(dataset, rows, count), met);
  std::set<std::uint64_t> chosen;
  for (const std::uint32_t shape : design_shapes(gathered, std::uint32_t(met.size()), std::size_t(count)))
    chosen.insert(met[shape]);
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
