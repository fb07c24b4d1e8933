#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "warploom/app/data/convert_clients.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"

namespace warploom {
namespace {

constexpr double kServegenDay = 86400;  // s

struct ServegenWindow {
  double begin = 0, rate = 0, shape = 1;
  ArrivalProcess arrivals = ArrivalProcess::Poisson;
};

double servegen_number(std::string_view text, const std::string& where) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    throw InvalidInput(fmt::format("{}: '{}' is no number", where, text));
  return value;
}

std::vector<std::string_view> split_by(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = std::min(text.find(mark), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

ServegenWindow window_of_line(std::string_view line, const std::string& where) {
  const auto columns = split_by(line, ',');
  if (columns.size() != 6)
    throw InvalidInput(
        fmt::format("{}: has {} columns, expected begin, rate, CV, distribution, shape and scale", where,
                    columns.size()));
  ServegenWindow window{.begin = servegen_number(columns[0], where),
                        .rate = servegen_number(columns[1], where)};
  if (columns[3].empty()) window.rate = 0;  // nothing was sent
  if (!(window.rate >= 0)) throw InvalidInput(fmt::format("{}: the rate is below 0", where));
  if (window.rate == 0) return window;
  if (columns[3] == "Gamma")
    window.arrivals = ArrivalProcess::Gamma;
  else if (columns[3] == "Weibull")
    window.arrivals = ArrivalProcess::Weibull;
  else if (columns[3] != "Exponential" && columns[3] != "Poisson")
    throw Unsupported(fmt::format("{}: gaps of the distribution '{}', expected Gamma, Weibull or Exponential",
                                  where, columns[3]));
  // The scale is left to the rate.
  if (window.arrivals != ArrivalProcess::Poisson) window.shape = servegen_number(columns[4], where);
  if (!(window.shape > 0)) throw InvalidInput(fmt::format("{}: the shape is not above 0", where));
  return window;
}

std::vector<ServegenWindow> read_windows(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  std::vector<ServegenWindow> windows;
  std::size_t number = 0;
  for (std::string_view line : split_by(text, '\n')) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    windows.push_back(window_of_line(line, fmt::format("{}:{}", path.string(), number)));
    if (windows.size() > 1 && windows.back().begin <= windows[windows.size() - 2].begin)
      throw InvalidInput(fmt::format("{}:{}: windows are not in order of time", path.string(), number));
  }
  return windows;
}

// "{12: 0.25, 100: 0.75}", a Python dictionary.
std::vector<std::pair<double, double>> weights_of_text(std::string_view text, const std::string& where) {
  const std::size_t begin = text.find('{'), end = text.rfind('}');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
    throw InvalidInput(
        fmt::format("{}: '{}' is no dictionary of tokens and shares", where, text.substr(0, 40)));
  std::vector<std::pair<double, double>> weights;
  const auto trimmed = [](std::string_view part) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    return part;
  };
  for (const std::string_view entry : split_by(text.substr(begin + 1, end - begin - 1), ',')) {
    if (trimmed(entry).empty()) continue;
    const auto parts = split_by(entry, ':');
    if (parts.size() != 2)
      throw InvalidInput(fmt::format("{}: '{}' is no pair of tokens and share", where, entry));
    weights.emplace_back(servegen_number(trimmed(parts[0]), where),
                         servegen_number(trimmed(parts[1]), where));
  }
  return weights;
}

struct ServegenLengths {
  TokenDistribution input = TokenDistribution::constant(1), output = TokenDistribution::constant(1);
};

// By begin, in s. Windows in which nothing was seen are left out.
std::map<double, ServegenLengths> read_lengths(const std::filesystem::path& path) {
  std::map<double, ServegenLengths> lengths;
  const Json document = read_json_file(path);
  if (!document.is_object())
    throw InvalidInput(fmt::format("{}: is no object, expected windows", path.string()));
  for (const auto& [begin, fields] : document.items()) {
    const std::string where = fmt::format("{}: window {}", path.string(), begin);
    const auto tokens = [&, &fields = fields](const char* key) {
      if (!fields.is_object() || !fields.contains(key) || !fields[key].is_string())
        throw InvalidInput(fmt::format("{}: '{}' is missing, expected a dictionary in a text", where, key));
      return weights_of_text(fields[key].get<std::string>(), where);
    };
    auto input = tokens("input_tokens"), output = tokens("output_tokens");
    if (input.empty() || output.empty()) continue;
    lengths.emplace(servegen_number(begin, where),
                    ServegenLengths{TokenDistribution::weighted(std::move(input), where),
                                    TokenDistribution::weighted(std::move(output), where)});
  }
  return lengths;
}

void add_windows(ClientMix& mix, const std::string& name, const std::vector<ServegenWindow>& windows,
                 const std::map<double, ServegenLengths>& lengths, double from, double to) {
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const ServegenWindow& window = windows[i];
    const double end = i + 1 < windows.size() ? windows[i + 1].begin : to;
    const auto after = lengths.upper_bound(window.begin);
    if (window.rate == 0 || end <= from || window.begin >= to || after == lengths.begin()) continue;
    const ServegenLengths& tokens = std::prev(after)->second;
    WorkloadClient client;
    client.name = fmt::format("{} from {:g} s", name, window.begin);
    client.tenant = name;
    client.rate = window.rate;
    client.from = Seconds(std::max(window.begin, from) - from);
    client.to = Seconds(std::min(end, to) - from);
    client.arrivals = window.arrivals;
    client.shape = window.shape;
    client.input_tokens = tokens.input;
    client.output_tokens = tokens.output;
    mix.clients.push_back(std::move(client));
  }
}

}  // namespace

ClientMix servegen_clients(const std::filesystem::path& folder, Seconds from, Seconds to) {
  if (!std::filesystem::is_directory(folder))
    throw NotFound(fmt::format("{}: is no folder, expected one of a ServeGen model", folder.string()));
  std::vector<std::pair<double, std::filesystem::path>> traces;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kBefore = "chunk-", kAfter = "-trace.csv";
    if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) continue;
    const std::string number = name.substr(kBefore.size(), name.size() - kBefore.size() - kAfter.size());
    traces.emplace_back(servegen_number(number, entry.path().string()), entry.path());
  }
  std::sort(traces.begin(), traces.end());
  const double begin = from.value(), end = to.value() > 0 ? to.value() : begin + kServegenDay;
  ClientMix mix{.duration = Seconds(end - begin), .slo_classes = {}, .clients = {}};
  for (const auto& [number, path] : traces) {
    const std::string name = fmt::format("chunk-{:g}", number);
    add_windows(mix, name, read_windows(path), read_lengths(folder / (name + "-dataset.json")), begin, end);
  }
  if (mix.clients.empty())
    throw InvalidInput(
        fmt::format("{}: holds no requests from {} to {} s, expected chunk-N-trace.csv beside "
                    "chunk-N-dataset.json and another part of the time",
                    folder.string(), begin, end));
  return mix;
}

}  // namespace warploom
