// A value of a manifest with the place where it stands, and what each field of each kind of object does to
// times. Data: data/engines/manifest_fields.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/base/yaml.h"

namespace warploom {

// The file of fields as it is.
const Json& manifest_fields_data();

// What a name of a list of that file, as "kinds" or "routers", stands for. Throws InvalidInput
// "<place> is '<name>', expected one of ..." with the nearest name where the map lacks it.
std::string manifest_word(std::string_view family, std::string_view map, const std::string& name,
                          const std::string& place);

// Checks the name of one field of an object of that kind; one without effect joins `left_out`. Throws
// Unsupported on what changes times and is not modelled, InvalidInput with the nearest names on others.
void check_manifest_field(std::string_view object, const std::string& name, const std::string& place,
                          std::vector<std::string>& left_out);

class ManifestValue {
 public:
  // `where`: the file; both must outlive the value.
  ManifestValue(const YamlNode* node, std::string where, std::vector<std::string>* left_out)
      : node_(node), where_(std::move(where)), left_out_(left_out) {}

  bool given() const { return node_ != nullptr && node_->kind != YamlNode::Kind::Null; }
  bool is_text() const { return given() && node_->kind == YamlNode::Kind::Scalar; }
  bool is_map() const { return given() && node_->kind == YamlNode::Kind::Map; }
  std::string place() const;  // "FILE: line N: spec.template"
  const std::string& where() const { return where_; }
  const std::string& path() const { return path_; }
  std::vector<std::string>& left_out() const { return *left_out_; }

  // The value of a key, absent where this is no map that has it.
  ManifestValue at(std::string_view key) const;
  // As at, of the map that it then is: every field is checked as of an object of that kind. Throws
  // InvalidInput on anything else that is given.
  ManifestValue object(std::string_view key, std::string_view kind) const;
  // Checks this map itself.
  const ManifestValue& checked(std::string_view kind) const;
  std::vector<std::pair<std::string, ManifestValue>> members() const;
  std::vector<ManifestValue> items() const;

  // Throw InvalidInput on values of another type.
  std::string text(std::string_view absent = {}) const;
  std::int64_t whole(std::int64_t absent) const;  // not negative
  double real(double absent) const;               // not negative
  bool is_true(bool absent) const;
  std::vector<std::string> texts() const;  // of a list, or of nothing
  // Words of a command: as texts, but a text in place of the list, and a flag in one text with its value, is
  // split as a shell does.
  std::vector<std::string> words() const;

 private:
  ManifestValue below(const YamlNode* node, const std::string& step) const;
  [[noreturn]] void refuse(std::string_view expected) const;

  const YamlNode* node_;
  std::string where_, path_;
  std::vector<std::string>* left_out_;
};

}  // namespace warploom
