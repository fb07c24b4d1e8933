#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "warploom/app/runs/client_json.h"
#include "warploom/app/runs/validate_serving.h"
#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/kernels/moe/expert_routing.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

constexpr double kLongestClientLatencyMs = 60'000;  // a minute: no way to an engine takes as long

std::string text_at(const Json& document, const char* key, const std::string& where) {
  const auto found = document.find(key);
  if (found == document.end())
    throw InvalidInput(fmt::format("{}: '{}' is missing, expected a text", where, key));
  if (!found->is_string())
    throw InvalidInput(fmt::format("{}: '{}' is no text, expected a text", where, key));
  return found->get<std::string>();
}

// How the engine was told to make up its weights; gates then choose at random.
constexpr const char *kLoadFormat = "load_format", *kRandomWeights = "dummy";

// Stated, or known from random weights; else empty. Kernels of Qwen3-30B-A3B with random weights (the fit set
// of tests/fixtures/engine/vllm_0_24_h200) take what choices at random give, at every number of tokens.
std::string routing_of(const Json& document, const ServingSetupRequest& setup, const std::string& where) {
  constexpr const char* kKey = "expert_routing";
  if (document.contains(kKey)) {
    std::string routing = text_at(document, kKey, where);
    parse_expert_routing(routing, fmt::format("{}: {}", where, kKey));
    return routing;
  }
  const Json& arguments = document["engine_kwargs"];
  const bool random = arguments.value(kLoadFormat, Json()) == kRandomWeights &&
                      load_model(setup.model, setup.files).mixture() != nullptr;
  return random ? std::string(name_of(RoutingKind::Uniform)) : std::string();
}

// The engine by the document's own word and, where its arguments name one too, by both; the default engine
// where none does.
std::string engine_of(const Json& document, const ServingConfig& config, const std::string& where) {
  constexpr const char* kKey = "engine";
  if (!document.contains(kKey)) return config.engine;
  std::string engine = text_at(document, kKey, where);
  check_simulated_engine(engine);
  if (document["engine_kwargs"].contains(kKey) && config.engine != engine)
    throw InvalidInput(fmt::format("{}: 'engine' is {}, that of 'engine_kwargs' {}; expected one", where,
                                   engine, config.engine));
  return engine;
}

// `engine_version`, or `vllm_version` of records that know one engine alone; empty: not stated.
std::string version_of(const Json& document, const std::string& where) {
  for (const char* key : {"engine_version", "vllm_version"})
    if (document.contains(key)) return text_at(document, key, where);
  return {};
}

void check_dtype(const Json& arguments, const std::string& where) {
  if (!arguments.contains("dtype")) return;
  const std::string dtype = text_at(arguments, "dtype", where);
  if (dtype != "bfloat16" && dtype != "auto") {
    throw Unsupported(fmt::format("{}: dtype is '{}', expected bfloat16 or auto", where, dtype));
  }
}

// What the engine made of its arguments, under "resolved" by its own names: fields that they do not say.
// Backends stand there as texts of its own, which are no fields.
void add_resolved(const Json& document, const std::string& where, Json& arguments) {
  constexpr std::array<std::pair<const char*, const char*>, 5> kResolved{
      {{"max_num_batched_tokens", "max_num_batched_tokens"},
       {"max_num_seqs", "max_num_seqs"},
       {"async_scheduling", "async_scheduling"},
       {"cudagraph_mode", "cudagraph_mode"},
       {"sizes", "cudagraph_capture_sizes"}}};
  const auto resolved = document.find("resolved");
  if (resolved == document.end() || resolved->is_null()) return;
  if (!resolved->is_object())
    throw InvalidInput(fmt::format("{}: 'resolved' is no object, expected one", where));
  for (const auto& [name, field] : kResolved) {
    const auto value = resolved->find(name);
    if (value == resolved->end() || value->is_null()) continue;
    if (!arguments.contains(field) || arguments[field].is_null()) arguments[field] = *value;
  }
}

// The engine's arguments that say how it schedules; those that do not matter are skipped, absent values keep
// defaults.
ServingConfig config_of(const Json& arguments, const std::string& where) {
  Json known = Json::object();
  for (const auto& [key, value] : arguments.items()) {
    const bool elsewhere =
        key == "model" || key == "dtype" || key == "seed" || key == "quantization" || key == kLoadFormat;
    if (!elsewhere && !value.is_null()) known[key] = value;
  }
  return object_from_json<ServingConfig>(known, where);
}

// How the engine itself quantises a checkpoint that is not; checkpoints that are state it themselves.
std::string quantization_of(const Json& arguments, const ServingSetupRequest& setup,
                            const std::string& where) {
  if (!arguments.contains("quantization") || arguments["quantization"].is_null()) return "";
  std::string method = text_at(arguments, "quantization", where);
  if (!load_model(setup.model, setup.files).quantization.method.empty()) return "";
  if (method != "fp8")
    throw Unsupported(fmt::format("{}: quantization is '{}', expected fp8, the one that vLLM does on the fly",
                                  where, method));
  return method;
}

// What is known of the clients beside what they measured.
void read_client_facts(const Json& document, const std::string& where, RealRun& run) {
  if (const Json* latency = client_member(document, "client_latency_ms")) {
    const double ms = client_number(*latency, "client_latency_ms", where);
    if (!(ms >= 0 && ms <= kLongestClientLatencyMs))
      throw InvalidInput(
          fmt::format("{}: 'client_latency_ms' is {}, expected 0 to {}", where, ms, kLongestClientLatencyMs));
    run.client_latency = milliseconds(ms);
  }
  run.max_concurrency = client_count_if(document, "max_concurrency", where);
  if (run.max_concurrency && *run.max_concurrency < 1)
    throw InvalidInput(
        fmt::format("{}: 'max_concurrency' is {}, expected at least 1", where, *run.max_concurrency));
}

}  // namespace

RealRun read_real_run(const std::filesystem::path& path, const FileScope& files, const std::string& model) {
  const Json document = read_json_file(path);
  const std::string where = path.string();
  if (!document.is_object() || !document.contains("engine_kwargs") ||
      !document["engine_kwargs"].is_object()) {
    throw InvalidInput(fmt::format("{}: expected an object with 'model', 'gpu' and 'engine_kwargs'", where));
  }
  const Json& arguments = document["engine_kwargs"];
  const std::string inside = where + ": engine_kwargs";
  check_dtype(arguments, inside);
  RealRun run;
  run.setup.files = files;
  run.setup.model = model.empty() ? text_at(document, "model", where) : model;
  run.setup.gpu = text_at(document, "gpu", where);
  run.setup.quantization = quantization_of(arguments, run.setup, inside);
  run.setup.expert_routing = routing_of(document, run.setup, where);
  run.setup.version = version_of(document, where);
  Json resolved = arguments;
  add_resolved(document, where, resolved);
  run.setup.config = config_of(resolved, inside);
  run.setup.config.engine = engine_of(document, run.setup.config, where);
  const auto integer = [&](const char* key) -> std::optional<std::int64_t> {
    const auto found = document.find(key);
    if (found == document.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<std::int64_t>();
  };
  if (const auto blocks = integer("num_gpu_blocks")) run.setup.config.num_gpu_blocks_override = blocks;
  run.requests = integer("num_requests").value_or(0);
  read_client_facts(document, where, run);
  return run;
}

}  // namespace warploom
