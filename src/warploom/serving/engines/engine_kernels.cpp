#include "warploom/serving/engines/engine_kernels.h"

#include "warploom/serving/engines/engine_registry.h"

namespace warploom {

KernelNames kernels_of(const std::string& framework, const std::string& version) {
  const EngineSpec* engine = find_engine(framework);
  return {.framework = engine == nullptr ? framework : std::string(engine->framework),
          .version = version,
          .rule = engine == nullptr ? nullptr : engine->kernel};
}

}  // namespace warploom
