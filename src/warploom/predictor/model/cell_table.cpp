#include "warploom/predictor/model/cell_table.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "warploom/base/hash.h"
#include "warploom/base/version.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/kernel_hints.h"

namespace warploom {
namespace {

constexpr std::uint32_t kNarrow = 4;  // times the rows of a narrow cell, that another version has at least
constexpr std::uint32_t kStray = 50;  // times those of a stray one, that another of the engine's cells has
constexpr std::uint64_t kNoGpu = 0;
constexpr std::uint64_t kAnyKernel = 2;
constexpr std::uint64_t kEagerVersion = 1;  // in place of a version: the best of those timed eagerly
constexpr std::string_view kSweep = "warploom";

std::uint64_t name_key(std::string_view name) { return name.empty() ? 0 : hash_bytes(name); }

ContextNames names_of(const ContextRecord& context) {
  return {name_key(context.framework), name_key(context.version), name_key(context.kernel)};
}

std::uint64_t key_of(std::uint64_t place, const ContextNames& names, std::uint64_t kind) {
  return hash_combine(
      hash_combine(hash_combine(hash_combine(place, names.framework), names.version), names.kernel), kind);
}

std::uint64_t architecture_key(int architecture) {
  return hash_combine(0x61726368, std::uint64_t(architecture));
}

std::uint64_t architecture_key(const GpuSpec& gpu) { return architecture_key(architecture_class(gpu)); }

// Under which a cell is found when no framework is named.
std::uint64_t any_framework(const ContextRecord& context) {
  const bool own = is_swept(context) && context.kernel.starts_with("own_");
  return own ? CellTable::kOwnKernels : CellTable::kAnyFramework;
}

}  // namespace

ContextNames names_of(const KernelContext& context) {
  return {name_key(context.framework), name_key(context.version), name_key(context.kernel)};
}

bool is_swept(const ContextRecord& context) { return context.framework == kSweep; }

int rank_of(const ContextRecord& context) {
  const bool library = is_swept(context) && context.kernel == "cublaslt";
  return library ? int(EnumNames<Engine>::kNames.size()) + 1 : engine_rank(context.framework);
}

CellTable::CellTable(const FamilyModel& model) : model_(model) {
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

void CellTable::find_narrow_cells() {
  std::unordered_map<std::uint64_t, std::uint32_t> most;
  const auto kernel_at = [&](const CellRecord& cell) {
    const ContextNames names = names_of(context_of(cell));
    return key_of(cell.gpu, {names.framework, std::uint64_t(cell.launch_bound), names.kernel}, cell.kind);
  };
  const auto engine_at = [&](const CellRecord& cell) {
    const std::uint64_t framework = name_key(context_of(cell).framework);
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

void CellTable::offer_class(const CellRecord& cell, std::uint32_t number) {
  const ContextRecord& context = context_of(cell);
  const ContextNames full = names_of(context);
  const std::uint64_t any = any_framework(context);
  for (const std::uint64_t kind : {std::uint64_t(cell.kind), kAnyKind})
    for (const ContextNames& names :
         {ContextNames{full.framework, 0, full.kernel}, ContextNames{0, 0, full.kernel},
          ContextNames{full.framework, 0, 0}, ContextNames{any, 0, 0}})
      offer(key_of(kNoGpu, names, kind), number);
}

void CellTable::offer_measured(const CellRecord& cell, std::uint32_t number) {
  const ContextRecord& context = context_of(cell);
  const ContextNames full = names_of(context);
  const std::uint64_t any = any_framework(context);
  const GpuRecord& gpu = model_.gpus[cell.gpu];
  const std::uint64_t place = hash_bytes(gpu.name);
  for (const ContextNames& names :
       {full, ContextNames{full.framework, 0, full.kernel}, ContextNames{0, 0, full.kernel},
        ContextNames{full.framework, 0, 0}, ContextNames{any, 0, 0}})
    offer(key_of(place, names, cell.kind), number);
  if (!stray_[number]) {
    offer(key_of(place, {full.framework, full.version, 0}, cell.kind), number);
    versions_[key_of(place, {full.framework, 0, 0}, cell.kind)].push_back(number);
  }
  if (full.kernel != 0)
    versions_[key_of(place, {full.framework, 0, full.kernel}, cell.kind)].push_back(number);
  // The defaults of an architecture point at a measured cell, whose class is looked up afterwards.
  const std::uint64_t beside = architecture_key(gpu.architecture);
  offer(key_of(beside, {full.framework, 0, 0}, cell.kind), number);
  // A sweep is of one GPU and has no class that could answer for others.
  if (!is_swept(context)) offer(key_of(beside, {kAnyFramework, 0, 0}, cell.kind), number);
  if (!cell.launch_bound) return;
  for (const std::uint64_t at : {place, beside})
    offer(key_of(at, {full.framework, kEagerVersion, 0}, cell.kind), number);
  if (!has_eager(cell.kind)) eager_kinds_.push_back(cell.kind);
}

bool CellTable::better(std::uint32_t first, std::uint32_t second) const {
  const CellRecord &a = model_.cells[first], &b = model_.cells[second];
  if (a.launch_bound != b.launch_bound) return b.launch_bound;
  const ContextRecord &x = context_of(a), &y = context_of(b);
  if (const int d = rank_of(x) - rank_of(y); d != 0) return d > 0;
  if (narrow_[first] != narrow_[second]) return narrow_[second];
  if (const int d = compare_versions(x.version, y.version); d != 0) return d > 0;
  return a.rows > b.rows;
}

void CellTable::offer(std::uint64_t key, std::uint32_t cell) {
  const auto [at, fresh] = cells_.try_emplace(key, cell);
  if (!fresh && better(cell, at->second)) at->second = cell;
}

const CellRecord* CellTable::lookup(std::uint64_t key) const {
  const auto at = cells_.find(key);
  return at == cells_.end() ? nullptr : &model_.cells[at->second];
}

const CellRecord* CellTable::here(const GpuSpec& gpu, const ContextNames& names, std::uint64_t kind) const {
  return lookup(key_of(gpu.name_hash, names, kind));
}

const CellRecord* CellTable::default_here(const GpuSpec& gpu, std::uint64_t framework,
                                          std::uint64_t kind) const {
  const CellRecord* cell = here(gpu, {framework, 0, 0}, kind);
  return cell != nullptr && !cell->launch_bound ? cell : nullptr;
}

const CellRecord* CellTable::nearest_version(const GpuSpec& gpu, const ContextNames& names,
                                             std::string_view version, std::uint64_t kind) const {
  const double asked = version_position(version);
  const auto at = versions_.find(key_of(gpu.name_hash, {names.framework, 0, names.kernel}, kind));
  if (asked < 0 || names.framework == 0 || at == versions_.end()) return nullptr;
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

const CellRecord* CellTable::nearest_default(const GpuSpec& gpu, const ContextNames& names,
                                             std::string_view version, std::uint64_t kind) const {
  if (version.empty()) return nullptr;
  const CellRecord* newest = here(gpu, {names.framework, 0, 0}, kind);
  if (newest == nullptr) return nullptr;
  return nearest_version(gpu, {names.framework, 0, name_key(context_of(*newest).kernel)}, version, kind);
}

const CellRecord* CellTable::eager_here(const GpuSpec& gpu, std::uint64_t framework,
                                        std::uint64_t kind) const {
  return here(gpu, {framework, kEagerVersion, 0}, kind);
}

const CellRecord* CellTable::eager_beside(const GpuSpec& gpu, std::uint64_t framework,
                                          std::uint64_t kind) const {
  return lookup(key_of(architecture_key(gpu), {framework, kEagerVersion, 0}, kind));
}

bool CellTable::has_eager(std::uint32_t kind) const {
  return std::find(eager_kinds_.begin(), eager_kinds_.end(), kind) != eager_kinds_.end();
}

const CellRecord* CellTable::class_beside(const GpuSpec& gpu, std::uint64_t framework,
                                          std::uint64_t kind) const {
  const CellRecord* sibling = lookup(key_of(architecture_key(gpu), {framework, 0, 0}, kind));
  if (sibling == nullptr || sibling->launch_bound) return nullptr;
  const ContextNames names = names_of(context_of(*sibling));
  return lookup(key_of(kNoGpu, {names.framework, 0, names.kernel}, kind));
}

const CellRecord* CellTable::class_anywhere(std::uint64_t framework, std::uint64_t kind) const {
  return lookup(key_of(kNoGpu, {framework, 0, 0}, kind));
}

const CellRecord* CellTable::class_of_kernel(const ContextNames& names, std::uint64_t kind) const {
  const CellRecord* own = lookup(key_of(kNoGpu, {names.framework, 0, names.kernel}, kind));
  return own != nullptr ? own : lookup(key_of(kNoGpu, {0, 0, names.kernel}, kind));
}

}  // namespace warploom
