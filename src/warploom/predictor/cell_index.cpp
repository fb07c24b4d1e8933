#include "warploom/predictor/cell_index.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>

#include "warploom/base/hash.h"
#include "warploom/predictor/features.h"

namespace warploom {
namespace {

constexpr std::uint64_t kAnyKind = 0xFFFFF;
constexpr std::uint64_t kNoGpu = 0;

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

// A library that engines call, timed on the user's own GPU, comes before what others measured.
int rank_of(const ContextRecord& context) {
  const std::string_view framework = context.framework;
  if (framework == "warploom" && context.kernel == "cublaslt") return 4;
  if (framework == "vllm") return 3;
  if (framework == "sglang") return 2;
  if (framework == "trtllm") return 1;
  return 0;
}

}  // namespace

int compare_versions(std::string_view a, std::string_view b) {
  const auto next = [](std::string_view& text) {
    while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0)
      text.remove_prefix(1);
    long value = text.empty() ? -1 : 0;
    while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
      value = std::min(value * 10 + (text.front() - '0'), 1000000000L);
      text.remove_prefix(1);
    }
    return value;
  };
  while (!a.empty() || !b.empty()) {
    const long x = next(a), y = next(b);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

std::vector<ContextCodes> context_codes(const std::vector<ContextRecord>& contexts) {
  std::set<std::string> frameworks, versions;
  std::set<std::pair<std::string, std::string>> kernels;
  for (const ContextRecord& context : contexts) {
    frameworks.insert(context.framework);
    versions.insert(context.version);
    kernels.emplace(context.framework, context.kernel);
  }
  std::vector<ContextCodes> codes;
  for (const ContextRecord& context : contexts)
    codes.push_back({float(std::distance(frameworks.begin(), frameworks.find(context.framework))),
                     float(std::distance(kernels.begin(), kernels.find({context.framework, context.kernel}))),
                     float(std::distance(versions.begin(), versions.find(context.version)))});
  return codes;
}

CellIndex::CellIndex(const FamilyModel& model) : model_(model), codes_(context_codes(model.contexts)) {
  for (std::uint32_t i = 0; i < model.cells.size(); ++i) {
    const CellRecord& cell = model.cells[i];
    const ContextRecord& context = model.contexts[cell.context];
    const NameKeys full{name_key(context.framework), name_key(context.version), name_key(context.kernel)};
    const std::uint64_t kind = cell.kind;
    if (cell.gpu == CellRecord::kAnyGpu) {
      for (const std::uint64_t k : {kind, kAnyKind})
        for (const NameKeys& names : {NameKeys{full.framework, 0, full.kernel}, NameKeys{0, 0, full.kernel},
                                      NameKeys{full.framework, 0, 0}, NameKeys{0, 0, 0}})
          offer(key_of(kNoGpu, names, k), i);
      continue;
    }
    const std::uint64_t place = hash_bytes(model.gpus[cell.gpu].name);
    for (const NameKeys& names :
         {full, NameKeys{full.framework, 0, full.kernel}, NameKeys{0, 0, full.kernel},
          NameKeys{full.framework, full.version, 0}, NameKeys{full.framework, 0, 0}, NameKeys{0, 0, 0}})
      offer(key_of(place, names, kind), i);
    // The defaults of an architecture point at a measured cell, whose class is looked up afterwards.
    const std::uint64_t arch = architecture_key(model.gpus[cell.gpu].architecture);
    for (const NameKeys& names : {NameKeys{full.framework, 0, 0}, NameKeys{0, 0, 0}})
      offer(key_of(arch, names, kind), i);
  }
}

bool CellIndex::better(const CellRecord& a, const CellRecord& b) const {
  if (a.launch_bound != b.launch_bound) return b.launch_bound;
  const ContextRecord &x = model_.contexts[a.context], &y = model_.contexts[b.context];
  if (const int d = rank_of(x) - rank_of(y); d != 0) return d > 0;
  if (const int d = compare_versions(x.version, y.version); d != 0) return d > 0;
  return a.rows > b.rows;
}

void CellIndex::offer(std::uint64_t key, std::uint32_t cell) {
  const auto [at, fresh] = cells_.try_emplace(key, cell);
  if (!fresh && better(model_.cells[cell], model_.cells[at->second])) at->second = cell;
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

CellIndex::Found CellIndex::find(const GpuSpec& gpu, const KernelContext& context, std::uint32_t kind) const {
  const NameKeys full{name_key(context.framework), name_key(context.version), name_key(context.kernel)};
  const auto at_gpu = [&](const NameKeys& names) { return lookup(key_of(gpu.name_hash, names, kind)); };
  if (full.kernel != 0) {
    if (const CellRecord* cell = at_gpu(full)) return {cell, true, true};
    if (const CellRecord* cell = at_gpu({full.framework, 0, full.kernel})) return {cell, true, true};
    if (const CellRecord* cell = at_gpu({0, 0, full.kernel})) return {cell, true, true};
    if (const CellRecord* cell = class_of_kernel(full.framework, full.kernel, kind))
      return {cell, false, true};
  }
  // An engine runs its kernels from CUDA graphs: another framework's kernel says more than its own timed
  // eagerly.
  const CellRecord* eager = nullptr;
  for (const NameKeys& names :
       {NameKeys{full.framework, full.version, 0}, NameKeys{full.framework, 0, 0}, NameKeys{0, 0, 0}}) {
    const CellRecord* cell = at_gpu(names);
    if (cell == nullptr) continue;
    if (!cell->launch_bound) return {cell, true, true};
    if (eager == nullptr) eager = cell;
  }
  if (eager != nullptr) return {eager, true, true};
  return find_class(gpu, context, kind);
}

const CellRecord* CellIndex::class_of_kernel(std::uint64_t framework, std::uint64_t kernel,
                                             std::uint32_t kind) const {
  if (const CellRecord* cell = lookup(key_of(kNoGpu, {framework, 0, kernel}, kind))) return cell;
  return lookup(key_of(kNoGpu, {0, 0, kernel}, kind));
}

CellIndex::Found CellIndex::find_class(const GpuSpec& gpu, const KernelContext& context,
                                       std::uint32_t kind) const {
  const std::uint64_t framework_key = name_key(context.framework), kernel_key = name_key(context.kernel);
  if (kernel_key != 0)
    if (const CellRecord* cell = class_of_kernel(framework_key, kernel_key, kind)) return {cell, false, true};
  const std::uint64_t arch = architecture_key(architecture_class(gpu));
  for (const std::uint64_t framework : {framework_key, std::uint64_t(0)})
    if (const CellRecord* sibling = lookup(key_of(arch, {framework, 0, 0}, kind))) {
      const ContextRecord& record = model_.contexts[sibling->context];
      if (const CellRecord* cell =
              lookup(key_of(kNoGpu, {name_key(record.framework), 0, name_key(record.kernel)}, kind)))
        return {cell, false, true};
    }
  for (const std::uint64_t framework : {framework_key, std::uint64_t(0)})
    if (const CellRecord* cell = lookup(key_of(kNoGpu, {framework, 0, 0}, kind))) return {cell, false, true};
  if (const CellRecord* cell = lookup(key_of(kNoGpu, {framework_key, 0, 0}, kAnyKind)))
    return {cell, false, false};
  return {lookup(key_of(kNoGpu, {0, 0, 0}, kAnyKind)), false, false};
}

}  // namespace warploom
