// Rows of concurrency_runs.csv: published benchmarks that keep a fixed number of requests in flight.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warploom/models/architecture.h"
#include "warploom/models/sharding.h"

namespace warploom {

// How one engine is spread over GPUs. Absent: not stated.
struct StatedPlace {
  std::optional<std::int64_t> tp, pp, attention_dp, moe_tp, moe_ep;
};

// The engines that prefill or that decode, where the two are apart.
struct StatedPool {
  std::optional<std::int64_t> workers, batch_size;
  StatedPlace place;
};

// Empty or absent: not stated.
struct ConcurrencyTruth {
  std::string id, dump, image, backend, version, model, system, precision, gemm_quantization,
      moe_quantization, mode;
  std::string day;  // the engine is no newer: of its image, else of the run; as 20260402
  bool work_in_progress = false;
  std::optional<std::int64_t> concurrency;
  StatedPlace place;           // of one engine; not stated where prefill and decode are apart
  StatedPool prefill, decode;  // stated where they are apart
  std::int64_t input_tokens = 1, output_tokens = 1;  // 0: not stated
  std::optional<double> ttft, tpot;                  // ms
  std::uint64_t content_hash = 0;                    // of every column but the id
  std::size_t line = 0;
  bool disaggregated() const { return mode == "disagg"; }
};

// Throws IoError and InvalidInput. Columns that a file lacks (image, measured, prefill_*, decode_*) are not
// stated. A row without a day has the last of the file's.
std::vector<ConcurrencyTruth> read_concurrency_truth(const std::filesystem::path& path);

// Throws InvalidInput on numbers that contradict each other.
Sharding sharding_of(const StatedPlace& place, const ModelArchitecture& model);

// Some dumps multiply tensor by expert parallelism: tp 64 with experts 8 by 8 is a node of 8 GPUs with 8
// expert ranks, as the same figures under the right numbers in other dumps show. One row with more GPUs than
// a node has shows it of its whole dump, where tp 4 with experts 2 by 2 is then tp 2. Undoes that in every
// row of such a dump; says of each whether it was one.
std::vector<bool> undo_products(std::span<ConcurrencyTruth> rows);

// What the row runs `model`'s linear layers in; empty where that is how the checkpoint is stored. Throws
// Unsupported when the row runs a stored quantisation in another one.
std::string quantization_of(const ConcurrencyTruth& row, const ModelArchitecture& model);

}  // namespace warploom
