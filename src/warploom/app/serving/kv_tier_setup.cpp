#include "warploom/app/serving/kv_tier_setup.h"

#include "warploom/base/error.h"

namespace warploom {
namespace {

// Blocks are copied one by one from pinned memory: some way below the link's raw rate. An estimate.
constexpr double kPcieShare = 0.8;
constexpr Seconds kHostLatency = microseconds(50);
constexpr Seconds kDiskLatency = microseconds(200);  // of a read from an NVMe drive, queue included

}  // namespace

KvTierConfig kv_tiers_of(const ServingConfig& config, const GpuSpec& gpu, Bytes kv_per_gpu, std::int64_t gpus,
                         std::int64_t gpu_tokens) {
  KvTierConfig tiers;
  const Bytes whole = kv_per_gpu * double(gpus);
  if (kv_per_gpu.value() <= 0) return tiers;
  if (config.kv_offloading_size)
    tiers.cpu_tokens = std::int64_t(gibibytes(*config.kv_offloading_size) / whole);
  if (config.enable_hierarchical_cache) {
    tiers.cpu_tokens = config.hicache_size ? std::int64_t(Bytes(*config.hicache_size * 1e9) / kv_per_gpu)
                                           : std::int64_t(config.hicache_ratio * double(gpu_tokens));
  }
  if (config.kv_disk_size) {
    if (tiers.cpu_tokens == 0)
      throw InvalidInput(
          "kv_disk_size is given without host memory, expected kv_offloading_size (sglang: "
          "enable_hierarchical_cache) beside it");
    tiers.disk_tokens = std::int64_t(gibibytes(*config.kv_disk_size) / whole);
  }
  tiers.cpu_per_token = kv_per_gpu / (gpu.pcie_bandwidth * kPcieShare);
  tiers.disk_per_token = whole / config.kv_disk_bandwidth + tiers.cpu_per_token;
  tiers.cpu_latency = kHostLatency;
  tiers.disk_latency = kDiskLatency;
  tiers.fetch = config.kv_fetch;
  return tiers;
}

}  // namespace warploom
