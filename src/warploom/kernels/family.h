// Families: kinds of operator, the unit of training and of reports.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace warploom {

struct OperatorFamily;

// A family's code: it stands in hashes of shapes, so none is ever changed or given to another family. The
// next new one takes the number of families. Enumerators name those that code outside of their own files
// asks for by name; a family needs none. Which families there are, the structs of operator/ say.
enum class Family : std::uint8_t {
  Gemm,
  AttentionPrefill,
  AttentionDecode,
  MlaPrefill,
  MlaDecode,
  MlaModule,
  Moe,
  RmsNorm,
  Activation,
  Elementwise,
  Rope,
  KvWrite,
  Quantize,
  Embedding,
  Sampling,
  LinearAttention,
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  SendRecv,
  MoeDispatch,
  MoeCombine
};

// Each struct of an operator lists its families: one, or with a kind one for each of its kinds, in order.
struct FamilyName {
  Family family;
  std::string_view name;
};

}  // namespace warploom
