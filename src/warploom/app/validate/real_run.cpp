#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/validate/validate_serving.h"
#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/kernels/moe/expert_routing.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {
namespace {

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
std::string routing_of(const Json& document, const std::string& model, const std::string& where) {
  constexpr const char* kKey = "expert_routing";
  if (document.contains(kKey)) {
    const std::string routing = text_at(document, kKey, where);
    parse_expert_routing(routing, fmt::format("{}: {}", where, kKey));
    return routing;
  }
  const Json& arguments = document["engine_kwargs"];
  const bool random = arguments.value(kLoadFormat, Json()) == kRandomWeights && load_model(model).mixture;
  return random ? std::string(name_of(RoutingKind::Uniform)) : std::string();
}

void check_dtype(const Json& arguments, const std::string& where) {
  if (!arguments.contains("dtype")) return;
  const std::string dtype = text_at(arguments, "dtype", where);
  if (dtype != "bfloat16" && dtype != "auto") {
    throw Unsupported(fmt::format("{}: dtype is '{}', expected bfloat16 or auto", where, dtype));
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
std::string quantization_of(const Json& arguments, const std::string& model, const std::string& where) {
  if (!arguments.contains("quantization") || arguments["quantization"].is_null()) return "";
  const std::string method = text_at(arguments, "quantization", where);
  if (!load_model(model).quantization.method.empty()) return "";
  if (method != "fp8")
    throw Unsupported(fmt::format("{}: quantization is '{}', expected fp8, the one that vLLM does on the fly",
                                  where, method));
  return method;
}

class TimesInOrder {
 public:
  explicit TimesInOrder(const CsvReader& csv) : csv_(csv) {}
  double next(std::size_t column) {
    const double time = csv_.real(column);
    if (time < latest_) {
      throw InvalidInput(fmt::format("{}: is {}, expected at least {}, the time before it",
                                     csv_.where(column), time, latest_));
    }
    return latest_ = time;
  }

 private:
  const CsvReader& csv_;
  double latest_ = -1.0;  // clocks of two processes may differ by a little
};

// The optional columns.
class SharedColumns {
 public:
  explicit SharedColumns(const CsvReader& csv)
      : csv_(csv),
        group_(csv.find_column("group")),
        prefix_(csv.find_column("prefix_tokens")),
        client_(csv.find_column("client")) {
    if (group_.has_value() != prefix_.has_value())
      throw InvalidInput(
          fmt::format("{}: 'group' and 'prefix_tokens' stand together, one is missing", csv.path().string()));
  }
  void read_into(RealRequest& request) const {
    if (client_ && !csv_.empty(*client_)) request.client = csv_.integer(*client_);
    if (!group_ || csv_.empty(*group_)) return;
    request.group = csv_.integer(*group_);
    const std::int64_t tokens = csv_.integer(*prefix_);
    if (tokens < 1 || tokens > request.input_tokens)
      throw InvalidInput(fmt::format("{}: is {}, expected 1 to {}, the request's input_tokens",
                                     csv_.where(*prefix_), tokens, request.input_tokens));
    request.prefix_tokens = std::int32_t(tokens);
  }

 private:
  const CsvReader& csv_;
  std::optional<std::size_t> group_, prefix_, client_;
};

std::int32_t tokens_in(const CsvReader& csv, std::size_t column) {
  const std::int64_t value = csv.integer(column);
  if (value < 1 || value > kMaxRequestTokens) {
    throw InvalidInput(
        fmt::format("{}: is {}, expected 1 to {} tokens", csv.where(column), value, kMaxRequestTokens));
  }
  return std::int32_t(value);
}

}  // namespace

RealRun read_real_run(const std::filesystem::path& path) {
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
  run.setup.model = text_at(document, "model", where);
  run.setup.gpu = text_at(document, "gpu", where);
  run.setup.quantization = quantization_of(arguments, run.setup.model, inside);
  run.setup.expert_routing = routing_of(document, run.setup.model, where);
  if (document.contains("vllm_version")) run.setup.version = text_at(document, "vllm_version", where);
  run.setup.config = config_of(arguments, inside);
  const auto integer = [&](const char* key) -> std::optional<std::int64_t> {
    const auto found = document.find(key);
    if (found == document.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<std::int64_t>();
  };
  if (const auto blocks = integer("num_gpu_blocks")) run.setup.config.num_gpu_blocks_override = blocks;
  run.requests = integer("num_requests").value_or(0);
  return run;
}

std::vector<RealRequest> read_real_requests(const std::filesystem::path& path) {
  CsvReader csv(path);
  const std::size_t arrival = csv.column("arrival_s"), input = csv.column("input_tokens"),
                    output = csv.column("output_tokens"), queued = csv.column("queued_s"),
                    scheduled = csv.column("scheduled_s"), first = csv.column("first_token_s"),
                    last = csv.column("last_token_s");
  const SharedColumns shared(csv);
  std::vector<RealRequest> requests;
  while (csv.next()) {
    RealRequest request;
    request.arrival = csv.real(arrival);
    TimesInOrder times(csv);
    request.queued = times.next(queued);
    request.scheduled = times.next(scheduled);
    request.first_token = times.next(first);
    request.last_token = times.next(last);
    request.input_tokens = tokens_in(csv, input);
    request.output_tokens = tokens_in(csv, output);
    shared.read_into(request);
    if (request.arrival < 0 || (!requests.empty() && request.arrival < requests.back().arrival)) {
      throw InvalidInput(
          fmt::format("{}: is {}, expected arrivals in order", csv.where(arrival), request.arrival));
    }
    requests.push_back(request);
  }
  if (requests.empty())
    throw InvalidInput(fmt::format("{}: holds no requests, expected at least one", path.string()));
  return requests;
}

}  // namespace warploom
