#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/data/convert_clients.h"
#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom/base/json_or_text.h"
#include "warploom/base/yaml.h"

namespace warploom {
namespace {

// A key of a map, or the reason why not.
const Json& perf_entry(const Json& map, const char* key, const std::string& where) {
  if (!map.is_object() || !map.contains(key))
    throw InvalidInput(
        fmt::format("{}: '{}' is missing, expected a configuration of inference-perf", where, key));
  return map[key];
}

double perf_number(const Json& map, const char* key, const std::string& where) {
  const Json& value = perf_entry(map, key, where);
  if (!value.is_number() || !(value.get<double>() > 0))
    throw InvalidInput(fmt::format("{}: '{}' is {}, expected a number above 0", where, key, value.dump()));
  return value.get<double>();
}

std::int64_t perf_count(const Json& map, const char* key, const std::string& where) {
  constexpr double kMost = 1e9;
  const double value = perf_number(map, key, where);
  if (!(value >= 1 && value <= kMost))
    throw InvalidInput(fmt::format("{}: '{}' is {}, expected 1 to {}", where, key, value, kMost));
  return std::int64_t(value);
}

std::string perf_text(const Json& map, const char* key, const std::string& where) {
  const Json& value = perf_entry(map, key, where);
  if (!value.is_string())
    throw InvalidInput(fmt::format("{}: '{}' is {}, expected a name", where, key, value.dump()));
  return value.get<std::string>();
}

// Its own kinds of distribution (`type`) are normal where none is named.
TokenDistribution perf_tokens(const Json& entry, const std::string& where) {
  Json own = entry;
  if (own.is_object()) {
    const std::string type = own.contains("type") ? perf_text(own, "type", where) : std::string("normal");
    own.erase("total_count");
    own.erase("type");
    if (type == "fixed") return TokenDistribution::from_json(perf_entry(own, "mean", where), where);
    if (type == "uniform") {
      own.erase("mean");
      own.erase("std_dev");
    } else if (type != "normal") {
      throw Unsupported(
          fmt::format("{}: a distribution of type '{}', expected normal, uniform or fixed", where, type));
    } else if (!own.contains("std_dev")) {
      own["std_dev"] = 0;
    }
  }
  return TokenDistribution::from_json(own, where);
}

// The clients of one stage: one, or one for each group of shared prefixes.
std::vector<WorkloadClient> perf_clients(const Json& data, const std::string& where) {
  const std::string type = perf_text(data, "type", where);
  WorkloadClient client;
  client.name = "requests";
  if (type == "random" || type == "synthetic") {
    client.input_tokens =
        perf_tokens(perf_entry(data, "input_distribution", where), where + ": input_distribution");
    client.output_tokens =
        perf_tokens(perf_entry(data, "output_distribution", where), where + ": output_distribution");
    return {client};
  }
  if (type != "shared_prefix")
    throw Unsupported(fmt::format(
        "{}: data of type '{}' need a data set, expected random, synthetic or shared_prefix", where, type));
  const Json& shared = perf_entry(data, "shared_prefix", where);
  const std::string place = where + ": shared_prefix";
  client.prefix_tokens = perf_count(shared, "system_prompt_len", place);
  const auto tokens = [&](const char* distribution, const char* length) {
    return shared.contains(distribution) ? perf_tokens(shared[distribution], place + ": " + distribution)
                                         : TokenDistribution::constant(perf_count(shared, length, place));
  };
  client.input_tokens = tokens("question_distribution", "question_len");
  client.output_tokens = tokens("output_distribution", "output_len");
  const std::int64_t groups = perf_count(shared, "num_groups", place);
  constexpr std::int64_t kMostGroups = 10'000;
  if (groups > kMostGroups)
    throw InvalidInput(fmt::format("{}: num_groups is {}, expected at most {}", place, groups, kMostGroups));
  std::vector<WorkloadClient> clients;
  for (std::int64_t i = 0; i < groups; ++i) {
    client.name = client.tenant = fmt::format("group {}", i);
    clients.push_back(client);
  }
  return clients;
}

// Limits that its clients send as headers.
Slo perf_limits(const Json& document, const std::string& where) {
  Slo slo;
  const Json api = document.value("api", Json::object());
  if (!api.is_object()) return slo;
  const Json headers = api.value("headers", Json::object());
  if (!headers.is_object()) return slo;
  const double unit = text_member_or(api, "slo_unit", "ms") == "s" ? 1 : 1e-3;
  const auto limit = [&](const char* option, const char* usual) -> std::optional<Seconds> {
    const std::string header = text_member_or(api, option, usual);
    if (!headers.contains(header)) return std::nullopt;
    const Json& value = headers[header];
    const Json number = value.is_string() ? json_or_text(value.get<std::string>(), where) : value;
    if (!number.is_number() || !(number.get<double>() > 0))
      throw InvalidInput(
          fmt::format("{}: header '{}' is {}, expected a time above 0", where, header, value.dump()));
    return Seconds(number.get<double>() * unit);
  };
  slo.ttft = limit("slo_ttft_header", "x-slo-ttft-ms");
  slo.tpot = limit("slo_tpot_header", "x-slo-tpot-ms");
  return slo;
}

}  // namespace

ClientMix inference_perf_clients(const std::filesystem::path& config) {
  const Json document = json_of(read_yaml_file(config));
  const std::string where = config.string();
  const std::vector<WorkloadClient> clients =
      perf_clients(perf_entry(document, "data", where), where + ": data");
  const Json& load = perf_entry(document, "load", where);
  const std::string type = perf_text(load, "type", where + ": load");
  if (type != "constant" && type != "poisson")
    throw Unsupported(fmt::format("{}: a load of type '{}', expected constant or poisson", where, type));
  const Json& stages = perf_entry(load, "stages", where + ": load");
  if (!stages.is_array() || stages.empty())
    throw InvalidInput(fmt::format("{}: load: stages is empty, expected at least one", where));
  ClientMix mix;
  const Slo slo = perf_limits(document, where + ": api");
  const bool limited = slo.ttft || slo.tpot;
  if (limited) mix.slo_classes["requests"] = slo;
  double begin = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::string place = fmt::format("{}: stage {}", where, i);
    const double end = begin + perf_number(stages[i], "duration", place);
    for (WorkloadClient client : clients) {
      client.name += fmt::format(", stage {}", i);
      if (limited) client.slo_class = "requests";
      client.rate = perf_number(stages[i], "rate", place) / double(clients.size());
      client.from = Seconds(begin);
      client.to = Seconds(end);
      client.arrivals = type == "poisson" ? ArrivalProcess::Poisson : ArrivalProcess::Constant;
      mix.clients.push_back(std::move(client));
    }
    begin = end;
  }
  mix.duration = Seconds(begin);
  return mix;
}

}  // namespace warploom
