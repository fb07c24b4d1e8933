#include "warploom/predictor/training/training_table.h"

#include <algorithm>
#include <cmath>

#include "warploom/learning/tree_ensemble.h"
#include "warploom/predictor/model/hidden_gpu.h"

namespace warploom {

TrainingTable make_table(const Dataset& dataset, const GpuCatalog& catalog, const TrainingRows& rows,
                         std::span<const std::uint32_t> which, const FamilyModel& model,
                         const FittedBase& base) {
  std::vector<const GpuSpec*> specs;
  std::vector<const BaseConstants*> fitted;
  for (std::size_t g = 0; g < model.gpus.size(); ++g) {
    specs.push_back(&catalog.get(model.gpus[g].name));
    fitted.push_back(&constants_for(base.constants, std::int32_t(g), model.family));
  }
  const RoutingCache routing;
  std::vector<ContextKernel> kernels;
  for (const ContextRecord& context : model.contexts) {
    kernels.emplace_back(KernelContext{context.framework, context.version, context.kernel});
    kernels.back().routing = &routing;
  }
  TrainingTable table;
  table.family = model.family;
  OperatorFeatures features;
  for (const std::uint32_t r : which) {
    const std::uint32_t source = rows.source[r];
    const std::uint16_t gpu = model.cells[rows.cell[r]].gpu;
    compute_features(dataset.op(source), *specs[gpu], kernels[model.cells[rows.cell[r]].context],
                     *fitted[gpu], features);
    if (table.columns == 0) {
      table.columns = std::size_t(features.count);
      table.features.reserve(which.size() * table.columns);
    }
    table.features.insert(table.features.end(), features.values.begin(),
                          features.values.begin() + features.count);
    table.plain_base.push_back(float(features.log_base));
    table.result_rows.push_back(float(features.rows));
    features.log_base = log_base_with(base.overheads[rows.cell[r]], features);
    table.target.push_back(float(std::log(dataset.latency(source).value()) - features.log_base));
    table.log_base.push_back(float(features.log_base));
    table.shape.push_back(rows.shape[r]);
    table.part.push_back(rows.part[r]);
    table.cell.push_back(rows.cell[r]);
    table.source.push_back(source);
    table.layer.push_back(features.layer);
    table.layer_slots = features.layer_slots;
  }
  return table;
}

void take_features(const TrainingTable& table, std::size_t r, OperatorFeatures& row) {
  row.clear();
  for (const float value : table.row(r)) row.add(double(value));
  row.log_base = double(table.log_base[r]);
  row.layer = table.layer[r];
}

void fill_row(const TrainingTable& table, std::size_t r, const ContextCodes& codes, float offset,
              OperatorFeatures& row) {
  take_features(table, r, row);
  hide_gpu(table.family, row.values, table.columns, codes);
  row.add(double(codes.framework));
  row.add(double(codes.kernel));
  row.add(double(offset));
  TreeEnsemble::set_guard(row);
}

LearningSet make_learning_set(const TrainingTable& table, std::span<const std::uint32_t> rows,
                              const std::vector<ContextCodes>& codes, const FamilyModel& model,
                              std::span<const float> offsets) {
  LearningSet set;
  set.rows.reserve(rows.size() * (table.columns + kContextFeatures));
  set.targets.reserve(rows.size());
  for (const std::uint32_t r : rows) {
    const std::uint32_t cell = table.cell[r];
    const ContextCodes& code = codes[model.cells[cell].context];
    const std::span<const float> features = table.row(r);
    set.rows.insert(set.rows.end(), features.begin(), features.end());
    hide_gpu(table.family, std::span(set.rows).last(table.columns), table.columns, code);
    set.rows.insert(set.rows.end(), {code.framework, code.kernel, offsets[cell]});
    set.targets.push_back(table.target[r] - offsets[cell]);
  }
  return set;
}

}  // namespace warploom
