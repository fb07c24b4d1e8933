#include "warploom/kernels/family_kind.h"

#include "warploom/base/error.h"

namespace warploom {

bool is_collective(Family family) {
  switch (family) {
    case Family::AllReduce:
    case Family::AllGather:
    case Family::ReduceScatter:
    case Family::AllToAll:
    case Family::SendRecv:
    case Family::MoeDispatch:
    case Family::MoeCombine:
      return true;
    case Family::Gemm:
    case Family::AttentionPrefill:
    case Family::AttentionDecode:
    case Family::MlaPrefill:
    case Family::MlaDecode:
    case Family::MlaModule:
    case Family::Moe:
    case Family::RmsNorm:
    case Family::Activation:
    case Family::Elementwise:
    case Family::Rope:
    case Family::KvWrite:
    case Family::Quantize:
    case Family::Embedding:
    case Family::Sampling:
    case Family::LinearAttention:
      return false;
  }
  WARPLOOM_ASSERT(!"a family of no kind");
  return false;
}

}  // namespace warploom
