#include "warploom/predictor/answer/adapted_estimate.h"

#include "warploom/predictor/answer/cross_estimate.h"
#include "warploom/predictor/answer/donor_answers.h"
#include "warploom/predictor/answer/measured_estimate.h"

namespace warploom {

LogEstimate adapted_estimate(const LoadedFamily& family, std::size_t gpu_index, const CellRecord* cell,
                             const KernelCall& call, const OperatorFeatures& row) {
  const GpuRecord& record = family.model.gpus[gpu_index];
  const int own = family.by_gpu[gpu_index];
  KernelContext names = call.context;
  if (cell != nullptr) {
    const ContextRecord& record_of_cell = family.model.contexts[cell->context];
    names = {record_of_cell.framework, record_of_cell.version, record_of_cell.kernel};
  }
  const KernelCall asked{call.op, call.gpu, names, call.kind, call.kernel};
  LogEstimate answer = cross_estimate(family, asked, row, int(gpu_index));
  const double predicted_residual = answer.log_p50 - row.log_base;
  answer.log_p50 += double(record.level);
  if (own < 0) return answer;
  const CellRecord& similar_cell =
      cell != nullptr ? *cell : *family.index.find_elsewhere(call.gpu, call.context, call.kind).cell;
  const ContextCodes& codes = family.index.codes(similar_cell);
  const Kriging& kriging = family.kriging(own);
  const DonorAnswers donors =
      kriging.asks_donors() ? donor_answers(family, asked, row, predicted_residual) : DonorAnswers();
  answer.log_p50 +=
      kriging.predict(row, {codes.framework, codes.kernel, codes.version, call.kind}, donors.all());
  if (cell == nullptr) return answer;
  if (record.share > 0)
    answer.log_p50 += double(record.share) * tree_sum(family, own, *cell, predicted_residual, row);
  answer.set_interval(cell->interval, row.log_base);
  answer.set_outside(answer.outside);
  return answer;
}

}  // namespace warploom
