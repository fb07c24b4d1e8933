#include "warploom/steps/rule_constants.h"

namespace warploom {
namespace {

FieldOptions time_us(std::string_view doc) {
  return {.unit = "us", .doc = doc, .min = 0, .max = 1e6, .scale = 1e-6, .required = true};
}
FieldOptions part(std::string_view doc) {
  return {.unit = "1", .doc = doc, .min = 1e-3, .max = 2, .required = true};
}
FieldOptions count(std::string_view unit, std::string_view doc) {
  return {.unit = unit, .doc = doc, .min = 0, .max = 1e9, .required = true};
}

constexpr std::string_view kOfMemory = "share of the memory's rate";
constexpr std::array<std::string_view, 1> kBytes{"bytes"}, kLogits{"logits"}, kRanks{"ranks"};
constexpr std::array<std::string_view, 2> kWeights{"rows", "weight_bytes"}, kRows{"rows", "depth"};
constexpr std::array<std::string_view, 3> kRequests{"requests", "tokens", "kv_heads"};

}  // namespace

FieldTable StreamConstants::describe() {
  using C = StreamConstants;
  FieldOptions per_token = time_us("a token, where blocks and not bytes set the pace");
  per_token.required = false;
  return FieldList<C>("stream")
      .add("launch", &C::launch, time_us("a launch in a CUDA graph"))
      .add("share", &C::share, part(kOfMemory))
      .add("per_token", &C::per_token, per_token)
      .table();
}

FieldTable SamplingConstants::describe() {
  using C = SamplingConstants;
  FieldOptions per_logit = time_us("a token's word, or expert");
  per_logit.unit = "ps", per_logit.scale = 1e-12;
  return FieldList<C>("sampling")
      .add("base", &C::base, time_us("what does not grow: inputs of a step, launches"))
      .add("per_logit", &C::per_logit, per_logit)
      .table();
}

FieldTable ProductConstants::describe() {
  using C = ProductConstants;
  return FieldList<C>("products")
      .add("ends", &C::ends, time_us("start and end of a kernel that reads weights"))
      .add("share", &C::share, part(kOfMemory))
      .add("rows_that_double", &C::rows_that_double, count("rows", "that take as long as the weights again"))
      .add("streaming_rows", &C::streaming_rows, count("rows", "beyond these arithmetic sets the pace"))
      .add("computing_rows", &C::computing_rows, count("rows", "from these on a product only computes"))
      .add("computing", &C::computing, part("a product that computes, of its measured time"))
      .table();
}

FieldTable ExpertConstants::describe() {
  using C = ExpertConstants;
  return FieldList<C>("experts")
      .add("ends", &C::ends, time_us("start and end of the kernels of a layer"))
      .add("share", &C::share, part(kOfMemory))
      .add("replay", &C::replay, time_us("start of a replay and gaps of its kernels, in a measured row"))
      .add("idle_need", &C::idle_need, count("1", "power over the limit with idle matrix units"))
      .add("matrix_need", &C::matrix_need, count("1", "the same that busy matrix units add"))
      .table();
}

FieldTable ExpertTileConstants::describe() {
  using C = ExpertTileConstants;
  return FieldList<C>("expert_tiles")
      .add("rows", &C::rows, count("rows", "a tile"))
      .add("columns", &C::columns, count("columns", "a tile"))
      .add("depth", &C::depth, count("elements", "a step of a tile"))
      .add("least_rows", &C::least_rows, count("rows", "an expert on the mean, from which the tile is taken"))
      .add("step_rate", &C::step_rate, part("share of the matrix units' rate"))
      .add("steps_of_ends", &C::steps_of_ends, count("steps", "start and end of a tile"))
      .table();
}

FieldTable UntunedExpertConstants::describe() {
  using C = UntunedExpertConstants;
  FieldOptions times = part("untuned, of the measured time");
  times.min = 1, times.max = 10;
  return FieldList<C>("untuned_experts")
      .add("tuned_tokens", &C::tuned_tokens, count("tokens", "of a step, up to which the kernel is tuned"))
      .add("times", &C::times, times)
      .table();
}

FieldTable DecodeConstants::describe() {
  using C = DecodeConstants;
  return FieldList<C>("decode_attention")
      .add("ends", &C::ends, time_us("start and end of its kernels"))
      .add("memory_share", &C::memory_share, part(kOfMemory))
      .add("task", &C::task, time_us("an SM, for a request and KV head"))
      .add("block", &C::block, time_us("an SM, for a block of keys of a task"))
      .add("block_keys", &C::block_keys, count("keys", "a block"))
      .add("head_dim", &C::head_dim, count("elements", "a head; others were not seen"))
      .table();
}

FieldTable AttentionConstants::describe() { return FieldList<AttentionConstants>("attention").table(); }

FieldTable QuantisingConstants::describe() {
  using C = QuantisingConstants;
  FieldOptions bytes = count("B", "that the kernel without quantising would move, an element");
  return FieldList<C>("quantising")
      .add("one_row", &C::one_row, time_us("a row"))
      .add("thousand_elements", &C::thousand_elements, time_us("more for each thousand elements of a row"))
      .add("clocks_per_element", &C::clocks_per_element, count("clocks", "an SM, an element of many rows"))
      .add("bytes_per_element", &C::bytes_per_element, bytes)
      .add("stream_share", &C::stream_share, part(kOfMemory))
      .add("passes_in_row", &C::passes_in_row, count("passes", "in a measured row"))
      .add("launched_early", &C::launched_early, time_us("by which those overlap"))
      .table();
}

FieldTable RankConstants::describe() {
  using C = RankConstants;
  return FieldList<C>("ranks")
      .add("all_reduce", &C::all_reduce, time_us("wait of an all-reduce by a library's kernel"))
      .add("other", &C::other, time_us("wait of other collectives by a library's kernel"))
      .add("own", &C::own, time_us("wait of an all-reduce by the engine's own kernel"))
      .add("largest_own", &C::largest_own, count("B", "beyond which that kernel shows none"))
      .table();
}

RuleForm form_of(RuleKind kind) {
  switch (kind) {
    case RuleKind::Norms:
    case RuleKind::Activations:
    case RuleKind::Rotations:
    case RuleKind::CacheWrites:
      return {StreamConstants{}, kBytes, true};
    case RuleKind::Sampling:
    case RuleKind::ExpertChoice:
      return {SamplingConstants{}, kLogits, true};
    case RuleKind::Products:
      return {ProductConstants{}, kWeights, false};
    case RuleKind::Experts:
      return {ExpertConstants{}, kWeights, false};
    case RuleKind::ExpertTiles:
      return {ExpertTileConstants{}, {}, false};
    case RuleKind::UntunedExperts:
      return {UntunedExpertConstants{}, kWeights, false};
    case RuleKind::DecodeAttention:
      return {DecodeConstants{}, kRequests, true};
    case RuleKind::Attention:
      return {AttentionConstants{}, {}, true};
    case RuleKind::Quantising:
    case RuleKind::BlockQuantising:
      return {QuantisingConstants{}, kRows, false};
    case RuleKind::Ranks:
      return {RankConstants{}, kRanks, false};
  }
  return {};
}

}  // namespace warploom
