// gemm, mla_bmm, moe and quantize tables.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "warploom/measurements/internal/aiconfigurator.h"
#include "warploom/measurements/internal/aiconfigurator_collectors.h"

namespace warploom {
namespace {

// Distinct weights that the collector rotates through.
double rotated_weights(std::string_view framework, const Gemm& gemm, const GpuSpec& gpu) {
  const AiconfiguratorCollector& collector = collector_of(framework);
  if (collector.rotates_past_l2) {
    const double weight = double(gemm.n) * double(gemm.k) * bytes_per_element(weight_type(gemm.scheme));
    return std::clamp(std::ceil(gpu.l2_capacity.value() / weight), 1.0, 5.0);
  }
  const bool scaled = gemm.scheme == MatmulScheme::Fp8Block || gemm.scheme == MatmulScheme::NvFp4;
  if (collector.keeps_one_scaled_weight && scaled) return 1;
  return 6;
}

struct Routing {
  RoutingKind kind = RoutingKind::Balanced;
  double alpha = 0;
};

Routing parse_distribution(const Table& table, std::size_t column) {
  constexpr std::string_view kPrefix = "power_law_";
  const std::string_view text = table.text(column);
  if (text == "balanced") return {};
  if (text.starts_with(kPrefix)) {
    Routing routing{.kind = RoutingKind::PowerLaw};
    const auto [end, error] =
        std::from_chars(text.data() + kPrefix.size(), text.data() + text.size(), routing.alpha);
    if (error == std::errc() && end == text.data() + text.size() && routing.alpha > 0) return routing;
  }
  table.refuse(column, "'balanced' or 'power_law_<exponent>'");
}

void read_gemm(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const std::size_t dtype = table.column("gemm_dtype"), m = table.column("m"), n = table.column("n"),
                    k = table.column("k");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    Gemm gemm{.scheme = aiconfigurator_scheme(table, dtype),
              .m = table.positive(m),
              .n = table.positive(n),
              .k = table.positive(k),
              .residency = Residency::Warm};
    gemm.weight_copies = rotated_weights(row.context.framework, gemm, row.gpu);
    row.add(gemm);
  });
}

void read_mla_bmm(Table& table, RowSink& sink) {
  constexpr std::int64_t kNopeHeadDim = 128, kLoraRank = 512;  // DeepSeek-V3
  const AiconfiguratorColumns columns(table);
  const std::size_t name = table.column("op_name"), dtype = table.column("bmm_dtype"),
                    heads = table.column("num_heads"), tokens = table.column("num_tokens");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    const bool before_attention = table.text(name) == "mla_gen_pre";
    if (!before_attention && table.text(name) != "mla_gen_post")
      table.refuse(name, "mla_gen_pre or mla_gen_post");
    const Gemm gemm{.scheme = aiconfigurator_scheme(table, dtype),
                    .m = table.positive(tokens),
                    .n = before_attention ? kLoraRank : kNopeHeadDim,
                    .k = before_attention ? kNopeHeadDim : kLoraRank,
                    .batch = table.positive(heads),
                    .residency = Residency::Warm,
                    .weight_copies = 1};
    // Batched kernels go by other names than plain ones, even where the publisher says "default".
    const std::string kernel = fmt::format("bmm:{}", row.context.kernel);
    row.add(gemm, {.kernel = kernel});
  });
}

void read_moe(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const std::size_t dtype = table.column("moe_dtype"), distribution = table.column("distribution"),
                    hidden = table.column("hidden_size"), intermediate = table.column("inter_size"),
                    top_k = table.column("topk"), experts = table.column("num_experts"),
                    tensor_parallel = table.column("moe_tp_size"),
                    expert_parallel = table.column("moe_ep_size"), tokens = table.column("num_tokens");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    const Routing routing = parse_distribution(table, distribution);
    const FusedMoe moe{.scheme = aiconfigurator_scheme(table, dtype),
                       .tokens = table.positive(tokens),
                       .hidden = table.positive(hidden),
                       .intermediate = table.positive(intermediate),
                       .experts = table.positive(experts),
                       .top_k = table.positive(top_k),
                       .tensor_parallel = table.positive(tensor_parallel),
                       .expert_parallel = table.positive(expert_parallel),
                       .routing = routing.kind,
                       .routing_alpha = routing.alpha,
                       .gated = row.context.kernel.find("nongated") == std::string_view::npos};
    row.add(moe);
  });
}

// compute_scale rows hold the dynamic time minus the static one of the same shape: added back together they
// give the dynamic quantisation. The rows of a table are sorted by name, so the differences come first.
void read_quantize(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const std::size_t name = table.column("op_name"), dtype = table.column("quant_dtype"),
                    k = table.column("k"), m = table.column("m");
  std::map<std::tuple<std::string, std::string, std::int64_t, std::int64_t>, Seconds> differences;
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    const Seconds latency = row.latency();
    const std::tuple key(std::string(row.context.framework), std::string(row.context.version),
                         table.positive(m), table.positive(k));
    if (table.text(name) == "compute_scale") {
      differences[key] = latency;
      sink.skip("a difference of two timings, kept only as part of the dynamic quantisation", table);
      return;
    }
    if (table.text(name) != "scale_matrix") table.refuse(name, "compute_scale or scale_matrix");
    Quantize op{.target = aiconfigurator_type(table, dtype),
                .rows = std::get<2>(key),
                .width = std::get<3>(key),
                .dynamic = false};
    row.add(op);
    const auto difference = differences.find(key);
    if (difference == differences.end()) return;
    op.dynamic = true;
    row.add(op, {.latency = latency + difference->second, .marks = {.derived = true}});
  });
}

std::vector<TableFormat> tables() {
  return {aiconfigurator_table("gemm", {Family::Gemm}, read_gemm),
          aiconfigurator_table("mla_bmm", {Family::Gemm}, read_mla_bmm),
          aiconfigurator_table("moe", {Family::Moe}, read_moe),
          aiconfigurator_table("quantize", {Family::Quantize}, read_quantize)};
}

}  // namespace

constinit const AiconfiguratorTables kMatmulTables{tables};

}  // namespace warploom
