#include "warploom/kernels/operator_fields.h"

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "warploom/base/error.h"
#include "warploom/hardware/node_spec.h"
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
// As NodeNetwork has it: one doc, one range.
FieldOptions network_field(std::string_view name) { return fields_of<NodeNetwork>().find(name)->options; }
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

// The fields of each struct, listed once for two readers: the table, and MemberSearch.
template <class List>
List& list_fields(List& list, const Gemm*) {
  return list.add("scheme", &Gemm::scheme, {.doc = "how the operands are stored and multiplied"})
      .add("m", &Gemm::m, side("rows of the output (tokens)"))
      .add("n", &Gemm::n, side("columns of the output"))
      .add("k", &Gemm::k, side("length of the inner product"))
      .add("batch", &Gemm::batch, positive("independent products"))
      .add("residency", &Gemm::residency, {.doc = "where the weights are at the start"})
      .add("weight_copies", &Gemm::weight_copies,
           {.doc = "distinct weights a benchmark rotates through", .min = 1, .max = kMostWeightCopies});
}

template <class List>
List& list_fields(List& list, const RequestGroup*) {
  return list.add("count", &RequestGroup::count, positive("requests that are alike"))
      .add("query_tokens", &RequestGroup::query_tokens, positive("new tokens of each"))
      .add("context_tokens", &RequestGroup::context_tokens, not_negative("tokens already cached of each"));
}

template <class List>
List& list_fields(List& list, const AttentionPrefill*) {
  return list.add("compute", &AttentionPrefill::compute, {.doc = "type of queries and products"})
      .add("kv_cache", &AttentionPrefill::kv_cache, {.doc = "type of cached keys and values"})
      .add("heads", &AttentionPrefill::heads, positive("query heads on this GPU"))
      .add("kv_heads", &AttentionPrefill::kv_heads, positive("key-value heads on this GPU"))
      .add("head_dim", &AttentionPrefill::head_dim, positive("elements of one head"))
      .add("window", &AttentionPrefill::window, not_negative("sliding window in tokens, 0 = full"))
      .add("causal", &AttentionPrefill::causal, {.doc = "a query sees no later token"})
      .add("requests", &AttentionPrefill::requests, {.doc = "groups of alike requests", .required = true});
}

template <class List>
List& list_fields(List& list, const AttentionDecode*) {
  return list.add("compute", &AttentionDecode::compute, {.doc = "type of queries and products"})
      .add("kv_cache", &AttentionDecode::kv_cache, {.doc = "type of cached keys and values"})
      .add("heads", &AttentionDecode::heads, positive("query heads on this GPU"))
      .add("kv_heads", &AttentionDecode::kv_heads, positive("key-value heads on this GPU"))
      .add("head_dim", &AttentionDecode::head_dim, positive("elements of one head"))
      .add("window", &AttentionDecode::window, not_negative("sliding window in tokens, 0 = full"))
      .add("requests", &AttentionDecode::requests, {.doc = "groups of alike requests", .required = true});
}

template <class List>
List& list_fields(List& list, const MlaPrefill*) {
  return list.add("compute", &MlaPrefill::compute, {.doc = "type of queries and products"})
      .add("kv_cache", &MlaPrefill::kv_cache, {.doc = "type of the cached latent"})
      .add("shape", &MlaPrefill::shape, {.doc = "head counts and widths"})
      .add("requests", &MlaPrefill::requests, {.doc = "groups of alike requests", .required = true});
}

template <class List>
List& list_fields(List& list, const MlaDecode*) {
  return list.add("compute", &MlaDecode::compute, {.doc = "type of queries and products"})
      .add("kv_cache", &MlaDecode::kv_cache, {.doc = "type of the cached latent"})
      .add("shape", &MlaDecode::shape, {.doc = "head counts and widths"})
      .add("requests", &MlaDecode::requests, {.doc = "groups of alike requests", .required = true});
}

template <class List>
List& list_fields(List& list, const MlaModule*) {
  return list.add("projections", &MlaModule::projections, {.doc = "scheme of the linear layers"})
      .add("compute", &MlaModule::compute, {.doc = "type of queries and products"})
      .add("kv_cache", &MlaModule::kv_cache, {.doc = "type of the cached latent"})
      .add("decode", &MlaModule::decode, {.doc = "absorbed decode form instead of prefill"})
      .add("hidden", &MlaModule::hidden, side("width of the model"))
      .add("q_lora_rank", &MlaModule::q_lora_rank,
           not_negative("width of the query latent, 0 = none", kLargestSide))
      .add("shape", &MlaModule::shape, {.doc = "head counts and widths"})
      .add("requests", &MlaModule::requests, {.doc = "groups of alike requests", .required = true});
}

template <class List>
List& list_fields(List& list, const FusedMoe*) {
  return list.add("scheme", &FusedMoe::scheme, {.doc = "how the operands are stored and multiplied"})
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
      .add("pass", &FusedMoe::pass, {.doc = "which of the two grouped products"});
}

template <class List>
List& list_fields(List& list, const RmsNorm*) {
  return list.add("type", &RmsNorm::type, {.doc = "element type"})
      .add("tokens", &RmsNorm::tokens, positive("rows"))
      .add("width", &RmsNorm::width, positive("elements of a row"))
      .add("residual", &RmsNorm::residual, {.doc = "fused residual add"})
      .add("layer_norm", &RmsNorm::layer_norm, {.doc = "LayerNorm: also subtracts the mean"});
}

template <class List>
List& list_fields(List& list, const Activation*) {
  return list.add("type", &Activation::type, {.doc = "element type"})
      .add("tokens", &Activation::tokens, positive("rows"))
      .add("width", &Activation::width, positive("elements of an output row"))
      .add("gated", &Activation::gated, {.doc = "reads two inputs per output"});
}

template <class List>
List& list_fields(List& list, const Elementwise*) {
  return list.add("kind", &Elementwise::kind, {.doc = "the operation"})
      .add("type", &Elementwise::type, {.doc = "element type"})
      .add("rows", &Elementwise::rows, positive("rows"))
      .add("width", &Elementwise::width, positive("elements of a row"))
      .add("inputs", &Elementwise::inputs, positive("input tensors", kMostInputs));
}

template <class List>
List& list_fields(List& list, const Rope*) {
  return list.add("type", &Rope::type, {.doc = "element type"})
      .add("tokens", &Rope::tokens, positive("tokens"))
      .add("heads", &Rope::heads, positive("query heads on this GPU"))
      .add("kv_heads", &Rope::kv_heads, positive("key heads on this GPU"))
      .add("head_dim", &Rope::head_dim, positive("elements of one head"));
}

template <class List>
List& list_fields(List& list, const KvWrite*) {
  return list.add("type", &KvWrite::type, {.doc = "type of the new keys and values"})
      .add("kv_cache", &KvWrite::kv_cache, {.doc = "type of the cache"})
      .add("tokens", &KvWrite::tokens, positive("tokens"))
      .add("kv_heads", &KvWrite::kv_heads, positive("key-value heads on this GPU"))
      .add("head_dim", &KvWrite::head_dim, positive("elements of one head"));
}

template <class List>
List& list_fields(List& list, const Quantize*) {
  return list.add("target", &Quantize::target, {.doc = "type of the result"})
      .add("rows", &Quantize::rows, positive("rows"))
      .add("width", &Quantize::width, positive("elements of a row"))
      .add("dynamic", &Quantize::dynamic, {.doc = "scales come from the data"});
}

template <class List>
List& list_fields(List& list, const Embedding*) {
  return list.add("type", &Embedding::type, {.doc = "element type"})
      .add("tokens", &Embedding::tokens, positive("rows gathered"))
      .add("hidden", &Embedding::hidden, positive("elements of a row"))
      .add("vocabulary", &Embedding::vocabulary, positive("rows of the table"));
}

template <class List>
List& list_fields(List& list, const Sampling*) {
  return list.add("sequences", &Sampling::sequences, positive("rows of logits"))
      .add("vocabulary", &Sampling::vocabulary, positive("logits of a row"));
}

template <class List>
List& list_fields(List& list, const LinearAttention*) {
  return list.add("kind", &LinearAttention::kind, {.doc = "the recurrence"})
      .add("stage", &LinearAttention::stage, {.doc = "the kernel of the layer"})
      .add("sequences", &LinearAttention::sequences, positive("sequences"))
      .add("tokens_per_sequence", &LinearAttention::tokens_per_sequence, positive("new tokens of each"))
      .add("key_heads", &LinearAttention::key_heads, positive("key heads (Mamba-2: groups)"))
      .add("key_dim", &LinearAttention::key_dim, positive("elements of a key head"))
      .add("value_heads", &LinearAttention::value_heads, positive("value heads"))
      .add("value_dim", &LinearAttention::value_dim, positive("elements of a value head"))
      .add("convolution_width", &LinearAttention::convolution_width,
           positive("taps of the causal convolution"))
      .add("state_size", &LinearAttention::state_size, positive("Mamba-2 state of a head"));
}

template <class List>
List& list_fields(List& list, const Collective*) {
  return list
      .add("size_bytes", &Collective::size,
           {.unit = "B", .doc = "buffer", .min = 1, .max = kMostCollectiveBytes})
      .add("ranks", &Collective::ranks, {.doc = "GPUs", .min = 2, .max = double(kMostRanks)})
      .add("ranks_per_node", &Collective::ranks_per_node,
           not_negative("GPUs that share a link domain, 0 = as many as a node or rack joins", kMostRanks))
      .add("top_k", &Collective::top_k,
           not_negative("experts of a token (dispatch, combine), 0 = unknown", kMostRanks))
      .add("token_bytes", &Collective::token_bytes,
           {.unit = "B",
            .doc = "one token (dispatch, combine), 0 = unknown",
            .min = 0,
            .max = kMostTokenBytes})
      .add("nic_gb_s", &Collective::nic_rate, network_field("nic_gb_s"))
      .add("nics_per_node", &Collective::nics_per_node, network_field("nics_per_node"))
      .add("oversubscription", &Collective::oversubscription, network_field("oversubscription"));
}

// Looks for a whole number among the fields of Op, one that may be absent too.
template <class Op>
class MemberSearch {
 public:
  using Size = std::int64_t Op::*;
  using OptionalSize = std::optional<std::int64_t> Op::*;
  explicit MemberSearch(std::string_view name) : name_(name) {}
  template <class M>
  MemberSearch& add(std::string_view name, M Op::*member, const FieldOptions& = {}) {
    if constexpr (std::is_integral_v<M> && !std::is_same_v<M, bool>) {
      static_assert(std::is_same_v<M, std::int64_t>, "sizes are of one type");
      if (name == name_) found_ = member;
    } else if constexpr (std::is_same_v<M, std::optional<std::int64_t>>) {
      if (name == name_) optional_ = member;
    }
    return *this;
  }
  Size found() const { return found_; }
  OptionalSize found_optional() const { return optional_; }

 private:
  std::string_view name_;
  Size found_ = nullptr;
  OptionalSize optional_ = nullptr;
};

template <class Op>
MemberSearch<Op> size_member(std::string_view name) {
  MemberSearch<Op> search(name);
  return list_fields(search, static_cast<const Op*>(nullptr));
}

template <class Op>
FieldTable described_as(std::string_view type_name) {
  FieldList<Op> list(type_name);
  return list_fields(list, static_cast<const Op*>(nullptr)).table();
}

}  // namespace

FieldTable Gemm::describe() { return described_as<Gemm>("gemm"); }
FieldTable AttentionPrefill::describe() { return described_as<AttentionPrefill>("attention_prefill"); }
FieldTable AttentionDecode::describe() { return described_as<AttentionDecode>("attention_decode"); }
FieldTable MlaPrefill::describe() { return described_as<MlaPrefill>("mla_prefill"); }
FieldTable MlaDecode::describe() { return described_as<MlaDecode>("mla_decode"); }
FieldTable MlaModule::describe() { return described_as<MlaModule>("mla_module"); }
FieldTable FusedMoe::describe() { return described_as<FusedMoe>("moe"); }
FieldTable RmsNorm::describe() { return described_as<RmsNorm>("rmsnorm"); }
FieldTable Activation::describe() { return described_as<Activation>("activation"); }
FieldTable Elementwise::describe() { return described_as<Elementwise>("elementwise"); }
FieldTable Rope::describe() { return described_as<Rope>("rope"); }
FieldTable KvWrite::describe() { return described_as<KvWrite>("kv_write"); }
FieldTable Quantize::describe() { return described_as<Quantize>("quantize"); }
FieldTable Embedding::describe() { return described_as<Embedding>("embedding"); }
FieldTable Sampling::describe() { return described_as<Sampling>("sampling"); }
FieldTable LinearAttention::describe() { return described_as<LinearAttention>("linear_attention"); }
FieldTable Collective::describe() { return described_as<Collective>("collective"); }
FieldTable RequestGroup::describe() { return described_as<RequestGroup>("request_group"); }

FieldTable MlaShape::describe() {
  return FieldList<MlaShape>("mla_shape")
      .add("heads", &MlaShape::heads, positive("heads on this GPU"))
      .add("kv_lora_rank", &MlaShape::kv_lora_rank, positive("width of the cached latent"))
      .add("rope_head_dim", &MlaShape::rope_head_dim, positive("rotary part of a key"))
      .add("nope_head_dim", &MlaShape::nope_head_dim, positive("non-rotary part of a key"))
      .add("value_head_dim", &MlaShape::value_head_dim, positive("elements of one value head"))
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

bool set_sizes(std::span<Operator> operators, std::string_view field, std::span<const std::int64_t> values) {
  WARPLOOM_ASSERT(operators.size() == values.size());
  if (operators.empty()) return true;
  return std::visit(
      [&](const auto& first) {
        using Op = std::decay_t<decltype(first)>;
        const MemberSearch<Op> member = size_member<Op>(field);
        const auto set = [&](auto found) {
          for (std::size_t i = 0; found != nullptr && i < operators.size(); ++i)
            std::get<Op>(operators[i]).*found = values[i];
          return found != nullptr;
        };
        return set(member.found()) || set(member.found_optional());
      },
      operators.front());
}

bool set_alike_sizes(std::span<Operator> operators, std::string_view field,
                     std::span<const std::int64_t> values) {
  WARPLOOM_ASSERT(operators.size() == values.size());
  if (operators.empty()) return true;
  const auto member = size_member<RequestGroup>(field).found();
  if (member == nullptr) return false;
  return std::visit(
      [&](const auto& first) {
        using Op = std::decay_t<decltype(first)>;
        if constexpr (requires { first.requests; }) {
          for (std::size_t i = 0; i < operators.size(); ++i)
            std::get<Op>(operators[i]).requests.front().*member = values[i];
          return true;
        } else {
          return false;
        }
      },
      operators.front());
}

}  // namespace warploom
