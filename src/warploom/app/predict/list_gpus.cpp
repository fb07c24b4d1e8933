#include "warploom/app/predict/list_gpus.h"

#include "warploom/hardware/gpu_catalog.h"

namespace warploom {

std::vector<GpuSpec> list_gpus() {
  const GpuCatalog catalog;
  return {catalog.gpus().begin(), catalog.gpus().end()};
}

GpuSpec show_gpu(const std::string& name_or_path, const FileScope& files) {
  GpuCatalog catalog;
  return catalog.load_gpu(name_or_path, files);
}

}  // namespace warploom
