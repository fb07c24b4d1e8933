#include "warploom/predictor/answer/cross_estimate.h"

#include <algorithm>

#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/attention/attention_tiling.h"
#include "warploom/predictor/answer/doubt.h"
#include "warploom/predictor/answer/measured_estimate.h"
#include "warploom/predictor/model/gpu_likeness.h"

namespace warploom {
namespace {

constexpr double kOneDonorWidening = 1.3;  // no pair of this architecture was there to set the interval
constexpr double kSame = 0.1;              // of gpu_distance: closer donors count no more
constexpr double kAlike = 0.5;             // of gpu_distance, up to which siblings are asked alone
// The weight of a donor that has another version alone (decision 0013): a choice, so that one that ran the
// version that is asked for outweighs three that did not.
constexpr double kOtherVersionWeight = 0.25;
// How far the answer goes towards what a GPU of a cousin architecture needs beyond its base. Decision 0032:
// what L40S and RTX PRO 6000 need correlates to 0.72 to 0.91; 0.5 and 0.85 err alike within 0.6 points.
constexpr double kCousinShare = 0.7;
// The likeness above which the class has no say: it would move the answer by less than a hundredth of what
// the two differ by.
constexpr double kSiblingsAlone = 0.99;

// The codes of a class. Its cell has the newest version; the version that is asked for replaces it if any GPU
// ran that.
ContextCodes asked_codes(const LoadedFamily& family, const CellRecord& cell, const KernelContext& context) {
  ContextCodes codes = family.index.codes(cell);
  if (context.version.empty()) return codes;
  const auto& contexts = family.model.contexts;
  for (std::size_t c = 0; c < contexts.size(); ++c)
    if (contexts[c].version == context.version && contexts[c].framework == context.framework)
      codes.version = family.index.codes_of(c).version;
  return codes;
}

struct Donors {
  int count = 0;
  double sum = 0, weight = 0;  // of their residuals over their bases
  double likeness = 0;         // weighted
  double outside = 0;          // the farthest, of LoadedFamily::outside
};

// Weight of a sibling against the class, at most 1. The residual of a part with a fraction of the other's
// matrix units or cache tells little about the other.
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

// Asks GPUs of the architectures that `admits` takes; `asked` holds the call's features.
template <class Admits>
Donors ask_donors(const LoadedFamily& family, const KernelCall& call, const OperatorFeatures& asked,
                  int hidden_gpu, Admits admits) {
  const KernelContext& context = call.context;
  Donors donors;
  for (std::size_t g = 0; g < family.model.gpus.size(); ++g) {
    const GpuSpec* spec = family.specs[g];
    const GpuRecord& record = family.model.gpus[g];
    if (!admits(record.architecture) || record.adapted || family.by_gpu[g] < 0 || int(g) == hidden_gpu ||
        spec == nullptr || spec->name_hash == call.gpu.name_hash)
      continue;
    const CellIndex::Found found = family.index.find(*spec, context, call.kind);
    if (!found.measured || family.kernel(*found.cell).asked_like(call.kernel) != call.kernel) continue;
    const ContextRecord& at = family.model.contexts[found.cell->context];
    if ((!context.kernel.empty() && at.kernel != context.kernel) ||
        (!context.framework.empty() && at.framework != context.framework))
      continue;
    OperatorFeatures row;
    family.features_of(g, call.op, call.kernel, row);
    const double distance = std::max(gpu_distance(call.gpu, *spec), kSame);
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

LogEstimate sibling_estimate(const LoadedFamily& family, const Donors& donors, const OperatorFeatures& row) {
  LogEstimate answer;
  answer.from_siblings = true;
  answer.log_p50 = row.log_base + donors.sum / donors.weight;
  answer.set_interval(family.model.interval_sibling, row.log_base,
                      donors.count == 1 ? kOneDonorWidening : 1.0);
  answer.set_outside(donors.outside);
  return answer;
}

LogEstimate class_estimate(const LoadedFamily& family, const KernelCall& call, const CellIndex::Found& found,
                           const OperatorFeatures& row, double trees_share) {
  LogEstimate answer;
  const bool known = family.model.knows_architecture(architecture_class(call.gpu));
  double outside = 0;
  answer.log_p50 = log_base_with(found.cell->overhead, row) + double(found.cell->offset);
  if (family.cross >= 0) {
    outside = family.outside(family.cross, row);
    const double shrink = double(known ? family.model.shrink_known : family.model.shrink_unknown);
    // For a source that no GPU ran, the trees would only repeat the residuals of others of the kind.
    if (family.cross_knows(call.kernel, call.gpu))
      answer.log_p50 += trees_share * shrink *
                        cross_trees(family, *found.cell, asked_codes(family, *found.cell, call.context), row);
  }
  answer.set_interval(known ? family.model.interval_known : family.model.interval_unknown, row.log_base);
  answer.set_outside(outside);
  if (!found.exact_kind) answer.doubt(kUnlearnedHalfWidth);
  if (is_unlike_all(family.model, call.gpu)) answer.doubt(kUnlearnedHalfWidth);
  return answer;
}

}  // namespace

LogEstimate cross_estimate(const LoadedFamily& family, const KernelCall& call, const OperatorFeatures& row,
                           int hidden_gpu, const CellIndex::Found* chosen) {
  const CellIndex::Found found =
      chosen != nullptr ? *chosen : family.index.find_elsewhere(call.gpu, call.context, call.kind);
  const int architecture = architecture_class(call.gpu);
  const auto ask = [&](auto admits) { return ask_donors(family, call, row, hidden_gpu, admits); };
  const Donors donors = ask([&](int other) { return other == architecture; });
  const double likeness = donors.weight > 0 ? donors.likeness / donors.weight : 0;
  if (likeness > kSiblingsAlone) return sibling_estimate(family, donors, row);
  if (likeness <= 0) {
    LogEstimate answer = class_estimate(family, call, found, row, 1.0);
    if (!one_source(family, call.kernel, call.gpu)) return answer;
    const Donors cousins = ask([&](int other) { return are_cousins(architecture, other); });
    if (cousins.count > 0)
      answer.log_p50 += kCousinShare * (row.log_base + cousins.sum / cousins.weight - answer.log_p50);
    return answer;
  }
  // The trees over all GPUs learned the unlike sibling's residuals too. Those of experts get their full
  // weight, with a sibling or without.
  const double trees_share = family.model.family == Family::Moe ? 1.0 : likeness;
  const LogEstimate learned = class_estimate(family, call, found, row, trees_share);
  // Between the two in proportion, with the wider interval.
  LogEstimate answer = sibling_estimate(family, donors, row);
  answer.log_p50 = likeness * answer.log_p50 + (1 - likeness) * learned.log_p50;
  answer.low = std::min(answer.low, learned.low);
  answer.high = std::max(answer.high, learned.high);
  answer.extrapolated = answer.extrapolated || learned.extrapolated;
  answer.outside = std::max(answer.outside, learned.outside);
  return answer;
}

}  // namespace warploom
