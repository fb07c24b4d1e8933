#include "warploom/judge/validate/concurrency_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "warploom/app/data/benchmark_file.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::string_view kFile = "concurrency_launches.json";

// The token budget of the TensorRT-LLM scripts: one prompt beside a token of each request and 64 to spare, in
// multiples of 64.
std::int64_t one_prompt_and_decodes(const ConcurrencyTruth& row) {
  return (row.concurrency.value_or(1) + row.input_tokens + 64 + 63) / 64 * 64;
}

// A number that follows from the row, or a list of them.
Json quantity(const Json& value, const ConcurrencyTruth& row, std::string_view where) {
  check_keys(value, {"of", "at_least"}, where);
  const std::string of = text_of(value, "of", where);
  if (of == "every_size_up_to_concurrency") {
    std::vector<std::int64_t> sizes(std::size_t(row.concurrency.value_or(1)));
    std::iota(sizes.begin(), sizes.end(), 1);
    return sizes;
  }
  const std::int64_t stated = [&] {
    if (of == "concurrency") return row.concurrency.value_or(1);
    if (of == "one_prompt_and_decodes") return one_prompt_and_decodes(row);
    if (of == "prompt_and_output") return row.input_tokens + row.output_tokens;
    if (of == "prompt_and_1500") return row.input_tokens + 1500;
    throw InvalidInput(
        fmt::format("{}: 'of' is '{}', expected concurrency, every_size_up_to_concurrency, "
                    "one_prompt_and_decodes, prompt_and_output or prompt_and_1500",
                    where, of));
  }();
  return std::max(stated, value.value("at_least", stated));
}

// The fields of an entry with every quantity worked out for the row.
Json fields_for(const ConcurrencyTruth& row, const std::string& fields, std::string_view where) {
  Json document = parse_json(fields, where);
  for (auto& [key, value] : document.items())
    if (value.is_object()) value = quantity(value, row, fmt::format("{}: '{}'", where, key));
  return document;
}

void apply(const std::string& fields, const ConcurrencyTruth& row, std::string_view where,
           ServingConfig& config) {
  read_fields(fields_for(row, fields, where), fields_of<ServingConfig>(), &config, where);
}

}  // namespace

ConcurrencyLaunches::ConcurrencyLaunches(const Json& document) {
  try {
    check_schema(document, "warploom_concurrency_launches", kFile);
    const NamedConditions sets = parse_sets(document, kFile);
    for (const Json& entry : document.at("launches")) {
      const std::string here = fmt::format("{}: '{}'", kFile, text_of(entry, "name", kFile));
      check_keys(entry,
                 {"name", "when", "set", "range_ratio", "front_ends", "experts", "prefill", "decode",
                  "source", "inferred"},
                 here);
      text_of(entry, "source", here);
      Entry read;
      read.when = parse_condition(entry.at("when"), here, sets);
      read.fields = entry.value("set", Json::object()).dump();
      if (entry.contains("range_ratio")) read.range_ratio = entry["range_ratio"].get<double>();
      if (entry.contains("front_ends")) {
        read.front_ends = entry["front_ends"].get<std::int64_t>();
        if (*read.front_ends < 1)
          throw InvalidInput(
              fmt::format("{}: 'front_ends' is {}, expected at least 1", here, *read.front_ends));
      }
      read.experts_whole = entry.value("experts", "") == "whole";
      ServingConfig probe;
      apply(read.fields, ConcurrencyTruth(), here, probe);
      for (const auto& [name, pool] :
           {std::pair("prefill", &read.prefill), std::pair("decode", &read.decode)}) {
        if (!entry.contains(name)) continue;
        const Json& stated = entry[name];
        check_keys(stated, {"set", "attention"}, here);
        pool->fields = stated.value("set", Json::object()).dump();
        apply(pool->fields, ConcurrencyTruth(), here, probe);
        if (!stated.contains("attention")) continue;
        if (text_of(stated, "attention", here) != "data_parallel")
          throw InvalidInput(fmt::format("{}: 'attention' is '{}', expected data_parallel", here,
                                         stated["attention"].get<std::string>()));
        pool->attention_data_parallel = true;
      }
      entries_.push_back(std::move(read));
    }
    for (const Json& entry : document.at("checkpoints")) {
      const std::string here = fmt::format("{}: checkpoint '{}'", kFile, text_of(entry, "name", kFile));
      check_keys(entry, {"name", "when", "model", "experts", "linears", "source", "inferred", "stated"},
                 here);
      AssumedCheckpoint assumed{.model = entry.value("model", ""), .experts = {}, .linears = {}, .words = {}};
      assumed.stated = entry.contains("stated");
      assumed.words = text_of(entry, assumed.stated ? "stated" : "inferred", here);
      if (entry.contains("linears"))
        assumed.linears = parse_enum<MatmulScheme>(text_of(entry, "linears", here), here);
      if (entry.contains("experts"))
        assumed.experts = parse_enum<MatmulScheme>(text_of(entry, "experts", here), here);
      checkpoints_.push_back({parse_condition(entry.at("when"), here, sets), std::move(assumed)});
    }
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(fmt::format("{}: {}", kFile, error.what()));
  }
}

ConcurrencyLaunch ConcurrencyLaunches::launch_of(const ConcurrencyTruth& row) const {
  ConcurrencyLaunch launch;
  for (LaunchedPool* pool : {&launch.engine, &launch.prefill, &launch.decode})
    pool->config.engine = row.backend;
  for (const Entry& entry : entries_) {
    if (!entry.when(row)) continue;
    for (LaunchedPool* pool : {&launch.engine, &launch.prefill, &launch.decode})
      apply(entry.fields, row, kFile, pool->config);
    apply(entry.prefill.fields, row, kFile, launch.prefill.config);
    apply(entry.decode.fields, row, kFile, launch.decode.config);
    launch.prefill.attention_data_parallel |= entry.prefill.attention_data_parallel;
    launch.decode.attention_data_parallel |= entry.decode.attention_data_parallel;
    launch.range_ratio = entry.range_ratio.value_or(launch.range_ratio);
    launch.front_ends = entry.front_ends.value_or(launch.front_ends);
    launch.experts_whole |= entry.experts_whole;
  }
  return launch;
}

std::optional<AssumedCheckpoint> ConcurrencyLaunches::checkpoint_of(const ConcurrencyTruth& row) const {
  for (const Checkpoint& checkpoint : checkpoints_)
    if (checkpoint.when(row)) return checkpoint.assumed;
  return std::nullopt;
}

const ConcurrencyLaunches& concurrency_launches() {
  static const ConcurrencyLaunches launches(benchmark_file(kFile));
  return launches;
}

ConcurrencyLaunch launch_of(const ConcurrencyTruth& row) { return concurrency_launches().launch_of(row); }

}  // namespace warploom
