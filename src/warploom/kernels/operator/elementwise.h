// Element-wise operators of frameworks.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

enum class ElementwiseKind { Add, Multiply, Divide, Power, Relu, Gelu, Tanh, Softmax };
template <>
struct EnumNames<ElementwiseKind> {
  static constexpr std::array<std::pair<ElementwiseKind, std::string_view>, 8> kNames{
      {{ElementwiseKind::Add, "add"},
       {ElementwiseKind::Multiply, "mul"},
       {ElementwiseKind::Divide, "div"},
       {ElementwiseKind::Power, "pow"},
       {ElementwiseKind::Relu, "relu"},
       {ElementwiseKind::Gelu, "gelu"},
       {ElementwiseKind::Tanh, "tanh"},
       {ElementwiseKind::Softmax, "softmax"}}};
};
// A generic element-wise (or row softmax) operator on [rows, width] with `inputs` input tensors (1 with a
// scalar).
struct Elementwise {
  static constexpr std::array kNames{FamilyName{Family::Elementwise, "elementwise"}};
  static const OperatorFamily kFamily;

  ElementwiseKind kind = ElementwiseKind::Add;
  DataType type = DataType::Bf16;
  std::int64_t rows = 1, width = 4096;
  std::int64_t inputs = 2;
  static FieldTable describe();
};

}  // namespace warploom
