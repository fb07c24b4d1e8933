#include <fmt/format.h>

#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "warploom/app/validate_concurrency.h"
#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {
namespace {

// Empty cells and zeros stand for what is not stated.
std::optional<std::int64_t> optional_count(const CsvReader& csv, std::size_t column) {
  if (csv.empty(column)) return std::nullopt;
  const std::int64_t value = csv.integer(column);
  if (value == 0) return std::nullopt;
  if (value < 0 || value > kMaxRequestTokens) {
    throw InvalidInput(
        fmt::format("{}: is {}, expected 0 to {}", csv.where(column), value, kMaxRequestTokens));
  }
  return value;
}

std::optional<double> optional_time(const CsvReader& csv, std::size_t column) {
  if (csv.empty(column)) return std::nullopt;
  const double value = csv.real(column);
  if (!(value > 0))
    throw InvalidInput(fmt::format("{}: is {}, expected a time above 0", csv.where(column), value));
  return value;
}

std::uint64_t content_hash(const CsvReader& csv, std::size_t id) {
  std::string text;
  for (std::size_t column = 0; column < csv.columns().size(); ++column) {
    if (column == id) continue;
    text += csv.cell(column);
    text += '\n';
  }
  return hash_bytes(text);
}

// Rows whose figures are known to be impossible or not to mean what the others' do.
bool suspicious(const ConcurrencyTruth& row) {
  const bool eight_billion_fp8 = row.model == "nvidia/Llama-3.1-8B-Instruct-FP8" && row.backend == "vllm";
  const bool slot_limit =
      row.model == "openai/gpt-oss-120b" && row.system == "h100_sxm" && row.concurrency == 512;
  const bool wide = row.model == "openai/gpt-oss-120b" && row.system == "h200_sxm" && row.tp >= 16;
  const bool too_fast =
      row.model == "nvidia/Qwen3-32B-NVFP4";  // 448 prompts of 15,000 tokens in 0.8 s on two GPUs
  return eight_billion_fp8 || slot_limit || wide || too_fast;
}

// Rows of TensorRT-LLM whose TTFT alone is implausible: it holds about one interval between two completions
// (output tokens times TPOT over the concurrency), as if one request always waited for a slot.
bool doubtful_ttft(const ConcurrencyTruth& row) {
  if (row.backend != "trtllm") return false;
  const bool llama_8b = row.model == "meta-llama/Llama-3.1-8B-Instruct" && row.version == "1.0.0rc3";
  const bool llama_70b =
      row.model == "meta-llama/Llama-3.1-70B" && row.input_tokens == 1024 && row.output_tokens == 1024;
  return llama_8b || llama_70b;
}

// Where expert parallelism was switched on beside tensor parallelism, some dumps multiply the two: tp 64 with
// experts 8 by 8 is a node of 8 GPUs with 8 expert ranks, as the same figures under the right numbers in
// other dumps show.
bool undo_product(ConcurrencyTruth& row) {
  constexpr std::int64_t kNodeGpus = 8;
  if (!row.tp || !row.moe_tp || !row.moe_ep || *row.moe_ep < 2 || *row.moe_tp % *row.moe_ep != 0)
    return false;
  const std::int64_t dp = row.attention_dp.value_or(1), gpus = *row.tp * dp;
  const bool one_node = row.system == "h100_sxm" || row.system == "h200_sxm" || row.system == "b200_sxm";
  if (!one_node || gpus <= kNodeGpus || *row.moe_tp * *row.moe_ep != gpus || (dp > 1 && *row.tp > 1))
    return false;
  (dp > 1 ? row.attention_dp : row.tp) = *row.moe_tp;
  *row.moe_tp /= *row.moe_ep;
  return true;
}

// Later dumps repeat earlier ones with rounded figures.
class Repeats {
 public:
  bool seen(const ConcurrencyTruth& row) {
    constexpr double kRounding = 0.0051;  // ms
    const auto count = [](const std::optional<std::int64_t>& value) { return value.value_or(1); };
    const std::string key =
        fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", row.backend, row.model, row.system, row.precision,
                    row.input_tokens, row.output_tokens, count(row.concurrency), count(row.tp), count(row.pp),
                    count(row.attention_dp), count(row.moe_tp), count(row.moe_ep));
    auto& figures = figures_[key];
    for (const auto& [ttft, tpot] : figures)
      if (std::abs(ttft - *row.ttft) < kRounding && std::abs(tpot - *row.tpot) < kRounding) return true;
    figures.emplace_back(*row.ttft, *row.tpot);
    return false;
  }

 private:
  std::unordered_map<std::string, std::vector<std::pair<double, double>>> figures_;
};

// Of the configurations of a model and GPU that InferenceX runs side by side, the image tells which drafts
// tokens (its perf-changelog.yaml, pull requests 804, 898 and 918). How many drafts were accepted is not
// published, and decides the result.
bool speculates(const ConcurrencyTruth& row) {
  return row.backend == "sglang" && row.system == "b200_sxm" && row.precision == "fp8" &&
         row.model == "Qwen/Qwen3.5-397B-A17B" && row.image == "lmsysorg/sglang:v0.5.9-cu130";
}

class Filter {
 public:
  Filter(std::vector<ConcurrencyTruth>& rows, std::vector<DroppedRows>& dropped)
      : rows_(rows), dropped_(dropped) {}

  template <class Predicate>
  void drop(const char* reason, Predicate predicate) {
    const auto rows = std::int64_t(std::erase_if(rows_, predicate));
    if (rows > 0) dropped_.push_back({reason, rows});
  }

 private:
  std::vector<ConcurrencyTruth>& rows_;
  std::vector<DroppedRows>& dropped_;
};

}  // namespace

std::vector<ConcurrencyTruth> read_concurrency_truth(const std::filesystem::path& path) {
  CsvReader csv(path);
  const std::size_t id = csv.column("id"), dump = csv.column("dump"), concurrency = csv.column("concurrency"),
                    wip = csv.column("wip"), backend = csv.column("backend"),
                    version = csv.column("backend_version"), model = csv.column("model_path"),
                    system = csv.column("system"), precision = csv.column("precision"),
                    mode = csv.column("mode"), isl = csv.column("isl"), osl = csv.column("osl"),
                    gemm = csv.column("gemm_quant_mode"), moe = csv.column("moe_quant_mode"),
                    tp = csv.column("tp_size"), pp = csv.column("pp_size"),
                    dp = csv.column("attention_dp_size"), moe_tp = csv.column("moe_tp_size"),
                    moe_ep = csv.column("moe_ep_size"), ttft = csv.column("silicon_ttft_ms"),
                    tpot = csv.column("silicon_tpot_ms");
  const std::optional<std::size_t> image = csv.find_column("image");
  std::vector<ConcurrencyTruth> rows;
  while (csv.next()) {
    const auto text = [&](std::size_t column) { return std::string(csv.cell(column)); };
    ConcurrencyTruth row{.id = text(id),
                         .dump = text(dump),
                         .image = image ? text(*image) : std::string(),
                         .backend = text(backend),
                         .version = text(version),
                         .model = text(model),
                         .system = text(system),
                         .precision = text(precision),
                         .gemm_quantization = text(gemm),
                         .moe_quantization = text(moe),
                         .mode = text(mode)};
    row.work_in_progress = csv.cell(wip) == "1";
    row.concurrency = optional_count(csv, concurrency);
    row.tp = optional_count(csv, tp);
    row.pp = optional_count(csv, pp);
    row.attention_dp = optional_count(csv, dp);
    row.moe_tp = optional_count(csv, moe_tp);
    row.moe_ep = optional_count(csv, moe_ep);
    row.input_tokens = optional_count(csv, isl).value_or(0);
    row.output_tokens = optional_count(csv, osl).value_or(0);
    row.ttft = optional_time(csv, ttft);
    row.tpot = optional_time(csv, tpot);
    row.content_hash = content_hash(csv, id);
    row.line = csv.line();
    rows.push_back(std::move(row));
  }
  if (rows.empty())
    throw InvalidInput(fmt::format("{}: holds no rows, expected at least one", path.string()));
  return rows;
}

std::vector<ConcurrencyTruth> filter_concurrency_truth(std::vector<ConcurrencyTruth> rows,
                                                       std::vector<DroppedRows>& dropped) {
  Filter filter(rows, dropped);
  using Row = ConcurrencyTruth;
  filter.drop("marked as work in progress", [](const Row& row) { return row.work_in_progress; });
  filter.drop("no concurrency stated", [](const Row& row) { return !row.concurrency; });
  filter.drop("disaggregated prefill and decode, not simulated",
              [](const Row& row) { return row.mode != "agg"; });
  std::unordered_set<std::uint64_t> seen;
  filter.drop("exact duplicate of another row",
              [&](const Row& row) { return !seen.insert(row.content_hash).second; });
  filter.drop("lengths, tensor parallelism or figures not stated", [](const Row& row) {
    return row.input_tokens == 0 || row.output_tokens == 0 || !row.ttft || !row.tpot || !row.tp;
  });
  filter.drop("figures known to be implausible", suspicious);
  for (Row& row : rows) {
    row.ttft_doubtful = doubtful_ttft(row);
    undo_product(row);
  }
  Repeats repeats;
  filter.drop("the same configuration and figures as another row, but for rounding",
              [&](const Row& row) { return repeats.seen(row); });
  filter.drop("speculative decoding with an acceptance that is not published", speculates);
  return rows;
}

}  // namespace warploom
