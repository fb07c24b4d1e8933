#include "warploom/measurements/importers/torch_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string_view>

namespace warploom {
namespace {

using Dims = std::vector<std::int64_t>;

std::optional<DataType> data_type_of(std::string_view type) {
  if (type == "c10::BFloat16") return DataType::Bf16;
  if (type == "c10::Half") return DataType::Fp16;
  if (type == "float") return DataType::Fp32;
  if (type.starts_with("c10::Float8")) return DataType::Fp8;
  if (type == "signed char") return DataType::Int8;
  return std::nullopt;
}

// The arguments of a call, with what they must be to make an operator of it. What is not there reads as
// empty.
class Arguments {
 public:
  explicit Arguments(const TorchCall& call) : call_(call) {}
  const Dims& dims(std::size_t i) const {
    static const Dims none;
    return i < call_.dims.size() ? call_.dims[i] : none;
  }
  std::optional<DataType> type(std::size_t i) const {
    return i < call_.types.size() ? data_type_of(call_.types[i]) : std::nullopt;
  }
  std::string_view value(std::size_t i) const {
    return i < call_.values.size() ? std::string_view(call_.values[i]) : std::string_view{};
  }
  // [..., width] as rows and width.
  std::int64_t width(std::size_t i) const { return dims(i).empty() ? 0 : dims(i).back(); }
  std::int64_t rows(std::size_t i) const {
    std::int64_t rows = 1;
    for (std::size_t d = 0; d + 1 < dims(i).size(); ++d) rows = times(rows, dims(i)[d]);
    return rows;
  }
  std::int64_t elements(std::size_t i) const { return dims(i).empty() ? 0 : times(rows(i), width(i)); }

 private:
  // At most the largest number, which no operator takes.
  static std::int64_t times(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
  }

  const TorchCall& call_;
};

TorchOperator because(std::string reason) { return {std::nullopt, std::move(reason)}; }
TorchOperator unlike(std::string_view expected) {
  return because(fmt::format("arguments unlike what the operator takes ({})", expected));
}

std::optional<MatmulScheme> scheme_of(std::optional<DataType> type) {
  if (!type) return std::nullopt;
  switch (*type) {
    case DataType::Bf16:
      return MatmulScheme::Bf16;
    case DataType::Fp16:
      return MatmulScheme::Fp16;
    case DataType::Fp32:
      return MatmulScheme::Fp32;
    case DataType::Fp8:
      return MatmulScheme::Fp8Static;
    case DataType::Int8:
      return MatmulScheme::Int8;
    default:
      return std::nullopt;
  }
}

// a [m, k] (or [batch, m, k]) times b [k, n], arguments `at` and `at` + 1.
TorchOperator product(const Arguments& a, std::size_t at) {
  const Dims &left = a.dims(at), &right = a.dims(at + 1);
  const auto scheme = scheme_of(a.type(at));
  if (!scheme) return because("products of this type");
  if (left.size() != right.size() || left.size() < 2 || left.size() > 3 ||
      left.back() != right[right.size() - 2])
    return unlike("[m, k] and [k, n]");
  Gemm op{.scheme = *scheme, .m = left[left.size() - 2], .n = right.back(), .k = left.back()};
  if (left.size() == 3) op.batch = left[0];
  return {op, ""};
}

// Requests of one length: queries, keys and values as [batch, heads, tokens, width], or with `tokens_first`
// as [batch, tokens, heads, width].
TorchOperator attention(const Arguments& a, bool tokens_first, std::string_view causal) {
  const Dims &q = a.dims(0), &k = a.dims(1);
  const auto type = a.type(0);
  if (q.size() == 3)
    return because("attention over packed requests: the trace does not say how long each one is");
  if (!type || q.size() != 4 || k.size() != 4) return unlike("[batch, heads, tokens, width]");
  const std::size_t head = tokens_first ? 2 : 1, token = tokens_first ? 1 : 2;
  const std::int64_t queries = q[token], keys = k[token];
  if (keys < queries) return because("attention to fewer keys than queries");
  const std::vector<RequestGroup> requests{
      {.count = q[0], .query_tokens = queries, .context_tokens = keys - queries}};
  if (queries == 1)
    return {AttentionDecode{.compute = *type,
                            .kv_cache = *type,
                            .heads = q[head],
                            .kv_heads = k[head],
                            .head_dim = q[3],
                            .requests = requests},
            ""};
  return {AttentionPrefill{.compute = *type,
                           .kv_cache = *type,
                           .heads = q[head],
                           .kv_heads = k[head],
                           .head_dim = q[3],
                           .causal = causal == "True" || causal == "1",
                           .requests = requests},
          ""};
}

TorchOperator norm(const Arguments& a, std::size_t at, bool residual, bool layer_norm) {
  const auto type = a.type(at);
  if (!type || a.elements(at) == 0) return unlike("[tokens, width]");
  return {RmsNorm{.type = *type,
                  .tokens = a.rows(at),
                  .width = a.width(at),
                  .residual = residual,
                  .layer_norm = layer_norm},
          ""};
}

// `output` holds [tokens, width].
TorchOperator activation(const Arguments& a, std::size_t output, bool gated) {
  const auto type = a.type(output);
  if (!type || a.elements(output) == 0) return unlike("[tokens, width]");
  return {Activation{.type = *type, .tokens = a.rows(output), .width = a.width(output), .gated = gated}, ""};
}

TorchOperator elementwise(const Arguments& a, ElementwiseKind kind) {
  const auto type = a.type(0);
  if (!type || a.elements(0) == 0) return unlike("[rows, width]");
  const bool scalar = a.elements(1) <= 1;
  if (!scalar && a.dims(1) != a.dims(0)) return because("element-wise operators that broadcast");
  return {Elementwise{
              .kind = kind, .type = *type, .rows = a.rows(0), .width = a.width(0), .inputs = scalar ? 1 : 2},
          ""};
}

TorchOperator embedding(const Arguments& a, std::size_t indices) {
  const Dims& table = a.dims(0);
  const auto type = a.type(0);
  if (!type || table.size() != 2 || a.elements(indices) == 0)
    return unlike("[vocabulary, hidden] and indices");
  return {Embedding{.type = *type, .tokens = a.elements(indices), .hidden = table[1], .vocabulary = table[0]},
          ""};
}

TorchOperator quantize(const Arguments& a, bool dynamic) {
  if (a.elements(1) == 0 || a.type(0) != DataType::Fp8) return unlike("fp8 output and [rows, width]");
  return {Quantize{.target = DataType::Fp8, .rows = a.rows(1), .width = a.width(1), .dynamic = dynamic}, ""};
}

// keys [tokens, heads, width], values, the cache
TorchOperator kv_write(const Arguments& a) {
  const auto type = a.type(0), cache = a.type(2);
  if (!type || a.dims(0).size() != 3) return unlike("[tokens, heads, width]");
  return {KvWrite{.type = *type,
                  .kv_cache = cache.value_or(DataType::Fp8),
                  .tokens = a.dims(0)[0],
                  .kv_heads = a.dims(0)[1],
                  .head_dim = a.dims(0)[2]},
          ""};
}

// positions, queries [tokens, heads x width], keys likewise, width
TorchOperator rope(const Arguments& a) {
  const auto type = a.type(1);
  std::int64_t width = 0;
  for (const char c : a.value(3)) {
    if (c < '0' || c > '9' || width > 100000) return unlike("the width of a head as fourth argument");
    width = width * 10 + (c - '0');
  }
  if (!type || width == 0 || a.elements(1) == 0 || a.elements(2) == 0 || a.elements(0) == 0)
    return unlike("positions, queries, keys and the width of a head");
  const std::int64_t tokens = a.elements(0);
  return {Rope{.type = *type,
               .tokens = tokens,
               .heads = std::max<std::int64_t>(1, a.elements(1) / tokens / width),
               .kv_heads = std::max<std::int64_t>(1, a.elements(2) / tokens / width),
               .head_dim = width},
          ""};
}

using Reader = std::function<TorchOperator(const Arguments&)>;

const std::map<std::string, Reader, std::less<>>& readers() {
  const auto kind = [](ElementwiseKind k) { return [k](const Arguments& a) { return elementwise(a, k); }; };
  const auto product_at = [](std::size_t at) { return [at](const Arguments& a) { return product(a, at); }; };
  const auto norm_at = [](std::size_t at, bool residual, bool layer) {
    return [=](const Arguments& a) { return norm(a, at, residual, layer); };
  };
  const auto act = [](std::size_t output, bool gated) {
    return [=](const Arguments& a) { return activation(a, output, gated); };
  };
  static const std::map<std::string, Reader, std::less<>> readers{
      {"aten::mm", product_at(0)},
      {"aten::bmm", product_at(0)},
      {"aten::addmm", product_at(1)},
      {"aten::_scaled_mm", product_at(0)},
      {"aten::_int_mm", product_at(0)},
      {"_C::cutlass_scaled_mm", product_at(1)},
      {"aten::_flash_attention_forward", [](const Arguments& a) { return attention(a, true, a.value(8)); }},
      {"aten::_efficient_attention_forward",
       [](const Arguments& a) { return attention(a, true, a.value(9) == "1" ? "1" : ""); }},
      {"aten::_scaled_dot_product_flash_attention",
       [](const Arguments& a) { return attention(a, false, a.value(4)); }},
      {"aten::_scaled_dot_product_cudnn_attention",
       [](const Arguments& a) { return attention(a, false, a.value(6)); }},
      {"aten::_cudnn_attention_forward", [](const Arguments& a) { return attention(a, false, a.value(10)); }},
      {"aten::native_layer_norm", norm_at(0, false, true)},
      {"aten::_fused_rms_norm", norm_at(0, false, false)},
      {"aten::rms_norm", norm_at(0, false, false)},
      {"_C::rms_norm", norm_at(1, false, false)},
      {"_C::fused_add_rms_norm", norm_at(0, true, false)},
      {"aten::silu", act(0, false)},
      {"_C::silu_and_mul", act(0, true)},
      {"_C::gelu_and_mul", act(0, true)},
      {"_C::rotary_embedding", rope},
      {"_C_cache_ops::reshape_and_cache_flash", kv_write},
      {"_C::static_scaled_fp8_quant", [](const Arguments& a) { return quantize(a, false); }},
      {"_C::dynamic_scaled_fp8_quant", [](const Arguments& a) { return quantize(a, true); }},
      {"_C::dynamic_per_token_scaled_fp8_quant", [](const Arguments& a) { return quantize(a, true); }},
      {"aten::add", kind(ElementwiseKind::Add)},
      {"aten::add_", kind(ElementwiseKind::Add)},
      {"aten::mul", kind(ElementwiseKind::Multiply)},
      {"aten::mul_", kind(ElementwiseKind::Multiply)},
      {"aten::div", kind(ElementwiseKind::Divide)},
      {"aten::relu", kind(ElementwiseKind::Relu)},
      {"aten::gelu", kind(ElementwiseKind::Gelu)},
      {"aten::tanh", kind(ElementwiseKind::Tanh)},
      {"aten::_softmax",
       [](const Arguments& a) {
         const std::string last = fmt::format("{}", std::int64_t(a.dims(0).size()) - 1);
         if (a.value(1) != "-1" && a.value(1) != last)
           return because("softmax along another axis than the last");
         return elementwise(a, ElementwiseKind::Softmax);
       }},
      {"aten::embedding", [](const Arguments& a) { return embedding(a, 1); }},
      {"aten::index_select", [](const Arguments& a) { return embedding(a, 2); }},
  };
  return readers;
}

}  // namespace

TorchOperator operator_of(const TorchCall& call) {
  if (call.name.empty()) return because("launched outside of any recorded operator");
  const auto reader = readers().find(call.name);
  if (reader == readers().end()) return because(fmt::format("{}: no such operator here", call.name));
  if (call.dims.empty()) return because("the trace holds no shapes");
  return reader->second(Arguments(call));
}

}  // namespace warploom
