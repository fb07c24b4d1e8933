#include "warploom/collector/device_file.h"

#include <cmath>
#include <cstdio>
#include <fstream>

#include "warploom/collector/failure.h"

namespace warploom::collector {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result.push_back('\\');
    if (static_cast<unsigned char>(c) >= 0x20) result.push_back(c);
  }
  return result + "\"";
}

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// Members of one object, one a line.
class Object {
 public:
  explicit Object(std::string indent) : indent_(std::move(indent)) {}
  void put(const std::string& name, const std::string& value) {
    if (!text_.empty()) text_ += ",\n";
    text_ += indent_ + "  " + quoted(name) + ": " + value;
  }
  std::string text() const { return "{\n" + text_ + "\n" + indent_ + "}"; }

 private:
  std::string indent_, text_;
};

std::string state_of(const DeviceState& state) {
  Object object("  ");
  object.put("sm_clock_mhz", number(state.sm_clock_mhz));
  object.put("memory_clock_mhz", number(state.memory_clock_mhz));
  object.put("power_w", number(state.power_w));
  object.put("temperature_c", number(state.temperature_c));
  object.put("throttle", quoted(state.throttle));
  object.put("other_processes", std::to_string(state.other_processes));
  return object.text();
}

std::string sweep_of(const SweepSummary& summary) {
  Object object("  "), reasons("    ");
  constexpr const char* kEnds[] = {"complete", "time_up", "stopped"};
  object.put("end", quoted(kEnds[static_cast<int>(summary.end)]));
  object.put("seconds", number(summary.seconds));
  object.put("measured", std::to_string(summary.measured));
  object.put("throttled", std::to_string(summary.throttled));
  object.put("uncertain", std::to_string(summary.uncertain));
  object.put("drift", number(drift_of(summary)));
  for (const auto& [reason, count] : summary.unmeasurable) reasons.put(reason, std::to_string(count));
  object.put("unmeasurable", reasons.text());
  return object.text();
}

}  // namespace

void write_device_file(const std::filesystem::path& path, const DeviceFacts& facts, const DeviceState& state,
                       std::span<const DeviceConstant> constants, const SweepSummary& summary) {
  Object document(""), rates("  ");
  document.put("schema", quoted("warploom_device"));
  document.put("version", "1");
  document.put("gpu", quoted(facts.name));
  document.put("driver", quoted(facts.driver));
  document.put("libraries", quoted(facts.libraries));
  document.put("compute_capability", std::to_string(facts.compute_capability));
  document.put("sm_count", std::to_string(facts.sm_count));
  document.put("memory_bytes", std::to_string(facts.memory_bytes));
  document.put("l2_bytes", std::to_string(facts.l2_bytes));
  document.put("state", state_of(state));
  for (const DeviceConstant& constant : constants) rates.put(constant.name, number(constant.value));
  document.put("constants", rates.text());
  document.put("sweep", sweep_of(summary));

  const std::filesystem::path part = path.string() + ".part";
  {
    std::ofstream out(part, std::ios::binary);
    out << document.text() << "\n";
    out.flush();
    if (!out) throw FileFailure(path.string() + ": cannot be written");
  }
  std::error_code error;
  std::filesystem::rename(part, path, error);
  if (error) throw FileFailure(path.string() + ": cannot be written: " + error.message());
}

}  // namespace warploom::collector
