#include "warploom/serving/workload/client_mix.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/json_members.h"

namespace warploom {
namespace {

constexpr std::string_view kMixSchema = "warploom_clients";
constexpr std::int64_t kMixVersion = 1;
constexpr double kLongestMix = 31 * 86400.0;  // s; a month, beyond which a duration is a slip

FieldOptions mix_seconds(std::string_view doc) {
  return {.unit = "s", .doc = doc, .min = 0, .max = kLongestMix};
}

WorkloadClient client_from_json(const Json& entry, std::string_view where) {
  if (!entry.is_object()) throw InvalidInput(fmt::format("{}: is no object, expected a client", where));
  Json own = entry;
  const auto tokens = [&](const char* key) {
    const std::string place = fmt::format("{}: {}", where, key);
    if (!own.contains(key)) throw InvalidInput(fmt::format("{} is missing, expected a distribution", place));
    auto result = TokenDistribution::from_json(own[key], place);
    own.erase(key);
    return result;
  };
  const TokenDistribution input = tokens("input_tokens"), output = tokens("output_tokens");
  auto client = object_from_json<WorkloadClient>(own, where);
  client.input_tokens = input;
  client.output_tokens = output;
  if (client.to.value() > 0 && client.to <= client.from)
    throw InvalidInput(fmt::format("{}: to_s is {}, expected above from_s, which is {}", where,
                                   client.to.value(), client.from.value()));
  for (const RateWindow& window : client.windows)
    if (window.to <= window.from)
      throw InvalidInput(fmt::format("{}: a window ends at {} s, expected after its begin at {} s", where,
                                     window.to.value(), window.from.value()));
  return client;
}

}  // namespace

FieldTable RateWindow::describe() {
  using W = RateWindow;
  return FieldList<W>("rate_window")
      .add("from_s", &W::from, mix_seconds("begin"))
      .add("to_s", &W::to, mix_seconds("end"))
      .add("factor", &W::factor, {.doc = "of the rate in between", .min = 0, .max = 1e6})
      .table();
}

FieldTable DiurnalSwing::describe() {
  using D = DiurnalSwing;
  return FieldList<D>("diurnal")
      .add("amplitude", &D::amplitude, {.doc = "share by which the rate swings", .min = 0, .max = 1})
      .add("period_s", &D::period, {.unit = "s", .doc = "from peak to peak", .min = 1, .max = kLongestMix})
      .add("peak_s", &D::peak, mix_seconds("when the rate is highest"))
      .table();
}

FieldTable WorkloadClient::describe() {
  using C = WorkloadClient;
  return FieldList<C>("client")
      .add("name", &C::name, {.required = true})
      .add("tenant", &C::tenant, {.doc = "who pays"})
      .add("slo_class", &C::slo_class, {.doc = "which limits its requests have"})
      .add("priority", &C::priority, {.doc = "lower is served first", .min = -1e6, .max = 1e6})
      .add("rate", &C::rate, {.unit = "1/s", .doc = "requests", .min = 0, .max = 1e6})
      .add("from_s", &C::from, mix_seconds("when it begins to send"))
      .add("to_s", &C::to, mix_seconds("when it ends; 0: with the load"))
      .add("arrivals", &C::arrivals, {.doc = "how gaps are distributed"})
      .add("shape", &C::shape, {.doc = "of gamma and Weibull gaps", .min = 0.01, .max = 1000})
      .add("prefix_tokens", &C::prefix_tokens,
           {.doc = "the same at the start of all its prompts, on top", .min = 0, .max = 1e8})
      .add("diurnal", &C::diurnal)
      .add("windows", &C::windows)
      .table();
}

ClientMix client_mix_from_json(const Json& document, std::string_view where) {
  if (!document.is_object() || text_member_or(document, "schema", "") != kMixSchema)
    throw InvalidInput(
        fmt::format("{}: is no file of clients, expected \"schema\": \"{}\"", where, kMixSchema));
  if (document_version(document) > kMixVersion)
    throw Unsupported(fmt::format("{}: is of version {}, expected at most {}", where,
                                  document["version"].dump(), kMixVersion));
  for (const auto& [key, value] : document.items())
    if (key != "schema" && key != "version" && key != "duration_s" && key != "slo_classes" &&
        key != "clients")
      throw InvalidInput(
          fmt::format("{}: '{}' is unknown, expected duration_s, slo_classes or clients", where, key));
  ClientMix mix;
  const Json duration = document.value("duration_s", Json());
  if (!duration.is_number() || !(duration.get<double>() > 0) || duration.get<double>() > kLongestMix)
    throw InvalidInput(fmt::format("{}: duration_s is {}, expected a time above 0", where, duration.dump()));
  mix.duration = Seconds(duration.get<double>());
  const Json classes = document.value("slo_classes", Json::object());
  if (!classes.is_object()) throw InvalidInput(fmt::format("{}: slo_classes is no object", where));
  for (const auto& [name, limits] : classes.items())
    mix.slo_classes[name] = object_from_json<Slo>(limits, fmt::format("{}: class '{}'", where, name));
  const Json clients = document.value("clients", Json());
  if (!clients.is_array() || clients.empty())
    throw InvalidInput(fmt::format("{}: clients is empty, expected at least one", where));
  for (const Json& entry : clients) {
    const std::string place = fmt::format("{}: client {}", where, mix.clients.size());
    WorkloadClient client = client_from_json(entry, place);
    if (!client.slo_class.empty() && !mix.slo_classes.contains(client.slo_class))
      throw InvalidInput(fmt::format("{}: slo_class '{}' is not among slo_classes, expected one of them",
                                     place, client.slo_class));
    mix.clients.push_back(std::move(client));
  }
  return mix;
}

Json client_mix_to_json(const ClientMix& mix) {
  Json document = {{"schema", kMixSchema},
                   {"version", kMixVersion},
                   {"duration_s", mix.duration.value()},
                   {"slo_classes", Json::object()},
                   {"clients", Json::array()}};
  for (const auto& [name, limits] : mix.slo_classes) document["slo_classes"][name] = to_json(limits);
  for (const WorkloadClient& client : mix.clients) {
    Json entry = to_json(client);
    entry["input_tokens"] = client.input_tokens.to_json();
    entry["output_tokens"] = client.output_tokens.to_json();
    document["clients"].push_back(std::move(entry));
  }
  return document;
}

ClientMix read_client_mix(const std::filesystem::path& path) {
  return client_mix_from_json(read_json_file(path), path.string());
}

}  // namespace warploom
