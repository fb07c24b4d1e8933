#include "warploom/app/runs/probe_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom/hardware/record_version.h"

namespace warploom {
namespace {

constexpr double kLongestUs = 1e9;
// Processors that other processes kept busy; with fewer the host varies by itself, as one does that shares
// its cores with other machines, and its times say so. OTHERS_LIMIT of python/warploom/probe.
constexpr double kOthersLimit = 0.5;

double number_at(const Json& object, const char* key, const std::string& where, double least, double most) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number())
    throw InvalidInput(fmt::format("{}: '{}' is missing or no number", where, key));
  const auto value = found->get<double>();
  if (!(value >= least && value <= most))
    throw InvalidInput(fmt::format("{}: '{}' is {}, expected {} to {}", where, key, value, least, most));
  return value;
}

const Json& object_at(const Json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_object())
    throw InvalidInput(fmt::format("{}: '{}' is missing or no object", where, key));
  return *found;
}

ProbedTime time_of(const Json& measured, const std::string& where) {
  constexpr double kLeastUs = 1e-6;
  const auto us = [&](const char* key) {
    return microseconds(number_at(measured, key, where, kLeastUs, kLongestUs));
  };
  ProbedTime time{us("median_us"), us("mean_us"), us("p10_us"), us("p90_us")};
  if (time.p10 > time.median || time.median > time.p90)
    throw InvalidInput(fmt::format("{}: p10_us, median_us and p90_us are not in order", where));
  return time;
}

// Products are named product.SCHEME_..., with their sizes beside them.
void add_product(const std::string& name, const Json& measured, const ProbedTime& time,
                 const std::string& where, std::vector<ProbedProduct>& products) {
  MatmulScheme scheme;
  if (name.starts_with("product.bf16_"))
    scheme = MatmulScheme::Bf16;
  else if (name.starts_with("product.fp8_"))
    scheme = MatmulScheme::Fp8;
  else
    return;
  const Json& size = object_at(measured, "size", where);
  constexpr double kMost = 1e9;
  const auto side = [&](const char* key) { return std::int64_t(number_at(size, key, where, 1, kMost)); };
  products.push_back({{.scheme = scheme, .m = side("rows"), .n = side("columns"), .k = side("depth")}, time});
}

// Whether the probe saw that next to nothing else ran; older ones do not say.
bool works_alone(const Json& document) {
  const auto processors = document.find("processors");
  if (processors == document.end() || !processors->is_object()) return false;
  const auto others = processors->find("others");
  return others != processors->end() && others->is_number() && others->get<double>() < kOthersLimit;
}

// Older probes do not say.
bool is_virtual(const Json& machine, const std::string& where) {
  const Json& processor = member_or_null(member_or_null(machine, "host"), "processor");
  const Json& told = member_or_null(processor, "virtual");
  if (!told.is_null() && !told.is_boolean())
    throw InvalidInput(fmt::format("{}: machine: host: processor: 'virtual' is {}, expected true or false",
                                   where, told.dump()));
  return told == Json(true);
}

std::string gpu_of(const Json& machine, const std::string& where) {
  const auto gpus = machine.find("gpus");
  if (gpus == machine.end() || !gpus->is_array())
    throw InvalidInput(fmt::format("{}: machine: 'gpus' is missing or no list", where));
  if (gpus->empty()) return {};
  const Json& first = gpus->front();
  if (!first.is_object() || !first.contains("name") || !first["name"].is_string())
    throw InvalidInput(fmt::format("{}: machine: gpus: 'name' is missing or no text", where));
  std::string name = first["name"].get<std::string>();
  for (const std::string_view maker : {"NVIDIA ", "AMD "})
    if (name.starts_with(maker)) name.erase(0, maker.size());
  return name;
}

// An ISO time is all that is asked: nothing is computed from it.
std::string time_text(const Json& document, const std::string& where) {
  const auto found = document.find("measured_at");
  if (found == document.end()) return {};
  constexpr std::size_t kLongest = 40;
  if (!found->is_string() || found->get<std::string>().size() > kLongest)
    throw InvalidInput(fmt::format("{}: 'measured_at' is {}, expected a time in UTC", where, found->dump()));
  return found->get<std::string>();
}

}  // namespace

ProbeFile read_probe(const std::filesystem::path& path) {
  const Json document = read_json_file(path);
  const std::string where = path.string();
  check_record_version(document, "warploom_probe", 1, where);
  ProbeFile probe;
  probe.measured_at = time_text(document, where);
  probe.gpu = gpu_of(object_at(document, "machine", where), where);
  for (const auto& [name, measured] : object_at(document, "measured", where).items()) {
    const std::string inside = fmt::format("{}: measured: {}", where, name);
    // What a sleep is late by may be next to nothing; nothing is made of it.
    if (name == "wake.sleep_late") continue;
    const ProbedTime time = time_of(measured, inside);
    probe.times[name] = time;
    add_product(name, measured, time, inside, probe.products);
  }
  probe.virtual_host = is_virtual(document["machine"], where);
  const bool alone = works_alone(document);
  for (const auto& [name, spread] : object_at(document, "noise", where).items())
    if (spread.is_number() && !(alone && name == "reference.host"))
      probe.noise = std::max(probe.noise, spread.get<double>());
  if (probe.times.empty())
    throw InvalidInput(fmt::format("{}: nothing was measured, expected a whole probe", where));
  return probe;
}

}  // namespace warploom
