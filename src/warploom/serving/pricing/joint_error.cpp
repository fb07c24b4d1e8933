#include "warploom/serving/pricing/joint_error.h"

#include "warploom/kernels/operator_family.h"

namespace warploom {

ErrorKind error_kind(Family family) {
  switch (family_value(family).kind) {
    case FamilyKind::Products:
      return ErrorKind::Products;
    case FamilyKind::Attention:
      return ErrorKind::Attention;
    case FamilyKind::Experts:
      return ErrorKind::Experts;
    case FamilyKind::Rows:
    case FamilyKind::Collective:
      return ErrorKind::Others;
  }
  return ErrorKind::Others;
}

}  // namespace warploom
