#include "warploom/predictor/answer/stand_ins.h"

#include <algorithm>
#include <array>

#include "warploom/kernels/kernel_hints.h"
#include "warploom/kernels/widen.h"
#include "warploom/predictor/answer/doubt.h"

namespace warploom {
namespace {

constexpr std::string_view kSglang = name_of(Engine::Sglang), kVllm = name_of(Engine::Vllm);

// The 80th percentile of |ln(static quantisation of vLLM / of TensorRT-LLM)|, 8,490 sizes on six GPUs: two
// engines' copies of one kernel.
constexpr double kCopiesOfQuantise = 0.425;

const std::array<StandIn, 2>& stand_ins() {
  static const std::array<StandIn, 2> table{
      {{.family = Family::Moe,
        .framework = kSglang,
        .kernel = "triton_kernel",
        .instead = kVllm,
        .doubt = doubt_of_other_engine(Family::Moe),
        .source =
            "layers/quantization/mxfp4.py calls the library triton_kernels, as vLLM's OAI Triton experts "
            "do; the public tables timed its fused_moe_triton and Marlin alone"},
       {.family = Family::Quantize,
        .framework = kSglang,
        .kernel = {},
        .instead = kVllm,
        .doubt = kCopiesOfQuantise,
        .source =
            "the public rows timed four operators of PyTorch (collector/sglang/collect_computescale.py), "
            "13 times the traffic's time; its layers call sgl_per_tensor_quant_fp8 and "
            "sgl_per_token_quant_fp8, one pass each as vLLM's"}}};
  return table;
}

}  // namespace

const StandIn* stand_in_for(const Operator& op, const KernelContext& context) {
  if (context.as_collected || context.framework.empty()) return nullptr;
  const Family family = family_of(op);
  const auto& table = stand_ins();
  const auto* const at = std::find_if(table.begin(), table.end(), [&](const StandIn& known) {
    return known.family == family && known.framework == context.framework && known.kernel == context.kernel;
  });
  return at == table.end() ? nullptr : at;
}

void mark_stand_in(const StandIn& stand_in, LatencyEstimate& estimate) {
  estimate.stands_in = estimate.stands_in || estimate.tier == Tier::Measured;
  widen(estimate, stand_in.doubt);
}

}  // namespace warploom
