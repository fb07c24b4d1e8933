#include "warploom/predictor/model/cell_index.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "warploom/base/version.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/predictor/features/features.h"

namespace warploom {
namespace {

bool has_schemes(Family family) { return family == Family::Gemm || family == Family::Moe; }

// A library timed by itself: its call holds no quantising pass, so what an engine calls does not stand in for
// it.
bool is_bare_library(const KernelContext& context) {
  return !context.framework.empty() && !is_engine(context.framework);
}

}  // namespace

// What is asked, and what the steps of the search need of it more than once.
struct CellIndex::Question {
  const GpuSpec& gpu;
  const KernelContext& context;
  std::uint32_t kind;
  const Operator* op = nullptr;  // nullptr: of the kind alone
  ContextNames names = names_of(context);
  mutable std::optional<NearKinds> known_kinds{};

  // The own first. Looked up where the own kind does not answer.
  std::span<const NearKind> kinds() const {
    if (!known_kinds) known_kinds = op != nullptr ? near_kinds(*op, gpu) : own_kind(kind);
    return known_kinds->all();
  }
  NearKind own() const { return {.kind = kind}; }
};

CellIndex::CellIndex(const FamilyModel& model) : model_(model), table_(model), codes_(context_codes(model)) {}

CellIndex::Found CellIndex::find(const GpuSpec& gpu, const KernelContext& context, std::uint32_t kind) const {
  const Question question{gpu, context, kind};
  const Found here = first(kOwnKind, question);
  return here.cell != nullptr ? here : elsewhere(question);
}

CellIndex::Found CellIndex::find(const GpuSpec& gpu, const KernelContext& context, const Operator& op) const {
  const Question question{gpu, context, kind_code(op), &op};
  // What is known of a kernel that is named goes before all kin, and a library's own kernel has none.
  const bool bare = is_bare_library(context);
  if (bare || !context.kernel.empty()) {
    const Found own = find(gpu, context, question.kind);
    const bool named = own.cell != nullptr && table_.context_of(*own.cell).kernel == context.kernel;
    if (named || (bare && own.cell != nullptr && own.exact_kind)) return own;
  }
  const Found here = first(kHereWithKin, question);
  return here.cell != nullptr ? here : elsewhere(question);
}

CellIndex::Found CellIndex::find_elsewhere(const GpuSpec& gpu, const KernelContext& context,
                                           std::uint32_t kind) const {
  return elsewhere({gpu, context, kind});
}

CellIndex::Found CellIndex::first(std::span<const Nearness> order, const Question& question) const {
  for (const Nearness& nearness : order)
    if (const Found found = at(nearness, question); found.cell != nullptr) return found;
  return {};
}

CellIndex::Found CellIndex::at(const Nearness& nearness, const Question& question) const {
  if (nearness.whose == Whose::Named) return named(nearness, question);
  if (nearness.kin == Kin::Eager) return eager_here(question);
  if (nearness.kin != Kin::Own) return kin_here(nearness, question);
  const CellRecord* cell = own_here(nearness.whose, question);
  if (cell == nullptr) return {};
  const Found found = measured(*cell, question, question.own());
  if (nearness.whose == Whose::NoOthers && found.other_engine) return {};
  // The same kernel on GPUs of this architecture is nearer than a library's own timed on this one.
  const bool passed_over =
      question.op != nullptr && found.other_engine && is_library(*cell) && siblings_ran(question);
  return passed_over ? Found{} : found;
}

CellIndex::Found CellIndex::named(const Nearness& nearness, const Question& question) const {
  const ContextNames& names = question.names;
  if (names.kernel == 0) return {};
  if (nearness.place == Place::Elsewhere)
    return {table_.class_of_kernel(names, question.kind), false, true, false, question.kind, question.own()};
  const CellRecord* cell = table_.here(question.gpu, names, question.kind);
  if (cell == nullptr)
    cell = table_.nearest_version(question.gpu, names, question.context.version, question.kind);
  if (cell == nullptr) cell = table_.here(question.gpu, {names.framework, 0, names.kernel}, question.kind);
  if (cell == nullptr) cell = table_.here(question.gpu, {0, 0, names.kernel}, question.kind);
  return {cell, true, true, false, question.kind, question.own()};
}

// What is not timed eagerly.
const CellRecord* CellIndex::own_here(Whose whose, const Question& question) const {
  return whose == Whose::Asked ? asked_here(question, false)
                               : table_.default_here(question.gpu, CellTable::kAnyFramework, question.kind);
}

// The framework's that is named. One after the other: the first serves nearly always.
const CellRecord* CellIndex::asked_here(const Question& question, bool eager_too) const {
  const ContextNames& names = question.names;
  const auto serves = [&](const CellRecord* cell) {
    return cell != nullptr && (eager_too || !cell->launch_bound);
  };
  const CellRecord* cell = table_.here(question.gpu, {names.framework, names.version, 0}, question.kind);
  if (!serves(cell))
    cell = table_.nearest_default(question.gpu, names, question.context.version, question.kind);
  if (!serves(cell)) cell = table_.here(question.gpu, {names.framework, 0, 0}, question.kind);
  return serves(cell) ? cell : nullptr;
}

// Where nothing else of the kind is here: what is there was timed eagerly.
CellIndex::Found CellIndex::eager_here(const Question& question) const {
  if (own_here(Whose::Anyones, question) != nullptr) return {};
  const CellRecord* cell = asked_here(question, true);
  if (cell == nullptr) cell = table_.here(question.gpu, {CellTable::kAnyFramework, 0, 0}, question.kind);
  if (cell == nullptr) return {};
  if (question.op != nullptr && is_library(*cell)) return {};
  return measured(*cell, question, question.own());
}

CellIndex::Found CellIndex::kin_here(const Nearness& nearness, const Question& question) const {
  const bool other_scales = nearness.kin == Kin::OtherScales;
  if (other_scales && siblings_ran(question)) return {};
  const std::uint64_t framework =
      nearness.whose == Whose::Asked ? question.names.framework : CellTable::kAnyFramework;
  for (const NearKind& kin : question.kinds()) {
    if (kin.distance != 0 || kin.kind == question.kind || kin.other_scales != other_scales) continue;
    const CellRecord* cell = table_.default_here(question.gpu, framework, kin.kind);
    if (cell == nullptr) continue;
    if (framework == CellTable::kAnyFramework && !is_engine(table_.context_of(*cell).framework)) continue;
    return measured(*cell, question, kin);
  }
  return {};
}

bool CellIndex::siblings_ran(const Question& question) const {
  const auto ran = [&](const NearKind& kin) {
    const bool same = kin.kind == question.kind || (kin.distance == 0 && !kin.other_scales);
    return same && table_.class_beside(question.gpu, question.names.framework, kin.kind) != nullptr;
  };
  const auto kinds = question.kinds();
  return std::any_of(kinds.begin(), kinds.end(), ran);
}

CellIndex::Found CellIndex::elsewhere(const Question& question) const {
  const Found own = named({Place::Elsewhere, Whose::Named, Kin::Own}, question);
  if (own.cell != nullptr) return own;
  for (double last = -1;;) {
    double next = std::numeric_limits<double>::infinity();
    for (const NearKind& kin : question.kinds())
      if (kin.distance > last) next = std::min(next, kin.distance);
    if (next == std::numeric_limits<double>::infinity()) return last_resort(question);
    if (const Found found = at_distance(next, last < 0, question); found.cell != nullptr) return found;
    last = next;
  }
}

CellIndex::Found CellIndex::at_distance(double distance, bool nearest, const Question& question) const {
  for (const Nearness& nearness : is_bare_library(question.context) ? kOtherGpusOfLibrary : kOtherGpus) {
    if (nearness.whose == Whose::Asked && question.names.framework == 0) continue;
    const bool beside = nearness.place == Place::Beside;
    const std::uint64_t framework =
        nearness.whose == Whose::Asked ? question.names.framework : CellTable::kAnyFramework;
    for (const NearKind& kin : question.kinds()) {
      // GPUs of this architecture run the own kind as this one does.
      const bool own = kin.kind == question.kind;
      if (kin.distance != distance && !(beside && own && nearest)) continue;
      const CellRecord* cell = beside ? table_.class_beside(question.gpu, framework, kin.kind)
                                      : table_.class_anywhere(framework, kin.kind);
      if (cell == nullptr) continue;
      if (nearness.whose == Whose::Engines && rank_of(table_.context_of(*cell)) == 0) continue;
      const bool same = kin.distance == 0;
      return {cell, false, same || (beside && own), false, same ? kin.kind : question.kind, kin};
    }
  }
  return {};
}

CellIndex::Found CellIndex::last_resort(const Question& question) const {
  const NearKind own = question.kinds().front();
  for (const std::uint64_t framework : {question.names.framework, CellTable::kAnyFramework})
    if (const CellRecord* cell = table_.class_anywhere(framework, CellTable::kAnyKind))
      return {cell, false, false, false, own.kind, own};
  if (const CellRecord* cell = table_.here(question.gpu, {CellTable::kOwnKernels, 0, 0}, own.kind))
    return {cell, true, true, true, own.kind, own};
  for (const std::uint64_t kind : {std::uint64_t(own.kind), CellTable::kAnyKind})
    if (const CellRecord* cell = table_.class_anywhere(CellTable::kOwnKernels, kind))
      return {cell, false, kind != CellTable::kAnyKind, false, own.kind, own};
  return {};
}

CellIndex::Found CellIndex::measured(const CellRecord& cell, const Question& question,
                                     const NearKind& near) const {
  const std::string_view framework = table_.context_of(cell).framework;
  const std::string_view asked = question.context.framework;
  const bool other = is_engine(asked) && framework != asked && (is_engine(framework) || is_library(cell));
  return {&cell, true, true, other, near.kind, near};
}

bool CellIndex::is_library(const CellRecord& cell) const {
  const ContextRecord& context = table_.context_of(cell);
  return is_swept(context) || (has_schemes(model_.family) && rank_of(context) == 0);
}

bool CellIndex::may_be_replaced(const Found& found, const KernelContext& context) const {
  if (found.cell == nullptr || found.measured != context.kernel.empty()) return false;
  if (is_bare_library(context)) return false;
  const ContextRecord& at = table_.context_of(*found.cell);
  return !found.measured || (is_library(*found.cell) && !is_swept(at) && at.framework != context.framework);
}

CellIndex::Found CellIndex::instead_of(const Found& found, const GpuSpec& gpu, const KernelContext& context,
                                       const Operator& op) const {
  if (!may_be_replaced(found, context)) return {};
  if (!found.measured) {
    Found here = find(gpu, {context.framework, context.version, {}}, op);
    here.other_engine = here.measured;
    return here.measured ? here : Found{};
  }
  const Question question{gpu, context, kind_code(op), &op};
  for (const std::uint64_t framework : {question.names.framework, CellTable::kAnyFramework})
    for (const NearKind& kin : question.kinds()) {
      if (kin.distance != 0 || kin.kind == found.kind) continue;
      const CellRecord* cell = table_.default_here(gpu, framework, kin.kind);
      if (cell != nullptr && rank_of(table_.context_of(*cell)) > 0) return measured(*cell, question, kin);
    }
  const Found others = elsewhere(question);
  return others.cell != nullptr && rank_of(table_.context_of(*others.cell)) > 0 ? others : Found{};
}

CellIndex::Found CellIndex::newer_eager(const Found& found, const GpuSpec& gpu, const KernelContext& context,
                                        std::uint32_t kind) const {
  if (!table_.has_eager(kind) || found.cell == nullptr || found.cell->launch_bound || !context.kernel.empty())
    return {};
  const ContextRecord& chosen = table_.context_of(*found.cell);
  const std::string_view engine = context.framework.empty() ? chosen.framework : context.framework;
  if (!is_engine(engine)) return {};
  const ContextNames names = names_of(KernelContext{.framework = engine});
  const CellRecord* cell = table_.eager_here(gpu, names.framework, kind);
  const bool here = cell != nullptr;
  if (!here && !found.measured) cell = table_.eager_beside(gpu, names.framework, kind);
  if (cell == nullptr) return {};
  const ContextRecord& eager = table_.context_of(*cell);
  if (chosen.framework == engine && compare_versions(eager.version, chosen.version) <= 0) return {};
  if (!context.version.empty() && compare_versions(context.version, eager.version) < 0) return {};
  if (!here)
    cell = table_.class_of_kernel(names_of(KernelContext{.framework = engine, .kernel = eager.kernel}), kind);
  if (cell == nullptr) return {};
  return {cell, here, true, false, kind, {.kind = kind}};
}

}  // namespace warploom
