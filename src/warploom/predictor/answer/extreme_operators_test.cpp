// Random operators of every family whose sizes lie anywhere from nothing to far beyond what is accepted: each
// is refused by a typed error or has a finite, ordered answer.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/operator_json.h"
#include "warploom/kernels/roofline.h"
#include "warploom/predictor/predictor.h"

namespace warploom {
namespace {

#if defined(WARPLOOM_SANITIZED)
constexpr std::size_t kOperators = 20'000;
#else
constexpr std::size_t kOperators = 1'000'000;
#endif

// Draws the sizes of one operator: most between 1 and a scale of its own, now and then something mad.
class Draw {
 public:
  explicit Draw(RandomStream& random) : random_(random) {}

  void new_scale() { scale_ = std::exp(random_.uniform(0, std::log(1e13))); }
  std::int64_t size() {
    if (one_in(400)) return mad();
    return std::int64_t(std::exp(random_.uniform(0, std::log(scale_ + 1))));
  }
  std::int64_t up_to(std::int64_t most) { return random_.integer(0, most); }
  bool one_in(std::int64_t n) { return random_.integer(1, n) == 1; }
  bool either() { return one_in(2); }
  double real() {
    if (one_in(100)) return std::numeric_limits<double>::quiet_NaN();
    if (one_in(100)) return std::numeric_limits<double>::infinity();
    return std::exp(random_.uniform(-700, 40)) * (one_in(50) ? -1 : 1);
  }
  double near_one() { return random_.uniform(-0.5, 18); }
  template <class Enum>
  Enum one_of() {
    const auto& names = EnumNames<Enum>::kNames;
    return names[std::size_t(random_.integer(0, std::int64_t(names.size()) - 1))].first;
  }

 private:
  std::int64_t mad() {
    constexpr std::array kMad{std::int64_t{0},
                              std::int64_t{-1},
                              std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::int64_t>::max(),
                              std::int64_t{1} << 31,
                              std::int64_t{1} << 32,
                              std::int64_t{1} << 40,
                              std::int64_t{1'000'000'000'000}};
    return kMad[std::size_t(random_.integer(0, std::int64_t(kMad.size()) - 1))];
  }

  RandomStream& random_;
  double scale_ = 1;
};

std::vector<RequestGroup> requests(Draw& draw) {
  std::vector<RequestGroup> groups(std::size_t(draw.one_in(100) ? 0 : 1 + draw.up_to(2)));
  for (RequestGroup& group : groups) {
    group.count = draw.size();
    group.query_tokens = draw.either() ? 1 : draw.size();
    group.context_tokens = draw.either() ? 0 : draw.size();
  }
  return groups;
}

template <class Attention>
void draw_heads(Attention& op, Draw& draw) {
  op.compute = draw.one_of<DataType>();
  op.kv_cache = draw.one_of<DataType>();
  op.kv_heads = draw.either() ? 8 : draw.size();
  const std::int64_t group = draw.either() ? 4 : draw.size();
  if (__builtin_mul_overflow(op.kv_heads, group, &op.heads)) op.heads = group;
  op.head_dim = draw.either() ? 128 : draw.size();
  op.window = draw.either() ? 0 : draw.size();
}

void fill(AttentionPrefill& op, Draw& draw) {
  draw_heads(op, draw);
  op.causal = draw.either();
  op.requests = requests(draw);
}
void fill(AttentionDecode& op, Draw& draw) {
  draw_heads(op, draw);
  op.requests = requests(draw);
}
template <class Mla>
void draw_latent(Mla& op, Draw& draw) {
  op.compute = draw.one_of<DataType>();
  op.kv_cache = draw.one_of<DataType>();
  op.requests = requests(draw);
  if (draw.either()) return;
  op.shape = {.heads = draw.size(),
              .kv_lora_rank = draw.size(),
              .rope_head_dim = draw.size(),
              .nope_head_dim = draw.size(),
              .value_head_dim = draw.size()};
}
void fill(MlaPrefill& op, Draw& draw) { draw_latent(op, draw); }
void fill(MlaDecode& op, Draw& draw) { draw_latent(op, draw); }
void fill(MlaModule& op, Draw& draw) {
  draw_latent(op, draw);
  op.projections = draw.one_of<MatmulScheme>();
  op.decode = draw.either();
  op.hidden = draw.size();
  op.q_lora_rank = draw.either() ? 0 : draw.size();
}
void fill(Gemm& op, Draw& draw) {
  op = {.scheme = draw.one_of<MatmulScheme>(),
        .m = draw.size(),
        .n = draw.size(),
        .k = draw.size(),
        .batch = draw.either() ? 1 : draw.size(),
        .residency = draw.one_of<Residency>(),
        .weight_copies = draw.either() ? 1 : draw.real()};
}
void fill(FusedMoe& op, Draw& draw) {
  op.scheme = draw.one_of<MatmulScheme>();
  op.tokens = draw.size();
  op.hidden = draw.size();
  op.intermediate = draw.size();
  op.experts = draw.either() ? 256 : draw.size();
  op.top_k = draw.either() ? 8 : draw.size();
  op.tensor_parallel = draw.either() ? 1 : draw.size();
  op.expert_parallel = draw.either() ? 1 : draw.size();
  // Power laws take long to draw.
  op.routing = draw.one_in(10) ? RoutingKind::PowerLaw : RoutingKind::Balanced;
  op.routing_alpha = draw.one_in(20) ? draw.real() : draw.near_one();
  op.gated = draw.either();
  op.pass = draw.one_of<MoePass>();
}
void fill(RmsNorm& op, Draw& draw) {
  op = {draw.one_of<DataType>(), draw.size(), draw.size(), draw.either(), draw.either()};
}
void fill(Activation& op, Draw& draw) {
  op = {draw.one_of<DataType>(), draw.size(), draw.size(), draw.either()};
}
void fill(Elementwise& op, Draw& draw) {
  op = {draw.one_of<ElementwiseKind>(), draw.one_of<DataType>(), draw.size(), draw.size(),
        draw.either() ? 2 : draw.size()};
}
void fill(Rope& op, Draw& draw) {
  op = {draw.one_of<DataType>(), draw.size(), draw.size(), draw.size(), draw.size()};
}
void fill(KvWrite& op, Draw& draw) {
  op = {draw.one_of<DataType>(), draw.one_of<DataType>(), draw.size(), draw.size(), draw.size()};
}
void fill(Quantize& op, Draw& draw) {
  op = {draw.one_of<DataType>(), draw.size(), draw.size(), draw.either()};
}
void fill(Embedding& op, Draw& draw) {
  op = {draw.one_of<DataType>(), draw.size(), draw.size(), draw.size()};
}
void fill(Sampling& op, Draw& draw) { op = {draw.size(), draw.size()}; }
void fill(LinearAttention& op, Draw& draw) {
  op.kind = draw.one_of<LinearAttentionKind>();
  op.stage = draw.one_of<LinearAttentionStage>();
  op.sequences = draw.size();
  op.tokens_per_sequence = draw.size();
  for (std::int64_t* size :
       {&op.key_heads, &op.key_dim, &op.value_heads, &op.value_dim, &op.convolution_width, &op.state_size})
    if (draw.either()) *size = draw.size();
}
void fill(Collective& op, Draw& draw) {
  op.kind = draw.one_of<CollectiveKind>();
  op.size = Bytes(draw.either() ? double(draw.size()) : draw.real());
  op.ranks = draw.size();
  op.ranks_per_node = draw.either() ? 0 : draw.size();
  op.top_k = draw.either() ? 0 : draw.size();
  op.token_bytes = Bytes(draw.either() ? 0 : draw.real());
}

// A field of any family that has no function of its own above.
void fill_field(const Field& field, void* object, Draw& draw) {
  if (field.kind == FieldKind::Integer && draw.either()) field.set(object, draw.size());
  if (field.kind == FieldKind::Boolean) field.set(object, draw.either());
  if (field.kind == FieldKind::Text && !field.choices.empty())
    field.set(object, field.choices[std::size_t(draw.up_to(std::int64_t(field.choices.size()) - 1))]);
  if (field.kind == FieldKind::Object)
    for (const Field& inner : field.nested->fields) fill_field(inner, field.element(object, 0), draw);
}
template <class Op>
void fill(Op& op, Draw& draw) {
  for (const Field& field : fields_of<Op>().fields) fill_field(field, &op, draw);
  if constexpr (requires { op.requests; }) op.requests = requests(draw);
}

template <std::size_t... I>
Operator any_operator(Draw& draw, std::index_sequence<I...>) {
  const auto which = std::size_t(draw.up_to(sizeof...(I) - 1));
  Operator op;
  const auto make = [&]<std::size_t At>(std::integral_constant<std::size_t, At>) {
    std::variant_alternative_t<At, Operator> made;
    fill(made, draw);
    op = std::move(made);
  };
  ((which == I ? make(std::integral_constant<std::size_t, I>{}) : void()), ...);
  return op;
}

// What is wrong with an answer; empty when nothing is.
std::string fault_of(const LatencyEstimate& answer) {
  const double p10 = answer.p10.value(), p50 = answer.p50.value(), p90 = answer.p90.value();
  const double bound = answer.physical_bound.value();
  const bool finite = std::isfinite(p10) && std::isfinite(p50) && std::isfinite(p90) && std::isfinite(bound);
  if (finite && 0 < bound && 0 < p10 && bound <= p50 && p10 <= p50 && p50 <= p90) return {};
  return "p10 " + std::to_string(p10) + ", p50 " + std::to_string(p50) + ", p90 " + std::to_string(p90) +
         ", bound " + std::to_string(bound) + " s";
}

constexpr std::array<KernelContext, 8> kContexts{{{},
                                                  {},
                                                  {"vllm", "", ""},
                                                  {"sglang", "", ""},
                                                  {"trtllm", "", ""},
                                                  {"", "", "own_prefill_fa2"},
                                                  {"", "", "own_decode_fa2"},
                                                  {"", "", "gemm_fp8"}}};

TEST(ExtremeOperators, AreRefusedOrHaveAFiniteOrderedAnswer) {
  GpuCatalog catalog;
  std::vector<GpuSpec> gpus;
  for (const char* name : {"h200_sxm", "a100_sxm", "rtx_4090", "b200_sxm", "t4", "p100", "mi300x", "gb10"})
    gpus.push_back(catalog.load_gpu(name));
  const Predictor predictor;
  const RooflineModel roofline;
  RandomStream random(17, "extreme operators");
  Draw draw(random);
  std::map<Family, std::size_t> answered, refused;
  std::size_t faults = 0;
  for (std::size_t i = 0; i < kOperators && faults < 10; ++i) {
    draw.new_scale();
    const Operator op = any_operator(draw, std::make_index_sequence<std::variant_size_v<Operator>>{});
    const GpuSpec& gpu = gpus[std::size_t(draw.up_to(std::int64_t(gpus.size()) - 1))];
    const KernelContext& context = kContexts[std::size_t(draw.up_to(kContexts.size() - 1))];
    const auto told = [&](const std::string& fault) {
      ++faults;
      ADD_FAILURE() << "operator " << i << ", " << gpu.name << ", '" << context.framework << "' '"
                    << context.kernel << "': " << fault << "\n"
                    << json_text(operator_to_json(op));
    };
    try {
      std::string fault = fault_of(predictor.estimate(op, gpu, context));
      if (fault.empty()) fault = fault_of(roofline.estimate(op, gpu, context));
      if (!fault.empty()) told(fault);
      ++answered[family_of(op)];
    } catch (const Error& error) {
      if (std::string_view(error.what()).empty()) told("an error without a word");
      ++refused[family_of(op)];
    } catch (const std::exception& error) {
      told(error.what());
    }
  }
  // Both sides of the limits were met.
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    EXPECT_GT(answered[family], kOperators / 1000) << name;
    EXPECT_GT(refused[family], kOperators / 1000) << name;
  }
}

}  // namespace
}  // namespace warploom
