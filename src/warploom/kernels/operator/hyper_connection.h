// Manifold-constrained hyper-connections: a residual of several streams, mixed around every sublayer.
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

// One call of one site; a layer has two sites, before its attention and before its feed-forward.
enum class HyperConnectionPart {
  Expand,        // entry of the model: the hidden state copied to all streams
  Pre,           // before a sublayer: mixing weights of a token by a product and Sinkhorn, the streams' sum
  Post,          // after it: the streams mixed, its output added to each
  FusedPostPre,  // post of a site and pre of the next in one call
  Contract       // exit of the model: the streams joined
};
template <>
struct EnumNames<HyperConnectionPart> {
  static constexpr std::array<std::pair<HyperConnectionPart, std::string_view>, 5> kNames{
      {{HyperConnectionPart::Expand, "expand"},
       {HyperConnectionPart::Pre, "pre"},
       {HyperConnectionPart::Post, "post"},
       {HyperConnectionPart::FusedPostPre, "fused_post_pre"},
       {HyperConnectionPart::Contract, "contract"}}};
};

// Defaults are DeepSeek-V4-Flash's.
struct HyperConnection {
  static constexpr std::array kNames{FamilyName{Family{26}, "hyper_connection"}};
  static const OperatorFamily kFamily;

  HyperConnectionPart part = HyperConnectionPart::Pre;
  DataType type = DataType::Bf16;  // of the streams
  std::int64_t tokens = 1;
  std::int64_t hidden = 4096;
  std::int64_t streams = 4;
  std::int64_t sinkhorn_iterations = 20;
  static FieldTable describe();
};

}  // namespace warploom
