#include "warploom/predictor/fit_base.h"

#include <cmath>
#include <map>
#include <tuple>

#include "warploom/predictor/constants_fit.h"

namespace warploom {
BaseConstants fit_constants_of(const FamilyJob& job, const std::vector<bool>& of_gpus,
                               const BaseConstants& prior) {
  const auto chosen = thin_by_gpu(rows_where(job.rows,
                                             [&](std::uint32_t r) {
                                               return job.rows.part[r] == Part::Learn &&
                                                      of_gpus[std::size_t(job.gpu_of(r))] &&
                                                      !job.model.cells[job.rows.cell[r]].launch_bound;
                                             }),
                                  job, job.options.fit_rows_per_gpu, job.options.seed + 29);
  std::vector<const GpuSpec*> specs;
  for (const GpuRecord& gpu : job.model.gpus) specs.push_back(&job.catalog.get(gpu.name));
  std::map<std::tuple<std::string, std::string, std::uint16_t>, std::uint32_t> groups;
  std::vector<ConstantsFitRow> rows;
  for (const std::uint32_t r : chosen) {
    const CellRecord& cell = job.model.cells[job.rows.cell[r]];
    const ContextRecord& context = job.model.contexts[cell.context];
    const auto group =
        groups.try_emplace({context.framework, context.kernel, cell.kind}, std::uint32_t(groups.size()));
    const std::uint32_t source = job.rows.source[r];
    rows.push_back({&job.dataset.op(source), specs[cell.gpu], std::log(job.dataset.latency(source).value()),
                    group.first->second, 1.0,
                    ContextKernel({context.framework, context.version, context.kernel})});
  }
  return fit_constants(job.model.family, rows, prior);
}

std::vector<ConstantsRecord> fit_base(const FamilyJob& job, const std::vector<bool>& of_gpus) {
  ConstantsRecord any;
  any.values = fit_constants_of(job, of_gpus, default_constants(job.model.family));
  return {any};
}

}  // namespace warploom
