#include "warploom/serving/engines/engine_kernels.h"

#include "warploom/serving/engines/engine_registry.h"

namespace warploom {
namespace {

// DeepEP is a library of its own, measured under this engine's name.
constexpr std::string_view kDeepEpFramework = "sglang";

}  // namespace

KernelContext kernel_of(const KernelNames& names, const Operator& op, const GpuSpec& gpu) {
  if (const auto* collective = std::get_if<Collective>(&op);
      collective != nullptr &&
      (collective->kind == CollectiveKind::Dispatch || collective->kind == CollectiveKind::Combine)) {
    const std::string_view kernel = deepep_kernel(names.expert_transport, *collective);
    if (!kernel.empty()) return {.framework = kDeepEpFramework, .version = {}, .kernel = kernel};
  }
  const EngineSpec* engine = find_engine(names.framework);
  return engine == nullptr ? names.default_kernel() : engine->kernel(names, op, gpu);
}

}  // namespace warploom
