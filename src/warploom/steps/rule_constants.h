// The constants of each kind of rule, by the names that they have in data/steps; the formulas stand beside
// the kernels that they are about (streaming_rule.h, in_step.h, ...).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"

namespace warploom {

// Kernels that only move memory: a launch and the operands at a share of the memory's rate.
struct StreamConstants {
  Seconds launch;
  double share = 1;
  Seconds per_token{0.0};  // where blocks, not bytes, set the pace
  static FieldTable describe();
};

// The kernels that make a step's inputs and choose its tokens, or the one that chooses experts.
struct SamplingConstants {
  Seconds base, per_logit;
  static FieldTable describe();
};

// Products that read weights (few rows) or compute (many).
struct ProductConstants {
  Seconds ends;      // start and end of a kernel that streams
  double share = 1;  // of the memory's rate between them
  double rows_that_double = 1;
  double streaming_rows = 1;  // the most that stream
  double computing_rows = 1;  // the fewest that compute
  double computing = 1;       // times the measured product
  static FieldTable describe();
};

struct ExpertConstants {
  Seconds ends;
  double share = 1;
  Seconds replay;  // what a measured row holds beyond the kernels
  double idle_need = 0, matrix_need = 0;
  static FieldTable describe();
};

// Experts of many rows, by the tile that an engine's tuned files take.
struct ExpertTileConstants {
  double rows = 1, columns = 1, depth = 1;
  double least_rows = 1;  // an expert, on the mean
  double step_rate = 1;
  double steps_of_ends = 0;
  static FieldTable describe();
};

// Experts whose kernel an engine tunes for so many tokens alone: more of them take what a library chooses
// untuned.
struct UntunedExpertConstants {
  double tuned_tokens = 0;
  double times = 1;  // of the measured time
  static FieldTable describe();
};

struct DecodeConstants {
  Seconds ends;
  double memory_share = 1;
  Seconds task, block;
  double block_keys = 1;
  double head_dim = 1;
  static FieldTable describe();
};

// Attention as the tables have it: the rule holds an interval alone.
struct AttentionConstants {
  static FieldTable describe();
};

struct QuantisingConstants {
  Seconds one_row, thousand_elements;
  double clocks_per_element = 0;
  Bytes bytes_per_element;
  double stream_share = 1;
  double passes_in_row = 1;
  Seconds launched_early;
  static FieldTable describe();
};

struct RankConstants {
  Seconds all_reduce, other;  // by a library's kernels
  Seconds own;                // by an all-reduce of the engine's own, up to a size
  Bytes largest_own;
  static FieldTable describe();
};

enum class RuleKind : std::uint8_t {
  Norms,
  Activations,
  Rotations,
  CacheWrites,
  Sampling,
  Products,
  Experts,
  ExpertTiles,
  UntunedExperts,
  DecodeAttention,
  Attention,
  Quantising,
  BlockQuantising,
  Ranks,
  ExpertChoice
};
inline constexpr std::size_t kRuleKinds = 15;
template <>
struct EnumNames<RuleKind> {
  static constexpr std::array<std::pair<RuleKind, std::string_view>, kRuleKinds> kNames{
      {{RuleKind::Norms, "norms"},
       {RuleKind::Activations, "activations"},
       {RuleKind::Rotations, "rotations"},
       {RuleKind::CacheWrites, "cache_writes"},
       {RuleKind::Sampling, "sampling"},
       {RuleKind::Products, "products"},
       {RuleKind::Experts, "experts"},
       {RuleKind::ExpertTiles, "expert_tiles"},
       {RuleKind::UntunedExperts, "untuned_experts"},
       {RuleKind::DecodeAttention, "decode_attention"},
       {RuleKind::Attention, "attention"},
       {RuleKind::Quantising, "quantising"},
       {RuleKind::BlockQuantising, "block_quantising"},
       {RuleKind::Ranks, "ranks"},
       {RuleKind::ExpertChoice, "expert_choice"}}};
};

using RuleConstants = std::variant<StreamConstants, SamplingConstants, ProductConstants, ExpertConstants,
                                   ExpertTileConstants, UntunedExpertConstants, DecodeConstants,
                                   AttentionConstants, QuantisingConstants, RankConstants>;

// What a rule of a kind has to state.
struct RuleForm {
  RuleConstants constants;                  // empty ones, of the kind's type
  std::span<const std::string_view> sizes;  // that it was fitted over, in the order of StepRule::sizes
  bool has_interval = false;                // it replaces a price, or states how wide one is
};
RuleForm form_of(RuleKind kind);

}  // namespace warploom
