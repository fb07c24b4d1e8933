#include "warploom/serving/pricing/joint_error.h"

namespace warploom {

ErrorKind error_kind(Family family) {
  switch (family) {
    case Family::Gemm:
      return ErrorKind::Products;
    case Family::AttentionPrefill:
    case Family::AttentionDecode:
    case Family::MlaPrefill:
    case Family::MlaDecode:
    case Family::MlaModule:
    case Family::LinearAttention:
      return ErrorKind::Attention;
    case Family::Moe:
      return ErrorKind::Experts;
    default:
      return ErrorKind::Others;
  }
}

}  // namespace warploom
