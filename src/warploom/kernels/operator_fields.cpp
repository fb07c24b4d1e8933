#include "warploom/kernels/operator_fields.h"

#include "warploom/kernels/family_kind.h"
#include "warploom/kernels/operator_limits.h"

namespace warploom {
namespace {

FieldOptions positive(std::string_view doc, std::int64_t most = kLargestCount) {
  return {.doc = doc, .min = 1, .max = double(most)};
}
FieldOptions not_negative(std::string_view doc, std::int64_t most = kLargestCount) {
  return {.doc = doc, .min = 0, .max = double(most)};
}
FieldOptions side(std::string_view doc) { return positive(doc, kLargestSide); }

CollectiveKind collective_kind(Family family) {
  switch (family) {
    case Family::AllGather:
      return CollectiveKind::AllGather;
    case Family::ReduceScatter:
      return CollectiveKind::ReduceScatter;
    case Family::AllToAll:
      return CollectiveKind::AllToAll;
    case Family::SendRecv:
      return CollectiveKind::SendRecv;
    case Family::MoeDispatch:
      return CollectiveKind::Dispatch;
    case Family::MoeCombine:
      return CollectiveKind::Combine;
    default:
      return CollectiveKind::AllReduce;
  }
}

template <std::size_t... I>
Operator operator_at(std::size_t index, std::index_sequence<I...>) {
  Operator op;
  ((index == I ? void(op = std::variant_alternative_t<I, Operator>{}) : void()), ...);
  return op;
}

}  // namespace

FieldTable Gemm::describe() {
  return FieldList<Gemm>("gemm")
      .add("scheme", &Gemm::scheme, {.doc = "how the operands are stored and multiplied"})
      .add("m", &Gemm::m, side("rows of the output (tokens)"))
      .add("n", &Gemm::n, side("columns of the output"))
      .add("k", &Gemm::k, side("length of the inner product"))
      .add("batch", &Gemm::batch, positive("independent products"))
      .add("residency", &Gemm::residency, {.doc = "where the weights are at the start"})
      .add("weight_copies", &Gemm::weight_copies,
           {.doc = "distinct weights a benchmark rotates through", .min = 1, .max = kMostWeightCopies})
      .table();
}

FieldTable RequestGroup::describe() {
  return FieldList<RequestGroup>("request_group")
      .add("count", &RequestGroup::count, positive("requests that are alike"))
      .add("query_tokens", &RequestGroup::query_tokens, positive("new tokens of each"))
      .add("context_tokens", &RequestGroup::context_tokens, not_negative("tokens already cached of each"))
      .table();
}

FieldTable AttentionPrefill::describe() {
  return FieldList<AttentionPrefill>("attention_prefill")
      .add("compute", &AttentionPrefill::compute, {.doc = "type of queries and products"})
      .add("kv_cache", &AttentionPrefill::kv_cache, {.doc = "type of cached keys and values"})
      .add("heads", &AttentionPrefill::heads, positive("query heads on this GPU"))
      .add("kv_heads", &AttentionPrefill::kv_heads, positive("key-value heads on this GPU"))
      .add("head_dim", &AttentionPrefill::head_dim, positive("elements of one head"))
      .add("window", &AttentionPrefill::window, not_negative("sliding window in tokens, 0 = full"))
      .add("causal", &AttentionPrefill::causal, {.doc = "a query sees no later token"})
      .add("requests", &AttentionPrefill::requests, {.doc = "groups of alike requests", .required = true})
      .table();
}

FieldTable AttentionDecode::describe() {
  return FieldList<AttentionDecode>("attention_decode")
      .add("compute", &AttentionDecode::compute, {.doc = "type of queries and products"})
      .add("kv_cache", &AttentionDecode::kv_cache, {.doc = "type of cached keys and values"})
      .add("heads", &AttentionDecode::heads, positive("query heads on this GPU"))
      .add("kv_heads", &AttentionDecode::kv_heads, positive("key-value heads on this GPU"))
      .add("head_dim", &AttentionDecode::head_dim, positive("elements of one head"))
      .add("window", &AttentionDecode::window, not_negative("sliding window in tokens, 0 = full"))
      .add("requests", &AttentionDecode::requests, {.doc = "groups of alike requests", .required = true})
      .table();
}

FieldTable MlaShape::describe() {
  return FieldList<MlaShape>("mla_shape")
      .add("heads", &MlaShape::heads, positive("heads on this GPU"))
      .add("kv_lora_rank", &MlaShape::kv_lora_rank, positive("width of the cached latent"))
      .add("rope_head_dim", &MlaShape::rope_head_dim, positive("rotary part of a key"))
      .add("nope_head_dim", &MlaShape::nope_head_dim, positive("non-rotary part of a key"))
      .add("value_head_dim", &MlaShape::value_head_dim, positive("elements of one value head"))
      .table();
}

FieldTable MlaPrefill::describe() {
  return FieldList<MlaPrefill>("mla_prefill")
      .add("compute", &MlaPrefill::compute, {.doc = "type of queries and products"})
      .add("kv_cache", &MlaPrefill::kv_cache, {.doc = "type of the cached latent"})
      .add("shape", &MlaPrefill::shape, {.doc = "head counts and widths"})
      .add("requests", &MlaPrefill::requests, {.doc = "groups of alike requests", .required = true})
      .table();
}

FieldTable MlaDecode::describe() {
  return FieldList<MlaDecode>("mla_decode")
      .add("compute", &MlaDecode::compute, {.doc = "type of queries and products"})
      .add("kv_cache", &MlaDecode::kv_cache, {.doc = "type of the cached latent"})
      .add("shape", &MlaDecode::shape, {.doc = "head counts and widths"})
      .add("requests", &MlaDecode::requests, {.doc = "groups of alike requests", .required = true})
      .table();
}

FieldTable MlaModule::describe() {
  return FieldList<MlaModule>("mla_module")
      .add("projections", &MlaModule::projections, {.doc = "scheme of the linear layers"})
      .add("compute", &MlaModule::compute, {.doc = "type of queries and products"})
      .add("kv_cache", &MlaModule::kv_cache, {.doc = "type of the cached latent"})
      .add("decode", &MlaModule::decode, {.doc = "absorbed decode form instead of prefill"})
      .add("hidden", &MlaModule::hidden, side("width of the model"))
      .add("q_lora_rank", &MlaModule::q_lora_rank,
           not_negative("width of the query latent, 0 = none", kLargestSide))
      .add("shape", &MlaModule::shape, {.doc = "head counts and widths"})
      .add("requests", &MlaModule::requests, {.doc = "groups of alike requests", .required = true})
      .table();
}

FieldTable FusedMoe::describe() {
  return FieldList<FusedMoe>("moe")
      .add("scheme", &FusedMoe::scheme, {.doc = "how the operands are stored and multiplied"})
      .add("tokens", &FusedMoe::tokens, side("tokens of the whole expert-parallel group"))
      .add("hidden", &FusedMoe::hidden, side("width of the model"))
      .add("intermediate", &FusedMoe::intermediate, side("width of one expert before sharding"))
      .add("experts", &FusedMoe::experts, positive("experts of the model", kMostExperts))
      .add("top_k", &FusedMoe::top_k, positive("experts of one token", kMostExperts))
      .add("tensor_parallel", &FusedMoe::tensor_parallel, positive("ways each expert is split"))
      .add("expert_parallel", &FusedMoe::expert_parallel, positive("ways the experts are shared out"))
      .add("routing", &FusedMoe::routing,
           {.doc = "how tokens choose experts: evenly, with a skew, or each at random"})
      .add("routing_alpha", &FusedMoe::routing_alpha,
           {.doc = "exponent of power-law routing", .min = 0, .max = 16})
      .add("gated", &FusedMoe::gated, {.doc = "gate and up projections"})
      .add("pass", &FusedMoe::pass, {.doc = "which of the two grouped products"})
      .table();
}

FieldTable RmsNorm::describe() {
  return FieldList<RmsNorm>("rmsnorm")
      .add("type", &RmsNorm::type, {.doc = "element type"})
      .add("tokens", &RmsNorm::tokens, positive("rows"))
      .add("width", &RmsNorm::width, positive("elements of a row"))
      .add("residual", &RmsNorm::residual, {.doc = "fused residual add"})
      .add("layer_norm", &RmsNorm::layer_norm, {.doc = "LayerNorm: also subtracts the mean"})
      .table();
}

FieldTable Activation::describe() {
  return FieldList<Activation>("activation")
      .add("type", &Activation::type, {.doc = "element type"})
      .add("tokens", &Activation::tokens, positive("rows"))
      .add("width", &Activation::width, positive("elements of an output row"))
      .add("gated", &Activation::gated, {.doc = "reads two inputs per output"})
      .table();
}

FieldTable Elementwise::describe() {
  return FieldList<Elementwise>("elementwise")
      .add("kind", &Elementwise::kind, {.doc = "the operation"})
      .add("type", &Elementwise::type, {.doc = "element type"})
      .add("rows", &Elementwise::rows, positive("rows"))
      .add("width", &Elementwise::width, positive("elements of a row"))
      .add("inputs", &Elementwise::inputs, positive("input tensors", kMostInputs))
      .table();
}

FieldTable Rope::describe() {
  return FieldList<Rope>("rope")
      .add("type", &Rope::type, {.doc = "element type"})
      .add("tokens", &Rope::tokens, positive("tokens"))
      .add("heads", &Rope::heads, positive("query heads on this GPU"))
      .add("kv_heads", &Rope::kv_heads, positive("key heads on this GPU"))
      .add("head_dim", &Rope::head_dim, positive("elements of one head"))
      .table();
}

FieldTable KvWrite::describe() {
  return FieldList<KvWrite>("kv_write")
      .add("type", &KvWrite::type, {.doc = "type of the new keys and values"})
      .add("kv_cache", &KvWrite::kv_cache, {.doc = "type of the cache"})
      .add("tokens", &KvWrite::tokens, positive("tokens"))
      .add("kv_heads", &KvWrite::kv_heads, positive("key-value heads on this GPU"))
      .add("head_dim", &KvWrite::head_dim, positive("elements of one head"))
      .table();
}

FieldTable Quantize::describe() {
  return FieldList<Quantize>("quantize")
      .add("target", &Quantize::target, {.doc = "type of the result"})
      .add("rows", &Quantize::rows, positive("rows"))
      .add("width", &Quantize::width, positive("elements of a row"))
      .add("dynamic", &Quantize::dynamic, {.doc = "scales come from the data"})
      .table();
}

FieldTable Embedding::describe() {
  return FieldList<Embedding>("embedding")
      .add("type", &Embedding::type, {.doc = "element type"})
      .add("tokens", &Embedding::tokens, positive("rows gathered"))
      .add("hidden", &Embedding::hidden, positive("elements of a row"))
      .add("vocabulary", &Embedding::vocabulary, positive("rows of the table"))
      .table();
}

FieldTable Sampling::describe() {
  return FieldList<Sampling>("sampling")
      .add("sequences", &Sampling::sequences, positive("rows of logits"))
      .add("vocabulary", &Sampling::vocabulary, positive("logits of a row"))
      .table();
}

FieldTable LinearAttention::describe() {
  return FieldList<LinearAttention>("linear_attention")
      .add("kind", &LinearAttention::kind, {.doc = "the recurrence"})
      .add("stage", &LinearAttention::stage, {.doc = "the kernel of the layer"})
      .add("sequences", &LinearAttention::sequences, positive("sequences"))
      .add("tokens_per_sequence", &LinearAttention::tokens_per_sequence, positive("new tokens of each"))
      .add("key_heads", &LinearAttention::key_heads, positive("key heads (Mamba-2: groups)"))
      .add("key_dim", &LinearAttention::key_dim, positive("elements of a key head"))
      .add("value_heads", &LinearAttention::value_heads, positive("value heads"))
      .add("value_dim", &LinearAttention::value_dim, positive("elements of a value head"))
      .add("convolution_width", &LinearAttention::convolution_width,
           positive("taps of the causal convolution"))
      .add("state_size", &LinearAttention::state_size, positive("Mamba-2 state of a head"))
      .table();
}

FieldTable Collective::describe() {
  return FieldList<Collective>("collective")
      .add("size_bytes", &Collective::size,
           {.unit = "B", .doc = "buffer", .min = 1, .max = kMostCollectiveBytes})
      .add("ranks", &Collective::ranks, {.doc = "GPUs", .min = 2, .max = double(kMostRanks)})
      .add("ranks_per_node", &Collective::ranks_per_node,
           not_negative("GPUs of one link domain, 0 = all", kMostRanks))
      .add("top_k", &Collective::top_k,
           not_negative("experts of a token (dispatch, combine), 0 = unknown", kMostRanks))
      .add("token_bytes", &Collective::token_bytes,
           {.unit = "B",
            .doc = "one token (dispatch, combine), 0 = unknown",
            .min = 0,
            .max = kMostTokenBytes})
      .table();
}

Operator default_operator(Family family) {
  if (is_collective(family)) return Collective{.kind = collective_kind(family)};
  return operator_at(static_cast<std::size_t>(family),
                     std::make_index_sequence<std::variant_size_v<Operator>>{});
}

const FieldTable& operator_fields(Family family) {
  return std::visit(
      [](const auto& op) -> const FieldTable& { return fields_of<std::decay_t<decltype(op)>>(); },
      default_operator(family));
}

void* operator_object(Operator& op) {
  return std::visit([](auto& object) -> void* { return &object; }, op);
}

const void* operator_object(const Operator& op) {
  return std::visit([](const auto& object) -> const void* { return &object; }, op);
}

}  // namespace warploom
