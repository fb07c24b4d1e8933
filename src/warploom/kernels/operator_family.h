// A family of operators as a value: all that the program knows of one struct. Each is a file of families/ and
// the only place that tells one family from another; what learners are given is a file of
// predictor/features/. define_family.h makes the value of plain functions on the struct.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "warploom/base/fields.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/constant_spec.h"
#include "warploom/kernels/operator.h"

namespace warploom {

struct BoundLimit;
struct ContextKernel;
struct GridMove;
struct GridPoint;
struct NearKinds;
struct OperatorCoordinates;
class OperatorChecker;
struct ProfileBuilder;
struct RoutingLoad;
struct RowTraffic;
class ShapeHasher;
struct StructuralPrice;
struct Work;

// What sort of kernel a family is.
enum class FamilyKind : std::uint8_t { Products, Attention, Experts, Rows, Collective };

// Functions get the operator that they are of. None is null but where a comment says so.
struct OperatorFamily {
  std::span<const FamilyName> names;
  FamilyKind kind = FamilyKind::Rows;
  bool calls_library_products = false;  // its time, or much of it, is products of vendors' libraries

  // The struct.
  Operator (*standard)(Family family);  // with the defaults of its fields
  Operator (*example)(Family family);   // of sizes that a model has, to start from
  // Which of `names` an operator is; null: there is one alone.
  std::size_t (*place)(const Operator& op);
  const FieldTable& (*fields)();
  bool (*set_sizes)(std::span<Operator> operators, std::string_view field,
                    std::span<const std::int64_t> values);
  void (*check)(OperatorChecker& checker, const Operator& op);
  void (*hash)(ShapeHasher& hasher, const Operator& op);
  bool (*decodes)(const Operator& op);  // its requests have one new token each unless it is said otherwise
  // The size that a step's tokens set; null: requests set it, or it is a collective.
  std::int64_t* (*rows)(Operator& op);
  // The sizes that published tables step through, by number; the function answers null past the last.
  std::int64_t* (*stepped_size)(Operator& op, std::size_t number);

  // What it must do.
  Work (*work)(const Operator& op, const RoutingLoad& load);
  double (*forced_dram)(const Operator& op, const GpuSpec& gpu, const Work& work,
                        Residency operands);  // bytes
  void (*bound)(BoundLimit& limit, const Operator& op, const GpuSpec& gpu, const Work& work,
                Residency operands);

  // How long it takes by its structure, and by which tiles.
  std::span<const ConstantSpec> (*constants)();
  StructuralPrice (*price)(const Operator& op, const GpuSpec& gpu, const ContextKernel& kernel,
                           const BaseConstants& fitted);
  void (*profile)(ProfileBuilder& builder, const Operator& op);
  RowTraffic (*traffic)(const Operator& op);  // null: it is no kernel of rows

  // What is near it.
  std::uint32_t (*kind_code)(const Operator& op);
  NearKinds (*near)(const Operator& op, const GpuSpec& gpu);
  MatmulScheme* (*scheme)(Operator& op);  // of its products; null: it has none, or none that may be another
  GridPoint (*grid)(const Operator& op);
  std::span<const GridMove> moves;
  // As plain sizes, for methods that know nothing of kernels.
  void (*coordinates)(OperatorCoordinates& list, const Operator& op);
};

namespace operator_family_detail {
template <class... Ops>
struct Values {
  static constexpr std::array<const OperatorFamily*, sizeof...(Ops)> kAll{&Ops::kFamily...};
};
}  // namespace operator_family_detail

// By the operator's place in the variant. The lookup of every function above; a load and no branch.
inline const OperatorFamily& family_value(const Operator& op) {
  return *Operators::Into<operator_family_detail::Values>::kAll[op.index()];
}
const OperatorFamily& family_value(Family family);
inline bool is_collective(Family family) { return family_value(family).kind == FamilyKind::Collective; }
// All, in the order of their codes.
std::span<const OperatorFamily* const> all_families();

// Rows of one GPU, kernel context and kind form a cell: data types and the variant of the operator, without
// sizes. At most 16 bits.
inline std::uint32_t kind_code(const Operator& op) { return family_value(op).kind_code(op); }

}  // namespace warploom
