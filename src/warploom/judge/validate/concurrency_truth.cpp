#include "warploom/judge/validate/concurrency_truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/measured_time.h"
#include "warploom/serving/engines/version_rows.h"
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
  return measured_time(csv, column, kMilliseconds);
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

std::optional<std::int64_t> found_count(const CsvReader& csv, const std::optional<std::size_t>& column) {
  return column ? optional_count(csv, *column) : std::nullopt;
}

// The columns of an engine's parallelism.
struct PlaceColumns {
  std::optional<std::size_t> tp, pp, attention_dp, moe_tp, moe_ep;

  PlaceColumns(const CsvReader& csv, const std::string& prefix)
      : tp(csv.find_column(prefix + "tp_size")),
        pp(csv.find_column(prefix + "pp_size")),
        attention_dp(csv.find_column(prefix + "attention_dp_size")),
        moe_tp(csv.find_column(prefix + "moe_tp_size")),
        moe_ep(csv.find_column(prefix + "moe_ep_size")) {}

  StatedPlace read(const CsvReader& csv) const {
    return {.tp = found_count(csv, tp),
            .pp = found_count(csv, pp),
            .attention_dp = found_count(csv, attention_dp),
            .moe_tp = found_count(csv, moe_tp),
            .moe_ep = found_count(csv, moe_ep)};
  }
};

struct PoolColumns {
  std::optional<std::size_t> workers, batch_size;
  PlaceColumns place;

  PoolColumns(const CsvReader& csv, const std::string& prefix)
      : workers(csv.find_column(prefix + "num_workers")),
        batch_size(csv.find_column(prefix + "batch_size")),
        place(csv, prefix) {}

  StatedPool read(const CsvReader& csv) const {
    return {.workers = found_count(csv, workers),
            .batch_size = found_count(csv, batch_size),
            .place = place.read(csv)};
  }
};

// "2026-04-02T18:39:31Z" as 20260402; empty: not stated.
std::string day_of_time(std::string_view time) {
  std::string day(time.substr(0, time.find('T')));
  std::erase(day, '-');
  return day;
}

bool stored_alike(MatmulScheme stored, const std::string& mode) {
  if (mode.empty()) return true;
  switch (stored) {
    case MatmulScheme::Fp8:
    case MatmulScheme::Fp8Static:
    case MatmulScheme::Fp8Block:
      return mode.starts_with("fp8");
    case MatmulScheme::Int4WeightOnly:
      return mode == "int4_wo";
    // The runs of gpt-oss are labelled by width alone.
    case MatmulScheme::NvFp4:
    case MatmulScheme::MxFp4A16:
    case MatmulScheme::MxFp4A8:
      return mode == "nvfp4";
    default:
      return false;
  }
}

std::int64_t stated_gpus(const StatedPlace& place) {
  return place.tp.value_or(1) * place.attention_dp.value_or(1);
}

// Whether its numbers could be tensor times expert parallelism, on GPUs of nodes of eight.
bool may_be_product(const ConcurrencyTruth& row) {
  const StatedPlace& place = row.place;
  const bool one_node = row.system == "h100_sxm" || row.system == "h200_sxm" || row.system == "b200_sxm";
  if (!one_node || !place.tp || !place.moe_tp || !place.moe_ep || *place.moe_ep < 2) return false;
  return *place.moe_tp % *place.moe_ep == 0 && *place.moe_tp * *place.moe_ep == stated_gpus(place) &&
         (place.attention_dp.value_or(1) == 1 || *place.tp == 1);
}

}  // namespace

std::vector<ConcurrencyTruth> read_concurrency_truth(const std::filesystem::path& path) {
  CsvReader csv(path);
  for (const char* name : {"tp_size", "pp_size", "attention_dp_size", "moe_tp_size", "moe_ep_size"})
    csv.column(name);  // throws where it is missing
  const std::size_t id = csv.column("id"), dump = csv.column("dump"), concurrency = csv.column("concurrency"),
                    wip = csv.column("wip"), backend = csv.column("backend"),
                    version = csv.column("backend_version"), model = csv.column("model_path"),
                    system = csv.column("system"), precision = csv.column("precision"),
                    mode = csv.column("mode"), isl = csv.column("isl"), osl = csv.column("osl"),
                    gemm = csv.column("gemm_quant_mode"), moe = csv.column("moe_quant_mode"),
                    ttft = csv.column("silicon_ttft_ms"), tpot = csv.column("silicon_tpot_ms");
  const std::optional<std::size_t> image = csv.find_column("image"), measured = csv.find_column("measured");
  const PlaceColumns place(csv, "");
  const PoolColumns prefill(csv, "prefill_"), decode(csv, "decode_");
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
    row.day = day_of_build(row.image);
    if (row.day.empty() && measured) row.day = day_of_time(csv.cell(*measured));
    row.work_in_progress = csv.cell(wip) == "1";
    row.concurrency = optional_count(csv, concurrency);
    row.place = place.read(csv);
    row.prefill = prefill.read(csv);
    row.decode = decode.read(csv);
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
  const std::string last = std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
                             return a.day < b.day;
                           })->day;
  for (ConcurrencyTruth& row : rows)
    if (row.day.empty()) row.day = last;
  return rows;
}

Sharding sharding_of(const StatedPlace& place, const ModelArchitecture& model) {
  Sharding sharding;
  sharding.tensor_parallel = place.tp.value_or(1);
  sharding.pipeline_parallel = place.pp.value_or(1);
  if (model.mixture() == nullptr) return sharding;
  sharding.attention_data_parallel = place.attention_dp.value_or(1);
  sharding.expert_parallel = place.moe_ep.value_or(1);
  if (place.moe_tp && *place.moe_tp * sharding.expert_parallel != sharding.moe_ranks()) {
    throw InvalidInput(
        fmt::format("experts are spread over {} ranks but attention over {}, expected the same GPUs",
                    *place.moe_tp * sharding.expert_parallel, sharding.moe_ranks()));
  }
  return sharding;
}

std::vector<bool> undo_products(std::span<ConcurrencyTruth> rows) {
  constexpr std::int64_t kNodeGpus = 8;
  std::set<std::string> multiplied;
  for (const ConcurrencyTruth& row : rows)
    if (may_be_product(row) && stated_gpus(row.place) > kNodeGpus) multiplied.insert(row.dump);
  std::vector<bool> undone;
  for (ConcurrencyTruth& row : rows) {
    undone.push_back(may_be_product(row) && multiplied.contains(row.dump));
    if (!undone.back()) continue;
    StatedPlace& place = row.place;
    (place.attention_dp.value_or(1) > 1 ? place.attention_dp : place.tp) = *place.moe_tp;
    *place.moe_tp /= *place.moe_ep;
  }
  return undone;
}

std::string quantization_of(const ConcurrencyTruth& row, const ModelArchitecture& model) {
  const LayerSchemes& stored = model.layers.back().schemes;
  const bool mixture = model.mixture() != nullptr;
  const MatmulScheme widest = mixture ? stored.experts : stored.mlp;
  const std::string& mode = mixture ? row.moe_quantization : row.gemm_quantization;
  if (stored_alike(widest, mode)) return {};
  if (widest != plain_scheme(model.dtype)) {
    throw Unsupported(
        fmt::format("runs in {}, but the checkpoint is stored in {}, expected the stored quantisation", mode,
                    name_of(widest)));
  }
  return mode;
}

}  // namespace warploom
