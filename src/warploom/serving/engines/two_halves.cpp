#include "warploom/serving/engines/two_halves.h"

#include <algorithm>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// SMs of DeepEP's normal kernels, for which computing leaves them: VLLM_DBO_COMM_SMS (vllm/envs.py, 0.33.0)
// and DeepEP's own default, Buffer.num_sms. The low-latency kernels hold none while they wait.
constexpr double kExchangeSms = 20;

}  // namespace

BatchOverlap overlap_of(const ServingConfig& config, ExpertTransport transport, const GpuSpec& gpu) {
  if (!config.enable_dbo && !config.enable_two_batch_overlap) return {};
  const bool low_latency = transport == ExpertTransport::DeepEpLowLatency;
  const bool normal = transport == ExpertTransport::DeepEpNormal;
  if (!low_latency && !normal && transport != ExpertTransport::DeepEpAuto)
    throw InvalidInput(config.enable_dbo
                           ? "enable_dbo: halves of a step exchange with experts by DeepEP, expected "
                             "all2all_backend deepep_high_throughput or deepep_low_latency, "
                             "enable_expert_parallel and data_parallel_size above 1"
                           : "enable_two_batch_overlap: halves of a step exchange with experts by DeepEP, "
                             "expected moe_a2a_backend deepep");
  const double sms = double(gpu.sm_count);
  const double beside = std::max(0.1, (sms - kExchangeSms) / sms);
  BatchOverlap overlap{.decode_share = normal ? beside : 1.0, .prompts_share = low_latency ? 1.0 : beside};
  if (config.enable_dbo) {
    overlap.decode_from = config.dbo_decode_token_threshold;
    overlap.prompts_from = config.dbo_prefill_token_threshold;
  } else {
    overlap.decode_from = 2;
    overlap.prompts_from = low_latency ? 0 : 2;
  }
  return overlap;
}

}  // namespace warploom
