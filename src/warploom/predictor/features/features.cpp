#include "warploom/predictor/features/features.h"

#include <type_traits>
#include <variant>

#include "warploom/base/any_of.h"
#include "warploom/kernels/gemm/gemm_constants.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom {

namespace features {

namespace {

void add_gpu(const GpuSpec& gpu, double sustained, OperatorFeatures& row) {
  const double flop = gpu.tensor_rate(tensor_rate_per_clock(gpu, DataType::Bf16)).value();
  row.add(architecture_class(gpu));
  row.add_log2(double(gpu.sm_count));
  row.add_log2(flop / gpu.memory_bandwidth.value());
  row.add_log2(gpu.l2_capacity.value());
  row.add_log2(gpu.memory_bandwidth.value() / gpu.sm_cycles_per_second());
  row.add(sustained);
}

}  // namespace
}  // namespace features

void compute_features(const Operator& op, const GpuSpec& gpu, OperatorFeatures& row) {
  compute_features(op, gpu, default_constants(family_of(op)), row);
}

void compute_features(const Operator& op, const GpuSpec& gpu, const BaseConstants& fitted,
                      OperatorFeatures& row) {
  compute_features(op, gpu, ContextKernel{}, fitted, row);
}

namespace {

// What operators share on one GPU.
struct Shared {
  double sustained;                 // sustained_rate_share
  const GemmModel* gemm = nullptr;  // when it is at hand
};

// Features of the operator alone.
void add_operator(const Operator& op, const GpuSpec& gpu, const ContextKernel& kernel,
                  const BaseConstants& fitted, const Shared& shared, OperatorFeatures& row) {
  std::visit(
      [&](const auto& o) {
        using T = std::decay_t<decltype(o)>;
        if constexpr (std::is_same_v<T, Gemm>) {
          if (shared.gemm != nullptr)
            features::add_gemm(o, gpu, *shared.gemm, row);
          else
            features::add_gemm(o, gpu, GemmModel(o.scheme, gpu, gemm_constants_of(fitted)), row);
        } else if constexpr (std::is_same_v<T, AttentionPrefill>) {
          features::add_attention_prefill(o, gpu, kernel, fitted, row);
        } else if constexpr (std::is_same_v<T, AttentionDecode>) {
          features::add_attention_decode(o, gpu, kernel, fitted, row);
        } else if constexpr (std::is_same_v<T, MlaPrefill>) {
          features::add_mla_prefill(o, gpu, kernel.hints, fitted, row);
        } else if constexpr (std::is_same_v<T, MlaDecode>) {
          features::add_mla_decode(o, gpu, kernel.hints, fitted, row);
        } else if constexpr (std::is_same_v<T, MlaModule>) {
          features::add_mla_module(o, gpu, fitted, row);
        } else if constexpr (std::is_same_v<T, FusedMoe>) {
          row.routing = kernel.routing != nullptr ? kernel.routing->find(o) : routing_load(o);
          features::add_moe(o, gpu, kernel, row.routing, shared.sustained, fitted, row);
        } else if constexpr (std::is_same_v<T, LinearAttention>) {
          features::add_linear_attention(o, gpu, fitted, row);
        } else if constexpr (std::is_same_v<T, Collective>) {
          features::add_collective(o, gpu, fitted, row);
        } else {
          static_assert(
              AnyOf<T, RmsNorm, Activation, Elementwise, Rope, KvWrite, Quantize, Embedding, Sampling>);
          features::add_stream(op, gpu, fitted, row);
        }
      },
      op);
}

// How many features add_gemm adds.
int gemm_features(const GpuSpec& gpu) {
  static const int count = [&gpu] {
    OperatorFeatures row;
    const Gemm gemm;
    features::add_gemm(gemm, gpu, GemmModel(gemm.scheme, gpu), row);
    return row.count;
  }();
  return count;
}

// The operator's features, from the exact structure where the kernel is known.
void add_described(const Operator& op, const GpuSpec& gpu, const ContextKernel& kernel,
                   const BaseConstants& fitted, const Shared& shared, OperatorFeatures& row) {
  if (!describes(kernel.known, op)) return add_operator(op, gpu, kernel, fitted, shared, row);
  features::add_gemm_fp8_hopper(std::get<Gemm>(op), gpu, fitted, row);
  for (const int count = gemm_features(gpu); row.count < count;) row.add(0.0);
}

}  // namespace

void compute_features(const Operator& op, const GpuSpec& gpu, const ContextKernel& kernel,
                      const BaseConstants& fitted, OperatorFeatures& row) {
  row.clear();
  const Shared shared{.sustained = sustained_rate_share(gpu)};
  add_described(op, gpu, kernel, fitted, shared, row);
  features::add_gpu(gpu, shared.sustained, row);
  row.take_logs();
}

FeaturePlan::FeaturePlan(const Operator& example, const GpuSpec& gpu, const ContextKernel& kernel,
                         const BaseConstants& fitted)
    : gpu_(gpu), kernel_(kernel), fitted_(fitted), sustained_(sustained_rate_share(gpu)) {
  if (const auto* gemm = std::get_if<Gemm>(&example))
    gemm_.emplace(gemm->scheme, gpu, gemm_constants_of(fitted));
  OperatorFeatures row;
  features::add_gpu(gpu, sustained_, row);
  row.take_logs();
  std::copy_n(row.values.begin(), of_gpu_.size(), of_gpu_.begin());
}

void FeaturePlan::compute(const Operator& op, OperatorFeatures& row) const {
  row.clear();
  add_described(op, gpu_, kernel_, fitted_, {.sustained = sustained_, .gemm = gemm_ ? &*gemm_ : nullptr},
                row);
  std::copy(of_gpu_.begin(), of_gpu_.end(), row.values.begin() + row.count);
  row.count += kGpuFeatures;
  row.take_logs();
}

std::uint32_t layer_of(const Operator& op) {
  const auto* moe = std::get_if<FusedMoe>(&op);
  return moe != nullptr ? features::moe_layer(*moe) : 0;
}

namespace {

// fp16 and bf16 run at the same rates: measured as one, predicted as one.
int half_as_one(DataType type) { return int(type == DataType::Fp16 ? DataType::Bf16 : type); }
int half_as_one(MatmulScheme scheme) {
  return int(scheme == MatmulScheme::Fp16 ? MatmulScheme::Bf16 : scheme);
}

}  // namespace

std::uint32_t kind_code(const Operator& op) {
  return std::visit(
      [](const auto& o) -> std::uint32_t {
        using T = std::decay_t<decltype(o)>;
        const auto code = [](auto a, auto b) { return std::uint32_t(a) * 16 + std::uint32_t(b); };
        if constexpr (std::is_same_v<T, Gemm>)
          return code(half_as_one(o.scheme), o.batch > 1);
        else if constexpr (std::is_same_v<T, AttentionPrefill>)
          return code(half_as_one(o.compute), half_as_one(o.kv_cache)) * 2 + (o.causal ? 1 : 0);
        else if constexpr (std::is_same_v<T, AttentionDecode>)
          return code(half_as_one(o.compute), half_as_one(o.kv_cache));
        else if constexpr (std::is_same_v<T, MlaPrefill> || std::is_same_v<T, MlaDecode>)
          return code(half_as_one(o.compute), half_as_one(o.kv_cache));
        else if constexpr (std::is_same_v<T, MlaModule>)
          return (code(half_as_one(o.compute), half_as_one(o.kv_cache)) * 16 +
                  std::uint32_t(half_as_one(o.projections))) *
                     2 +
                 (o.decode ? 1 : 0);
        else if constexpr (std::is_same_v<T, FusedMoe>)
          return code(half_as_one(o.scheme), o.pass) * 2 + (o.gated ? 1 : 0);
        else if constexpr (std::is_same_v<T, RmsNorm>)
          return code(half_as_one(o.type), o.layer_norm) * 2 + (o.residual ? 1 : 0);
        else if constexpr (std::is_same_v<T, Activation>)
          return code(half_as_one(o.type), o.gated);
        else if constexpr (std::is_same_v<T, Elementwise>)
          return code(o.kind, half_as_one(o.type)) * 4 + std::uint32_t(o.inputs & 3);
        else if constexpr (std::is_same_v<T, Quantize>)
          return code(o.target, o.dynamic);
        else if constexpr (std::is_same_v<T, LinearAttention>)
          return code(o.kind, o.stage);
        else {
          static_assert(AnyOf<T, Rope, KvWrite, Embedding, Sampling, Collective>);
          return 0;
        }
      },
      op);
}

}  // namespace warploom
