// Tables of the pipeweave layout: fp8 GEMM, hard cases of four kernels, one pass of a fused MoE, NCCL.
#include <charconv>
#include <vector>

#include "warploom/measurements/internal/table_format.h"

namespace warploom {
namespace {

constexpr std::string_view kFramework = "pipeweave";

// The publisher gives a table of results, no count of timings.
constexpr Marks kHardCase{.biased = true};

void read_gemm(Table& table, RowSink& sink, MatmulScheme scheme, std::string_view kernel, Marks marks) {
  const std::size_t gpu_column = table.column("hardware"), m = table.column("M"), n = table.column("N"),
                    k = table.column("K"), latency = table.column("avg_duration_us");
  while (table.next()) {
    const GpuSpec* gpu = sink.gpu(table.text(gpu_column), table);
    if (gpu == nullptr) continue;
    const Gemm gemm{.scheme = scheme,
                    .m = table.positive(m),
                    .n = table.positive(n),
                    .k = table.positive(k),
                    .residency = Residency::Warm,
                    .weight_copies = 1};
    sink.add({.op = gemm,
              .gpu = *gpu,
              .context = {kFramework, "", kernel},
              .latency = table.latency_us(latency),
              .marks = marks},
             table);
  }
}

void read_fp8_gemm(Table& table, RowSink& sink) {
  read_gemm(table, sink, MatmulScheme::Fp8Static, "gemm_fp8", {});
}
void read_hard_gemm(Table& table, RowSink& sink) {
  read_gemm(table, sink, MatmulScheme::Bf16, "cublas", kHardCase);
}

// "[11,29]" -> {11, 29}.
std::vector<std::int64_t> parse_list(const Table& table, std::size_t column) {
  std::string_view text = table.text(column);
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') table.refuse(column, "a list like [1,2]");
  text = text.substr(1, text.size() - 2);
  std::vector<std::int64_t> values;
  while (!text.empty()) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 1) table.refuse(column, "a list of positive integers");
    values.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && text.front() != ',') table.refuse(column, "a list of positive integers");
    if (!text.empty()) text.remove_prefix(1);
  }
  return values;
}

// Requests of equal lengths that follow each other share a group. kv lengths include the new tokens.
std::vector<RequestGroup> parse_requests(const Table& table, std::size_t q_column, std::size_t kv_column) {
  const std::vector<std::int64_t> queries = parse_list(table, q_column), keys = parse_list(table, kv_column);
  if (queries.size() != keys.size() || queries.empty())
    table.refuse(kv_column, "as many lengths as in q_lengths");
  std::vector<RequestGroup> groups;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (keys[i] < queries[i]) table.refuse(kv_column, "lengths of at least those of q_lengths");
    const RequestGroup group{.count = 1, .query_tokens = queries[i], .context_tokens = keys[i] - queries[i]};
    if (!groups.empty() && groups.back().query_tokens == group.query_tokens &&
        groups.back().context_tokens == group.context_tokens) {
      ++groups.back().count;
    } else {
      groups.push_back(group);
    }
  }
  return groups;
}

bool is_decode(const std::vector<RequestGroup>& groups) {
  for (const RequestGroup& group : groups) {
    if (group.query_tokens != 1) return false;
  }
  return true;
}

void read_hard_attention(Table& table, RowSink& sink) {
  const std::size_t gpu_column = table.column("hardware"), kernel = table.column("attention_type"),
                    queries = table.column("q_lengths"), keys = table.column("kv_lengths"),
                    heads = table.column("nh"), kv_heads = table.column("nkv"), head_dim = table.column("hd"),
                    latency = table.column("avg_duration_us");
  while (table.next()) {
    const GpuSpec* gpu = sink.gpu(table.text(gpu_column), table);
    if (gpu == nullptr) continue;
    Operator op;
    std::vector<RequestGroup> requests = parse_requests(table, queries, keys);
    if (is_decode(requests)) {
      op = AttentionDecode{.heads = table.positive(heads),
                           .kv_heads = table.positive(kv_heads),
                           .head_dim = table.positive(head_dim),
                           .requests = std::move(requests)};
    } else {
      op = AttentionPrefill{.heads = table.positive(heads),
                            .kv_heads = table.positive(kv_heads),
                            .head_dim = table.positive(head_dim),
                            .requests = std::move(requests)};
    }
    if (!sink.wants(family_of(op))) {
      sink.skip_unwanted();
      continue;
    }
    sink.add({.op = op,
              .gpu = *gpu,
              .context = {kFramework, "", table.text(kernel)},
              .latency = table.latency_us(latency),
              .marks = kHardCase},
             table);
  }
}

// rmsnorm and siluandmul have the same columns, so the file's name tells them apart. `dim` of the latter
// counts gate and up together.
void read_hard_rows(Table& table, RowSink& sink) {
  const std::size_t gpu_column = table.column("hardware"), rows = table.column("seq"),
                    width = table.column("dim"), latency = table.column("avg_duration_us");
  const std::string file = table.path().filename().string();
  const bool norm = file.find("norm") != std::string::npos;
  if (!norm && file.find("silu") == std::string::npos) {
    while (table.next()) sink.skip("rows of seq x dim in a file named neither rmsnorm nor siluandmul", table);
    return;
  }
  while (table.next()) {
    const GpuSpec* gpu = sink.gpu(table.text(gpu_column), table);
    if (gpu == nullptr) continue;
    Operator op = RmsNorm{.tokens = table.positive(rows), .width = table.positive(width)};
    if (!norm) {
      if (table.positive(width) % 2 != 0) table.refuse(width, "an even width (gate and up)");
      op = Activation{.tokens = table.positive(rows), .width = table.positive(width) / 2};
    }
    if (!sink.wants(family_of(op))) {
      sink.skip_unwanted();
      continue;
    }
    sink.add({.op = op,
              .gpu = *gpu,
              .context = {kFramework, "", norm ? "rmsnorm" : "silu_and_mul"},
              .latency = table.latency_us(latency),
              .marks = kHardCase},
             table);
  }
}

void read_moe(Table& table, RowSink& sink) {
  const std::size_t gpu_column = table.column("hardware"), weights = table.column("weight_type"),
                    tokens = table.column("M"), experts = table.column("E"), top_k = table.column("topk"),
                    hidden = table.column("H"), intermediate = table.column("N"),
                    latency = table.column("avg_duration_us");
  while (table.next()) {
    const GpuSpec* gpu = sink.gpu(table.text(gpu_column), table);
    if (gpu == nullptr) continue;
    if (table.text(weights) != "w13") table.refuse(weights, "w13");
    const FusedMoe moe{.tokens = table.positive(tokens),
                       .hidden = table.positive(hidden),
                       .intermediate = table.positive(intermediate),
                       .experts = table.positive(experts),
                       .top_k = table.positive(top_k),
                       .pass = MoePass::GateUp};
    sink.add({.op = moe,
              .gpu = *gpu,
              .context = {kFramework, "", "triton_fused_moe"},
              .latency = table.latency_us(latency)},
             table);
  }
}

TableFormat not_read(std::string_view name, std::vector<std::string_view> columns, std::string_view reason) {
  return {.name = name, .folder = {}, .columns = std::move(columns), .families = {}, .skip_reason = reason};
}

}  // namespace

const std::vector<TableFormat>& pipeweave_formats() {
  static const std::vector<TableFormat> formats{
      not_read("feature vectors", {"avg_duration", "overall_perf", "sm_max_shared_cycle"},
               "published feature vectors, rows of the other tables again"),
      not_read("near-best configurations", {"BLOCK_SIZE_M", "within_99"},
               "tuned configurations, not the kernel as engines run it"),
      not_read("tuning gains", {"gain_vs_sglang_pct"},
               "tuned configurations, not the kernel as engines run it"),
      not_read("tuned underperformers", {"default_duration_us", "num_configs_tested"},
               "chosen shapes of the default table again"),
      {.name = "fp8 gemm",
       .folder = {},
       .columns = {"M", "N", "K", "avg_duration_us", "hardware", "tc_fp8_flop_per_cycle_sm"},
       .families = {Family::Gemm},
       .read = read_fp8_gemm,
       .skip_reason = {}},
      {.name = "hard gemm cases",
       .folder = {},
       .columns = {"hardware", "M", "N", "K", "tile_M", "avg_duration_us"},
       .families = {Family::Gemm},
       .read = read_hard_gemm,
       .skip_reason = {}},
      {.name = "hard attention cases",
       .folder = {},
       .columns = {"hardware", "attention_type", "q_lengths", "kv_lengths"},
       .families = {Family::AttentionPrefill, Family::AttentionDecode},
       .read = read_hard_attention,
       .skip_reason = {}},
      {.name = "hard row-wise cases",
       .folder = {},
       .columns = {"hardware", "seq", "dim", "avg_duration_us"},
       .families = {Family::RmsNorm, Family::Activation},
       .read = read_hard_rows,
       .skip_reason = {}},
      {.name = "fused moe pass",
       .folder = {},
       .columns = {"hardware", "weight_type", "M", "E", "topk", "H", "N", "cfg_BM"},
       .families = {Family::Moe},
       .read = read_moe,
       .skip_reason = {}},
      collective_format()};
  return formats;
}

}  // namespace warploom
