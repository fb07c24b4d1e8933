#include "warploom/predictor/model/cell_index.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "warploom/base/hash.h"
#include "warploom/base/version.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/predictor/features/features.h"

namespace warploom {
namespace {

constexpr std::uint64_t kAnyKind = 0xFFFFF;
constexpr std::uint32_t kNarrow = 4;  // times the rows of a narrow cell, that another version has at least
constexpr std::uint32_t kStray = 50;  // times those of a stray one, that another of the engine's cells has
constexpr std::uint64_t kNoGpu = 0;
constexpr std::uint64_t kAnyKernel = 2;
constexpr std::uint64_t kEagerVersion =
    1;  // in place of a version: the best of those that were timed eagerly

std::uint64_t name_key(std::string_view name) { return name.empty() ? 0 : hash_bytes(name); }

struct NameKeys {
  std::uint64_t framework, version, kernel;
};

std::uint64_t key_of(std::uint64_t place, const NameKeys& names, std::uint64_t kind) {
  return hash_combine(
      hash_combine(hash_combine(hash_combine(place, names.framework), names.version), names.kernel), kind);
}

std::uint64_t architecture_key(int architecture) {
  return hash_combine(0x61726368, std::uint64_t(architecture));
}

// Rows of the user's own GPU that warploom-collect timed.
constexpr std::string_view kSweep = "warploom";

// A library that engines call, timed on the user's own GPU, comes before what others measured.
int rank_of(const ContextRecord& context) {
  const std::string_view framework = context.framework;
  if (framework == kSweep && context.kernel == "cublaslt") return int(EnumNames<Engine>::kNames.size()) + 1;
  return engine_rank(framework);
}

NameKeys keys_of(const ContextRecord& context) {
  return {name_key(context.framework), name_key(context.version), name_key(context.kernel)};
}

bool has_schemes(Family family) { return family == Family::Gemm || family == Family::Moe; }

// A library timed by itself: its call holds no quantising pass, so what an engine calls does not stand in for
// it.
bool is_bare_library(const KernelContext& context) {
  return !context.framework.empty() && !is_engine(context.framework);
}

// Under which cells are found when no framework is named. The collector's own kernels are simpler than any
// that an engine calls, so they have a place of their own, which is asked last.
constexpr std::uint64_t kAnyFramework = 0, kOwnKernels = 1;
std::uint64_t any_framework(const ContextRecord& context) {
  return context.framework == kSweep && context.kernel.starts_with("own_") ? kOwnKernels : kAnyFramework;
}

// Numbers of names: as they came, until they are numbered by name.
template <typename Name>
class NameNumbers {
 public:
  void add(const Name& name) { numbers_.try_emplace(name, float(numbers_.size())); }
  void number_by_name() {
    float next = 0;
    for (auto& [name, number] : numbers_) number = next++;
  }
  float of(const Name& name) const { return numbers_.at(name); }

 private:
  std::map<Name, float> numbers_;
};

}  // namespace

std::vector<ContextCodes> context_codes(const FamilyModel& model) {
  const std::size_t trained = model.trained_contexts > 0 ? model.trained_contexts : model.contexts.size();
  NameNumbers<std::string> frameworks, versions;
  NameNumbers<std::pair<std::string, std::string>> kernels;
  for (std::size_t i = 0; i < model.contexts.size(); ++i) {
    const ContextRecord& context = model.contexts[i];
    frameworks.add(context.framework);
    versions.add(context.version);
    kernels.add({context.framework, context.kernel});
    if (i + 1 != trained) continue;
    frameworks.number_by_name();
    versions.number_by_name();
    kernels.number_by_name();
  }
  std::vector<ContextCodes> codes;
  for (const ContextRecord& context : model.contexts)
    codes.push_back({frameworks.of(context.framework), kernels.of({context.framework, context.kernel}),
                     versions.of(context.version)});
  return codes;
}

CellIndex::CellIndex(const FamilyModel& model) : model_(model), codes_(context_codes(model)) {
  for (const ContextRecord& context : model.contexts) positions_.push_back(version_position(context.version));
  find_narrow_cells();
  for (std::uint32_t i = 0; i < model.cells.size(); ++i) {
    const CellRecord& cell = model.cells[i];
    if (cell.gpu == CellRecord::kAnyGpu)
      offer_class(cell, i);
    else
      offer_measured(cell, i);
  }
}

void CellIndex::find_narrow_cells() {
  std::unordered_map<std::uint64_t, std::uint32_t> most;
  const auto kernel_at = [&](const CellRecord& cell) {
    const NameKeys names = keys_of(model_.contexts[cell.context]);
    return key_of(cell.gpu, {names.framework, std::uint64_t(cell.launch_bound), names.kernel}, cell.kind);
  };
  const auto engine_at = [&](const CellRecord& cell) {
    const std::uint64_t framework = name_key(model_.contexts[cell.context].framework);
    return key_of(cell.gpu, {framework, std::uint64_t(cell.launch_bound), kAnyKernel}, cell.kind);
  };
  for (const CellRecord& cell : model_.cells)
    for (const std::uint64_t key : {kernel_at(cell), engine_at(cell)})
      most[key] = std::max(most[key], cell.rows);
  for (const CellRecord& cell : model_.cells) {
    narrow_.push_back(kNarrow * cell.rows < most[kernel_at(cell)]);
    stray_.push_back(kStray * cell.rows < most[engine_at(cell)]);
  }
}

void CellIndex::offer_class(const CellRecord& cell, std::uint32_t number) {
  const ContextRecord& context = model_.contexts[cell.context];
  const NameKeys full = keys_of(context);
  const std::uint64_t any = any_framework(context);
  for (const std::uint64_t kind : {std::uint64_t(cell.kind), kAnyKind})
    for (const NameKeys& names : {NameKeys{full.framework, 0, full.kernel}, NameKeys{0, 0, full.kernel},
                                  NameKeys{full.framework, 0, 0}, NameKeys{any, 0, 0}})
      offer(key_of(kNoGpu, names, kind), number);
}

void CellIndex::offer_measured(const CellRecord& cell, std::uint32_t number) {
  const ContextRecord& context = model_.contexts[cell.context];
  const NameKeys full = keys_of(context);
  const std::uint64_t any = any_framework(context);
  const GpuRecord& gpu = model_.gpus[cell.gpu];
  const std::uint64_t place = hash_bytes(gpu.name);
  for (const NameKeys& names : {full, NameKeys{full.framework, 0, full.kernel}, NameKeys{0, 0, full.kernel},
                                NameKeys{full.framework, 0, 0}, NameKeys{any, 0, 0}})
    offer(key_of(place, names, cell.kind), number);
  if (!stray_[number]) offer(key_of(place, {full.framework, full.version, 0}, cell.kind), number);
  if (!stray_[number]) versions_[key_of(place, {full.framework, 0, 0}, cell.kind)].push_back(number);
  if (full.kernel != 0)
    versions_[key_of(place, {full.framework, 0, full.kernel}, cell.kind)].push_back(number);
  // The defaults of an architecture point at a measured cell, whose class is looked up afterwards.
  const std::uint64_t arch = architecture_key(gpu.architecture);
  offer(key_of(arch, {full.framework, 0, 0}, cell.kind), number);
  // A sweep is of one GPU and has no class that could answer for others.
  if (context.framework != kSweep) offer(key_of(arch, {kAnyFramework, 0, 0}, cell.kind), number);
  if (!cell.launch_bound) return;
  for (const std::uint64_t at : {place, arch})
    offer(key_of(at, {full.framework, kEagerVersion, 0}, cell.kind), number);
  if (std::find(eager_kinds_.begin(), eager_kinds_.end(), cell.kind) == eager_kinds_.end())
    eager_kinds_.push_back(cell.kind);
}

bool CellIndex::better(std::uint32_t first, std::uint32_t second) const {
  const CellRecord &a = model_.cells[first], &b = model_.cells[second];
  if (a.launch_bound != b.launch_bound) return b.launch_bound;
  const ContextRecord &x = model_.contexts[a.context], &y = model_.contexts[b.context];
  if (const int d = rank_of(x) - rank_of(y); d != 0) return d > 0;
  if (narrow_[first] != narrow_[second]) return narrow_[second];
  if (const int d = compare_versions(x.version, y.version); d != 0) return d > 0;
  return a.rows > b.rows;
}

void CellIndex::offer(std::uint64_t key, std::uint32_t cell) {
  const auto [at, fresh] = cells_.try_emplace(key, cell);
  if (!fresh && better(cell, at->second)) at->second = cell;
}

const CellRecord* CellIndex::nearest_version(const GpuSpec& gpu, std::uint64_t framework,
                                             std::uint64_t kernel, std::string_view version,
                                             std::uint32_t kind) const {
  const double asked = version_position(version);
  const auto at = versions_.find(key_of(gpu.name_hash, {framework, 0, kernel}, kind));
  if (asked < 0 || framework == 0 || at == versions_.end()) return nullptr;
  const auto rank = [&](const CellRecord& cell) {
    const double position = positions_[cell.context];
    return std::tuple(cell.launch_bound, bool(narrow_[std::size_t(&cell - model_.cells.data())]),
                      std::abs(position - asked), position, -double(cell.rows));
  };
  const CellRecord* best = nullptr;
  for (const std::uint32_t number : at->second) {
    const CellRecord& cell = model_.cells[number];
    if (positions_[cell.context] >= 0 && (best == nullptr || rank(cell) < rank(*best))) best = &cell;
  }
  return best;
}

const CellRecord* CellIndex::nearest_default(const GpuSpec& gpu, const KernelContext& context,
                                             std::uint32_t kind) const {
  if (context.version.empty()) return nullptr;
  const std::uint64_t framework = name_key(context.framework);
  const CellRecord* newest = lookup(key_of(gpu.name_hash, {framework, 0, 0}, kind));
  if (newest == nullptr) return nullptr;
  const std::uint64_t kernel = name_key(model_.contexts[newest->context].kernel);
  return nearest_version(gpu, framework, kernel, context.version, kind);
}

const CellRecord* CellIndex::lookup(std::uint64_t key) const {
  const auto at = cells_.find(key);
  return at == cells_.end() ? nullptr : &model_.cells[at->second];
}

const CellRecord* CellIndex::exact(const GpuSpec& gpu, const KernelContext& context,
                                   std::uint32_t kind) const {
  const NameKeys names{name_key(context.framework), name_key(context.version), name_key(context.kernel)};
  const CellRecord* cell = lookup(key_of(gpu.name_hash, names, kind));
  if (cell == nullptr) return nullptr;
  const ContextRecord& record = model_.contexts[cell->context];
  const bool same = record.framework == context.framework && record.version == context.version &&
                    record.kernel == context.kernel;
  return same ? cell : nullptr;
}

CellIndex::Found CellIndex::measured(const CellRecord& cell, const KernelContext& context,
                                     const NearKind& near) const {
  const std::string_view framework = model_.contexts[cell.context].framework;
  const bool other = is_engine(context.framework) && framework != context.framework &&
                     (is_engine(framework) || is_library(cell));
  return {&cell, true, true, other, near.kind, near};
}

bool CellIndex::is_library(const CellRecord& cell) const {
  const ContextRecord& context = model_.contexts[cell.context];
  return context.framework == kSweep || (has_schemes(model_.family) && rank_of(context) == 0);
}

const CellRecord* CellIndex::default_at(const GpuSpec& gpu, std::uint64_t framework, std::uint64_t version,
                                        std::uint32_t kind) const {
  const CellRecord* cell = lookup(key_of(gpu.name_hash, {framework, version, 0}, kind));
  return cell != nullptr && !cell->launch_bound ? cell : nullptr;
}

CellIndex::Found CellIndex::find(const GpuSpec& gpu, const KernelContext& context, std::uint32_t kind) const {
  const NameKeys full{name_key(context.framework), name_key(context.version), name_key(context.kernel)};
  const auto at_gpu = [&](const NameKeys& names) { return lookup(key_of(gpu.name_hash, names, kind)); };
  const NearKind own{.kind = kind};
  if (full.kernel != 0) {
    if (const CellRecord* cell = at_gpu(full)) return {cell, true, true, false, kind, own};
    if (const CellRecord* cell = nearest_version(gpu, full.framework, full.kernel, context.version, kind))
      return {cell, true, true, false, kind, own};
    for (const NameKeys& names : {NameKeys{full.framework, 0, full.kernel}, NameKeys{0, 0, full.kernel}})
      if (const CellRecord* cell = at_gpu(names)) return {cell, true, true, false, kind, own};
    if (const CellRecord* cell = class_of_kernel(full.framework, full.kernel, kind))
      return {cell, false, true, false, kind, own};
  }
  // An engine runs its kernels from CUDA graphs: another framework's kernel is nearer than its own timed
  // eagerly.
  const CellRecord* eager = nullptr;
  const auto serves = [&](const CellRecord* cell) {
    if (cell != nullptr && cell->launch_bound && eager == nullptr) eager = cell;
    return cell != nullptr && !cell->launch_bound;
  };
  // One after the other: the first serves nearly always.
  const CellRecord* cell = at_gpu({full.framework, full.version, 0});
  if (!serves(cell)) cell = nearest_default(gpu, context, kind);
  if (!serves(cell) && full.version != 0) cell = at_gpu({full.framework, 0, 0});
  if (!serves(cell) && full.framework != 0) cell = at_gpu({kAnyFramework, 0, 0});
  if (serves(cell)) return measured(*cell, context, own);
  if (eager != nullptr) return measured(*eager, context, own);
  return find_class(gpu, context, kind);
}

CellIndex::Found CellIndex::find_near(const GpuSpec& gpu, const KernelContext& context,
                                      const Operator& op) const {
  const Found own = find(gpu, context, kind_code(op));
  const bool eager = own.measured && own.cell->launch_bound;
  if (own.measured && !own.other_engine && !eager) return own;
  if (is_bare_library(context) && own.cell != nullptr && own.exact_kind) return own;
  const std::uint64_t framework = name_key(context.framework);
  if (!context.kernel.empty() && own.cell != nullptr &&
      model_.contexts[own.cell->context].kernel == context.kernel)
    return own;
  const NearKinds near = near_kinds(op, gpu);
  const auto kin_at = [&](std::uint64_t asked, bool other_scales) -> Found {
    for (const NearKind& kin : near.all())
      if (kin.distance == 0 && kin.kind != own.kind && kin.other_scales == other_scales)
        if (const CellRecord* cell = default_at(gpu, asked, 0, kin.kind);
            cell != nullptr &&
            (asked != kAnyFramework || is_engine(model_.contexts[cell->context].framework)))
          return measured(*cell, context, kin);
    return {};
  };
  // The same kernel on GPUs of this architecture is nearer than a library's own timed on this one, or than
  // one that has a scale for each block of weights where the operator's has none.
  const std::uint64_t arch = architecture_key(architecture_class(gpu));
  const auto ran_by_siblings = [&](const NearKind& kin) {
    return kin.distance == 0 && !kin.other_scales && sibling_class(arch, framework, kin.kind) != nullptr;
  };
  const bool siblings = std::any_of(near.all().begin(), near.all().end(), ran_by_siblings) ||
                        sibling_class(arch, framework, kind_code(op)) != nullptr;
  const bool library = own.measured && is_library(*own.cell);
  for (const std::uint64_t asked : {framework, kAnyFramework}) {
    if (const Found kin = kin_at(asked, false); kin.cell != nullptr) return kin;
    if (own.measured && !eager && !(library && siblings)) return own;
  }
  if (!siblings)
    for (const std::uint64_t asked : {framework, kAnyFramework})
      if (const Found kin = kin_at(asked, true); kin.cell != nullptr) return kin;
  return own.measured && !library ? own : find_near_class(gpu, context, near);
}

CellIndex::Found CellIndex::find_eager(const GpuSpec& gpu, const KernelContext& context, std::uint32_t kind,
                                       const Found& found) const {
  const bool some = std::find(eager_kinds_.begin(), eager_kinds_.end(), kind) != eager_kinds_.end();
  if (!some || found.cell == nullptr || found.cell->launch_bound || !context.kernel.empty()) return {};
  const ContextRecord& chosen = model_.contexts[found.cell->context];
  const std::string_view engine = context.framework.empty() ? chosen.framework : context.framework;
  if (!is_engine(engine)) return {};
  const NameKeys names{name_key(engine), kEagerVersion, 0};
  const CellRecord* cell = lookup(key_of(gpu.name_hash, names, kind));
  const bool here = cell != nullptr;
  if (!here && !found.measured) cell = lookup(key_of(architecture_key(architecture_class(gpu)), names, kind));
  if (cell == nullptr) return {};
  const ContextRecord& eager = model_.contexts[cell->context];
  if (chosen.framework == engine && compare_versions(eager.version, chosen.version) <= 0) return {};
  if (!context.version.empty() && compare_versions(context.version, eager.version) < 0) return {};
  if (!here) cell = class_of_kernel(names.framework, name_key(eager.kernel), kind);
  if (cell == nullptr) return {};
  return {cell, here, true, false, kind, {.kind = kind}};
}

bool CellIndex::may_be_replaced(const Found& found, const KernelContext& context) const {
  if (found.cell == nullptr || found.measured != context.kernel.empty()) return false;
  if (is_bare_library(context)) return false;
  const std::string_view framework = model_.contexts[found.cell->context].framework;
  return !found.measured ||
         (is_library(*found.cell) && framework != kSweep && framework != context.framework);
}

CellIndex::Found CellIndex::find_instead(const GpuSpec& gpu, const KernelContext& context, const Operator& op,
                                         const Found& found) const {
  if (!may_be_replaced(found, context)) return {};
  if (!found.measured) {
    Found here = find_near(gpu, {context.framework, context.version, {}}, op);
    here.other_engine = here.measured;
    return here.measured ? here : Found{};
  }
  const NearKinds near = near_kinds(op, gpu);
  for (const std::uint64_t asked : {name_key(context.framework), kAnyFramework})
    for (const NearKind& kin : near.all())
      if (kin.distance == 0 && kin.kind != found.kind)
        if (const CellRecord* cell = default_at(gpu, asked, 0, kin.kind);
            cell != nullptr && rank_of(model_.contexts[cell->context]) > 0)
          return measured(*cell, context, kin);
  const Found others = find_near_class(gpu, context, near);
  return others.cell != nullptr && rank_of(model_.contexts[others.cell->context]) > 0 ? others : Found{};
}

const CellRecord* CellIndex::class_of_kernel(std::uint64_t framework, std::uint64_t kernel,
                                             std::uint32_t kind) const {
  if (const CellRecord* cell = lookup(key_of(kNoGpu, {framework, 0, kernel}, kind))) return cell;
  return lookup(key_of(kNoGpu, {0, 0, kernel}, kind));
}

const CellRecord* CellIndex::sibling_class(std::uint64_t arch, std::uint64_t framework,
                                           std::uint32_t kind) const {
  const CellRecord* sibling = lookup(key_of(arch, {framework, 0, 0}, kind));
  if (sibling == nullptr || sibling->launch_bound) return nullptr;
  const NameKeys names = keys_of(model_.contexts[sibling->context]);
  return lookup(key_of(kNoGpu, {names.framework, 0, names.kernel}, kind));
}

CellIndex::Found CellIndex::find_class(const GpuSpec& gpu, const KernelContext& context,
                                       std::uint32_t kind) const {
  NearKinds own;
  own.kinds[own.count++] = {.kind = kind};
  return find_near_class(gpu, context, own);
}

CellIndex::Found CellIndex::find_near_class(const GpuSpec& gpu, const KernelContext& context,
                                            const NearKinds& kinds) const {
  const std::uint64_t framework = name_key(context.framework), kernel = name_key(context.kernel);
  const auto near = kinds.all();
  const NearKind& own = near.front();
  if (kernel != 0)
    if (const CellRecord* cell = class_of_kernel(framework, kernel, own.kind))
      return {cell, false, true, false, own.kind, own};
  // The engine that is named, then any, then also kernels that benchmarks alone run: those tell less of
  // engines than an engine's kernel under other scales, and than one on GPUs of another architecture. A
  // question about a library's own kernel is not about engines: what a sibling ran goes before those.
  enum class Of { Asked, Engines, All };
  const bool bare = is_bare_library(context);
  const auto search = [&](bool siblings, Of of, auto admits, auto class_at) -> Found {
    for (const Of pass : {Of::Asked, Of::Engines, Of::All})
      for (const NearKind& kin : near) {
        const bool in_turn = bare || (of == Of::All) == (pass == Of::All);
        if (!admits(kin) || !in_turn || (pass == Of::Asked && framework == 0)) continue;
        const CellRecord* cell = class_at(pass == Of::Asked ? framework : kAnyFramework, kin.kind);
        if (cell == nullptr || (pass == Of::Engines && rank_of(model_.contexts[cell->context]) == 0))
          continue;
        const bool same = kin.distance == 0;
        return {cell, false, same || (siblings && kin.kind == own.kind), false, same ? kin.kind : own.kind,
                kin};
      }
    return {};
  };
  const std::uint64_t arch = architecture_key(architecture_class(gpu));
  for (double last = -1;;) {
    double next = std::numeric_limits<double>::infinity();
    for (const NearKind& kin : near)
      if (kin.distance > last) next = std::min(next, kin.distance);
    if (next == std::numeric_limits<double>::infinity()) break;
    for (const Of of : {Of::Engines, Of::All}) {
      // GPUs of this architecture run the own kind as this one does.
      const Found here = search(
          true, of, [&](const NearKind& kin) { return kin.distance == next || (last < 0 && &kin == &own); },
          [&](std::uint64_t names, std::uint32_t kind) { return sibling_class(arch, names, kind); });
      if (here.cell != nullptr) return here;
      const Found found = search(
          false, of, [&](const NearKind& kin) { return kin.distance == next; },
          [&](std::uint64_t names, std::uint32_t kind) {
            return lookup(key_of(kNoGpu, {names, 0, 0}, kind));
          });
      if (found.cell != nullptr) return found;
    }
    last = next;
  }
  return last_resort(gpu, framework, own);
}

CellIndex::Found CellIndex::last_resort(const GpuSpec& gpu, std::uint64_t framework,
                                        const NearKind& own) const {
  for (const std::uint64_t names : {framework, kAnyFramework})
    if (const CellRecord* cell = lookup(key_of(kNoGpu, {names, 0, 0}, kAnyKind)))
      return {cell, false, false, false, own.kind, own};
  if (const CellRecord* cell = lookup(key_of(gpu.name_hash, {kOwnKernels, 0, 0}, own.kind)))
    return {cell, true, true, true, own.kind, own};
  for (const std::uint64_t kind : {std::uint64_t(own.kind), kAnyKind})
    if (const CellRecord* cell = lookup(key_of(kNoGpu, {kOwnKernels, 0, 0}, kind)))
      return {cell, false, kind != kAnyKind, false, own.kind, own};
  return {};
}

}  // namespace warploom
