#include "warploom/manifests/files/manifest_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>

#include "warploom/base/embedded_document.h"
#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/manifests/lines/shell_words.h"
#include "warploom_embedded/manifest_fields.h"

namespace warploom {
namespace {

using Kind = YamlNode::Kind;

bool holds(const Json& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether an object is there and switched off, as charts write what may be switched on.
bool is_off(const ManifestValue& value) {
  if (!value.is_map()) return false;
  for (const char* key : {"enabled", "enable"})
    if (const ManifestValue on = value.at(key); on.given() && !on.is_true(true)) return true;
  return false;
}

bool changes_times(std::string_view kind, const std::string& name) {
  return holds(manifest_fields_data().at("objects").at(std::string(kind)).at("changes_times"), name);
}

}  // namespace

const Json& manifest_fields_data() {
  static const Json read =
      from_embedded(embedded::manifest_fields(), "warploom_manifest_fields",
                    [](const Json& document, std::string_view) -> Json { return document; });
  return read;
}

std::string manifest_word(std::string_view family, std::string_view map, const std::string& name,
                          const std::string& place) {
  const Json& words = manifest_fields_data().at(std::string(family)).at(std::string(map));
  if (const auto found = words.find(name); found != words.end()) return found->get<std::string>();
  std::vector<std::string> known;
  for (const auto& [word, meaning] : words.items()) known.push_back(word);
  throw Unsupported(fmt::format("{} is '{}', which is not modelled{}, expected one of: {}", place, name,
                                did_you_mean(name, known), fmt::join(known, ", ")));
}

void check_manifest_field(std::string_view object, const std::string& name, const std::string& place,
                          std::vector<std::string>& left_out) {
  const Json& fields = manifest_fields_data().at("objects").at(std::string(object));
  if (holds(fields.at("read"), name)) return;
  if (holds(fields.at("without_effect"), name)) {
    if (std::find(left_out.begin(), left_out.end(), name) == left_out.end()) left_out.push_back(name);
    return;
  }
  if (holds(fields.at("changes_times"), name))
    throw Unsupported(fmt::format(
        "{}: {} changes times and is not read from a manifest, expected the options of the command for it",
        place, name));
  std::vector<std::string> known;
  for (const char* list : {"read", "without_effect"})
    for (const Json& field : fields.at(list)) known.push_back(field.get<std::string>());
  throw InvalidInput(
      fmt::format("{}: {} is no field of this version{}", place, name, did_you_mean(name, known)));
}

ManifestValue ManifestValue::below(const YamlNode* node, const std::string& step) const {
  ManifestValue value(node, where_, left_out_);
  value.path_ = path_.empty() || step.starts_with('[') ? path_ + step : path_ + "." + step;
  return value;
}

std::string ManifestValue::place() const {
  std::string text = where_;
  if (node_ != nullptr && node_->line > 0) text += fmt::format(": line {}", node_->line);
  return path_.empty() ? text : text + ": " + path_;
}

void ManifestValue::refuse(std::string_view expected) const {
  const std::string is = json_of(*node_).dump();
  constexpr std::size_t kShown = 60;
  throw InvalidInput(fmt::format("{} is {}{}, expected {}", place(), is.substr(0, kShown),
                                 is.size() > kShown ? "..." : "", expected));
}

ManifestValue ManifestValue::at(std::string_view key) const {
  if (is_map())
    for (std::size_t i = node_->keys.size(); i-- > 0;)  // of keys that stand twice the last holds
      if (node_->keys[i] == key) return below(node_->items[i].get(), std::string(key));
  ManifestValue absent = below(nullptr, std::string(key));
  return absent;
}

const ManifestValue& ManifestValue::checked(std::string_view kind) const {
  if (!given()) return *this;
  if (!is_map()) refuse("a map");
  for (const std::string& key : node_->keys) {
    if (is_off(at(key)) && changes_times(kind, key))
      left_out_->push_back(key);
    else
      check_manifest_field(kind, key, place(), *left_out_);
  }
  return *this;
}

ManifestValue ManifestValue::object(std::string_view key, std::string_view kind) const {
  return at(key).checked(kind);
}

std::vector<std::pair<std::string, ManifestValue>> ManifestValue::members() const {
  std::vector<std::pair<std::string, ManifestValue>> all;
  if (!given()) return all;
  if (!is_map()) refuse("a map");
  for (std::size_t i = 0; i < node_->keys.size(); ++i)
    all.emplace_back(node_->keys[i], below(node_->items[i].get(), node_->keys[i]));
  return all;
}

std::vector<ManifestValue> ManifestValue::items() const {
  std::vector<ManifestValue> all;
  if (!given()) return all;
  if (node_->kind != Kind::List) refuse("a list");
  for (std::size_t i = 0; i < node_->items.size(); ++i)
    all.push_back(below(node_->items[i].get(), fmt::format("[{}]", i)));
  return all;
}

std::string ManifestValue::text(std::string_view absent) const {
  if (!given()) return std::string(absent);
  if (node_->kind != Kind::Scalar) refuse("a text or a number");
  return node_->text;
}

std::int64_t ManifestValue::whole(std::int64_t absent) const {
  if (!given()) return absent;
  const std::string written = text();
  constexpr std::int64_t kMost = 1'000'000;
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (error != std::errc() || end != written.data() + written.size() || value < 0 || value > kMost)
    refuse("a whole number, not below 0");
  return value;
}

double ManifestValue::real(double absent) const {
  if (!given()) return absent;
  const std::string written = text();
  constexpr double kMost = 1e6;
  double value = -1;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (error != std::errc() || end != written.data() + written.size() || !(value >= 0 && value <= kMost))
    refuse("a number, not below 0");
  return value;
}

bool ManifestValue::is_true(bool absent) const {
  if (!given()) return absent;
  const std::string written = text();
  if (written != "true" && written != "false" && written != "True" && written != "False")
    refuse("true or false");
  return written == "true" || written == "True";
}

std::vector<std::string> ManifestValue::words() const {
  std::vector<std::string> all;
  for (const std::string& written : is_text() ? std::vector<std::string>{node_->text} : texts()) {
    const std::size_t blank = std::min(written.find_first_of(" \t\n"), written.size());
    const bool flags = written.starts_with('-') && written.find_first_of("={") > blank;
    if (!is_text() && (!flags || blank == written.size())) {
      all.push_back(written);
      continue;
    }
    for (std::vector<std::string>& command : shell_commands(written, place()))
      std::move(command.begin(), command.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<std::string> ManifestValue::texts() const {
  std::vector<std::string> all;
  for (const ManifestValue& item : items()) all.push_back(item.text());
  return all;
}

}  // namespace warploom
