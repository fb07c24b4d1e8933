#include "warploom/predictor/tier_estimates.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/attention_tiling.h"
#include "warploom/predictor/donor_answers.h"
#include "warploom/predictor/doubt.h"
#include "warploom/predictor/training_table.h"

namespace warploom {
namespace {

constexpr double kOneDonorWidening = 1.3;     // no pair of this architecture was there to set the interval
constexpr double kSame = 0.1;                 // of gpu_distance: closer donors count no more
constexpr double kAlike = 0.5;                // of gpu_distance, up to which siblings are asked alone
constexpr double kOtherVersionWeight = 0.25;  // of a donor that has only another version
constexpr double kCousinShare = 0.7;          // of what a GPU of a cousin architecture needs beyond its base

void widen(LogEstimate& answer, const LogInterval& interval, double log_base, double widening) {
  const std::size_t bucket = bucket_of(log_base);
  answer.low = widening * double(interval.low[bucket]);
  answer.high = widening * double(interval.high[bucket]);
}

// Trees over all of the row, its context and what was said before them.
double tree_sum(const LoadedFamily& family, int ensemble, const CellRecord& cell, double offset,
                FeatureRow row) {
  const ContextCodes& codes = family.index.codes(cell);
  row.add(codes.framework);
  row.add(codes.kernel);
  row.add(offset);
  TreeEnsemble::set_guard(row);
  return double(family.trees(ensemble).predict(row));
}

// Of an answer whose features lie `outside` the trained range (LoadedFamily::outside).
void extrapolate(LogEstimate& answer, double outside) {
  answer.extrapolated = outside > 0;
  answer.outside = outside;
  if (answer.extrapolated) answer.doubt(doubt_outside(outside));
}

double cross_trees(const LoadedFamily& family, const CellRecord& cell, const ContextCodes& codes,
                   FeatureRow row) {
  hide_gpu(family.model.family, row.values, std::size_t(row.count), codes);
  return tree_sum(family, family.cross, cell, double(cell.offset), row);
}

// Of a class, whose cell shows its newest version: those of the version that is asked for, if any GPU ran it.
ContextCodes asked_codes(const LoadedFamily& family, const CellRecord& cell, const KernelContext& context) {
  ContextCodes codes = family.index.codes(cell);
  if (context.version.empty()) return codes;
  const auto& contexts = family.model.contexts;
  for (std::size_t c = 0; c < contexts.size(); ++c)
    if (contexts[c].version == context.version && contexts[c].framework == context.framework)
      codes.version = family.index.codes_of(c).version;
  return codes;
}

// Of the cell's own trees, for a new design those of all the GPU's cells; 0 where there are none.
double own_trees(const LoadedFamily& family, const CellRecord& cell, const FeatureRow& row) {
  if (const SymmetricEnsemble* trees = family.new_design_trees(cell, row)) {
    FeatureRow with_context = row;
    const ContextCodes& codes = family.index.codes(cell);
    for (const float value : {codes.framework, codes.kernel, cell.offset}) with_context.add(double(value));
    return trees->predict(with_context);
  }
  const SymmetricEnsemble* trees = family.cell_trees(cell);
  return trees != nullptr ? trees->predict(row) : 0;
}

struct Donors {
  int count = 0;
  double sum = 0, weight = 0;  // of what they need beyond their base
  double likeness = 0;         // weighted
  double outside = 0;          // the farthest, of LoadedFamily::outside
};

// Weight of a sibling against the class, at most 1. What a part with a fraction of the other's matrix units
// or cache needs beyond its base says little of it.
double likeness_at(double distance) { return std::min(1.0, kAlike * kAlike / (distance * distance)); }

// Attention that is built from one source for both architectures of graphics parts. TensorRT-LLM ships
// binaries of their own for each; experts and products choose other tiles.
bool one_source(const LoadedFamily& family, const ContextKernel& kernel, const GpuSpec& gpu) {
  if (family.model.family != Family::AttentionPrefill && family.model.family != Family::AttentionDecode)
    return false;
  const AttentionKernel attention = attention_kernel(kernel.hints, gpu);
  return attention == AttentionKernel::FlashAttention2 || attention == AttentionKernel::FlashAttention3Sm80 ||
         attention == AttentionKernel::FlashInfer || attention == AttentionKernel::Triton;
}

// Asks GPUs of the architectures that `admits` takes.
template <class Admits>
Donors ask_donors(const LoadedFamily& family, const Operator& op, const GpuSpec& gpu,
                  const KernelContext& context, std::uint32_t kind, const ContextKernel& kernel,
                  const FeatureRow& asked, int hidden_gpu, Admits admits) {
  Donors donors;
  for (std::size_t g = 0; g < family.model.gpus.size(); ++g) {
    const GpuSpec* spec = family.specs[g];
    const GpuRecord& record = family.model.gpus[g];
    if (!admits(record.architecture) || record.adapted || family.by_gpu[g] < 0 || int(g) == hidden_gpu ||
        spec == nullptr || spec->name_hash == gpu.name_hash)
      continue;
    const CellIndex::Found found = family.index.find(*spec, context, kind);
    if (!found.measured || family.kernel(*found.cell).asked_as(kernel.hints.clamps_remote_choices) != kernel)
      continue;
    const ContextRecord& at = family.model.contexts[found.cell->context];
    if ((!context.kernel.empty() && at.kernel != context.kernel) ||
        (!context.framework.empty() && at.framework != context.framework))
      continue;
    FeatureRow row;
    compute_features(op, *spec, kernel, family.constants(*spec), row);
    const double distance = std::max(gpu_distance(gpu, *spec), kSame);
    const bool same_version = context.version.empty() || at.version == context.version;
    const double weight = (same_version ? 1.0 : kOtherVersionWeight) / (distance * distance);
    donors.sum += weight * (log_base_with(found.cell->overhead, asked) - asked.log_base +
                            double(found.cell->offset) + own_trees(family, *found.cell, row));
    donors.weight += weight;
    donors.likeness += weight * likeness_at(distance);
    ++donors.count;
    donors.outside = std::max(donors.outside, family.outside(family.by_gpu[g], row));
  }
  return donors;
}

}  // namespace

void LogEstimate::doubt(double half_width) {
  low = -std::hypot(low, half_width);
  high = std::hypot(high, half_width);
}

double gpu_distance(const GpuSpec& a, const GpuSpec& b) {
  const auto part = [](double x, double y) {
    const double ratio = x > 0 && y > 0 ? std::log(x / y) : double(x != y);
    return ratio * ratio;
  };
  return std::sqrt(part(double(a.sm_count), double(b.sm_count)) +
                   part(a.tensor_rates.fp16, b.tensor_rates.fp16) +
                   part(a.memory_bandwidth.value(), b.memory_bandwidth.value()) +
                   part(a.l2_capacity.value(), b.l2_capacity.value()) +
                   part(a.boost_clock.value(), b.boost_clock.value()) +
                   part(a.power_limit.value(), b.power_limit.value()));
}

bool are_cousins(int architecture, int other) {
  constexpr int kAda = 89, kBlackwellRtx = 120;
  return (architecture == kAda && other == kBlackwellRtx) || (architecture == kBlackwellRtx && other == kAda);
}

LogEstimate measured_base(const LoadedFamily& family, const CellRecord& cell, const FeatureRow& row) {
  LogEstimate answer;
  answer.log_p50 = row.log_base + double(cell.offset);
  // Its interval was found for designs outside of what was learned.
  if (family.new_design_trees(cell, row) != nullptr) {
    answer.extrapolated = true;
    widen(answer, cell.interval_new_design, row.log_base, 1.0);
    return answer;
  }
  const int own = family.by_gpu[cell.gpu], ensemble = own >= 0 ? own : family.cross;
  widen(answer, cell.interval, row.log_base, 1.0);
  if (ensemble >= 0) extrapolate(answer, family.outside(ensemble, row));
  return answer;
}

LogEstimate measured_estimate(const LoadedFamily& family, const CellRecord& cell, const FeatureRow& row) {
  LogEstimate answer = measured_base(family, cell, row);
  if (family.by_gpu[cell.gpu] >= 0)
    answer.log_p50 += own_trees(family, cell, row);
  else if (family.cross >= 0)
    answer.log_p50 += cross_trees(family, cell, family.index.codes(cell), row);
  return answer;
}

LogEstimate interpolated_estimate(const LoadedFamily& family, const Operator& op, const CellRecord& cell,
                                  const FeatureRow& row) {
  if (!family.tables) return measured_estimate(family, cell, row);
  const auto known = family.tables->answer(op, std::uint32_t(&cell - family.model.cells.data()), cell,
                                           family.index.codes(cell), row);
  if (!known) return measured_estimate(family, cell, row);
  LogEstimate answer;
  answer.log_p50 = row.log_base + known->residual;
  answer.low = known->low;
  answer.high = known->high;
  const int own = family.by_gpu[cell.gpu], ensemble = own >= 0 ? own : family.cross;
  if (ensemble >= 0) extrapolate(answer, family.outside(ensemble, row));
  return answer;
}

namespace {

LogEstimate sibling_estimate(const LoadedFamily& family, const Donors& donors, const FeatureRow& row) {
  LogEstimate answer;
  answer.from_siblings = true;
  answer.log_p50 = row.log_base + donors.sum / donors.weight;
  widen(answer, family.model.interval_sibling, row.log_base, donors.count == 1 ? kOneDonorWidening : 1.0);
  extrapolate(answer, donors.outside);
  return answer;
}

LogEstimate class_estimate(const LoadedFamily& family, const GpuSpec& gpu, const KernelContext& context,
                           const CellIndex::Found& found, const ContextKernel& kernel, const FeatureRow& row,
                           double trees_share) {
  LogEstimate answer;
  const bool known = family.model.knows_architecture(architecture_class(gpu));
  double outside = 0;
  answer.log_p50 = log_base_with(found.cell->overhead, row) + double(found.cell->offset);
  if (family.cross >= 0) {
    outside = family.outside(family.cross, row);
    const double shrink = double(known ? family.model.shrink_known : family.model.shrink_unknown);
    // Of a source that no GPU ran, trees only repeat what others of the kind need beyond their bases.
    if (family.cross_knows(kernel, gpu))
      answer.log_p50 += trees_share * shrink *
                        cross_trees(family, *found.cell, asked_codes(family, *found.cell, context), row);
  }
  widen(answer, known ? family.model.interval_known : family.model.interval_unknown, row.log_base, 1.0);
  extrapolate(answer, outside);
  if (!found.exact_kind) answer.doubt(kUnlearnedHalfWidth);
  if (is_unlike_all(family.model, gpu)) answer.doubt(kUnlearnedHalfWidth);
  return answer;
}

}  // namespace

LogEstimate cross_estimate(const LoadedFamily& family, const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context, std::uint32_t kind, const ContextKernel& kernel,
                           const FeatureRow& row, int hidden_gpu, const CellIndex::Found* chosen) {
  const CellIndex::Found found = chosen != nullptr ? *chosen : family.index.find_class(gpu, context, kind);
  const int architecture = architecture_class(gpu);
  const auto ask = [&](auto admits) {
    return ask_donors(family, op, gpu, context, kind, kernel, row, hidden_gpu, admits);
  };
  const Donors donors = ask([&](int other) { return other == architecture; });
  const double likeness = donors.weight > 0 ? donors.likeness / donors.weight : 0;
  if (likeness > 0.99) return sibling_estimate(family, donors, row);
  if (likeness <= 0) {
    LogEstimate answer = class_estimate(family, gpu, context, found, kernel, row, 1.0);
    if (!one_source(family, kernel, gpu)) return answer;
    const Donors cousins = ask([&](int other) { return are_cousins(architecture, other); });
    if (cousins.count > 0)
      answer.log_p50 += kCousinShare * (row.log_base + cousins.sum / cousins.weight - answer.log_p50);
    return answer;
  }
  // Trees over all GPUs learned what the unlike sibling needs, too. Those of experts are trusted whole,
  // sibling or none.
  const double trees_share = family.model.family == Family::Moe ? 1.0 : likeness;
  const LogEstimate learned = class_estimate(family, gpu, context, found, kernel, row, trees_share);
  // Between the two in proportion, with the wider interval.
  LogEstimate answer = sibling_estimate(family, donors, row);
  answer.log_p50 = likeness * answer.log_p50 + (1 - likeness) * learned.log_p50;
  answer.low = std::min(answer.low, learned.low);
  answer.high = std::max(answer.high, learned.high);
  answer.extrapolated = answer.extrapolated || learned.extrapolated;
  answer.outside = std::max(answer.outside, learned.outside);
  return answer;
}

LogEstimate adapted_estimate(const LoadedFamily& family, std::size_t gpu_index, const CellRecord* cell,
                             const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                             std::uint32_t kind, ContextKernel kernel, const FeatureRow& row) {
  const GpuRecord& record = family.model.gpus[gpu_index];
  const int own = family.by_gpu[gpu_index];
  KernelContext asked = context;
  if (cell != nullptr) {
    const ContextRecord& at = family.model.contexts[cell->context];
    asked = {at.framework, at.version, at.kernel};
  }
  LogEstimate answer = cross_estimate(family, op, gpu, asked, kind, kernel, row, int(gpu_index));
  const double said = answer.log_p50 - row.log_base;
  answer.log_p50 += double(record.level);
  if (own < 0) return answer;
  const CellRecord& like = cell != nullptr ? *cell : *family.index.find_class(gpu, context, kind).cell;
  const ContextCodes& codes = family.index.codes(like);
  const Kriging& kriging = family.kriging(own);
  const DonorAnswers donors =
      kriging.asks_donors() ? donor_answers(family, op, asked, kind, kernel, row, said) : DonorAnswers();
  answer.log_p50 += kriging.predict(row, {codes.framework, codes.kernel, codes.version, kind}, donors.all());
  if (cell == nullptr) return answer;
  if (record.share > 0) answer.log_p50 += double(record.share) * tree_sum(family, own, *cell, said, row);
  widen(answer, cell->interval, row.log_base, 1.0);
  extrapolate(answer, answer.outside);
  return answer;
}

}  // namespace warploom
