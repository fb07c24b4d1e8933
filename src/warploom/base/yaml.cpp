#include "warploom/base/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/internal/keyed_entries.h"
#include "warploom/base/utf8.h"

namespace warploom {
namespace {

using Node = std::shared_ptr<YamlNode>;

// Builds the tree from the parser's events. An alias is the node that it names, whose size is known by then,
// so that a document is refused where it passes a limit and nothing is ever expanded.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view where) : where_(where) {}

  YamlNode root() { return root_ == nullptr ? YamlNode{} : *root_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    close(mark, begun(mark, anchor, YamlNode::Kind::Null));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto named = anchors_.find(anchor);
    const bool open =
        named != anchors_.end() && std::find(open_.begin(), open_.end(), named->second) != open_.end();
    if (named == anchors_.end() || open)
      refuse(mark, "an alias stands inside what it names, expected no cycle");
    close(mark, named->second);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const Node node = begun(mark, anchor, YamlNode::Kind::Scalar);
    node->text = value;
    node->bytes = value.size();
    node->quoted = tag == "!";
    close(mark, node);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, begun(mark, anchor, YamlNode::Kind::List));
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, begun(mark, anchor, YamlNode::Kind::Map));
  }
  void OnSequenceEnd() override { close_list(); }
  void OnMapEnd() override { close_list(); }

 private:
  [[noreturn]] void refuse(const YAML::Mark& mark, std::string_view what) const {
    throw InvalidInput(fmt::format("{}: line {}: {}", where_, mark.line + 1, what));
  }

  Node begun(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->line = mark.line + 1;
    if (anchor != 0) anchors_[anchor] = node;
    return node;
  }

  void open(const YAML::Mark& mark, const Node& node) {
    open_.push_back(node);
    check_levels(mark, open_.size());
  }

  void close_list() {
    const Node node = open_.back();
    open_.pop_back();
    node->levels += 1;
    if (open_.empty())
      root_ = node;
    else
      add(node);
  }

  // A value that has an end of its own, or is complete by its name.
  void close(const YAML::Mark& mark, const Node& node) {
    if (open_.empty()) {
      root_ = node;
      return;
    }
    check_levels(mark, open_.size() + std::size_t(node->levels));
    seen_values_ += node->values;
    seen_bytes_ += node->bytes;
    if (seen_values_ > kMostYamlValues)
      refuse(mark, fmt::format("more than {} values, each alias counted as what it names", kMostYamlValues));
    if (seen_bytes_ > kMostYamlText)
      refuse(mark,
             fmt::format("more than {} bytes of text, each alias counted as what it names", kMostYamlText));
    add(node);
  }

  void add(const Node& node) {
    YamlNode& list = *open_.back();
    list.values += node->values;
    list.bytes += node->bytes;
    if (list.kind == YamlNode::Kind::Map && list.keys.size() == list.items.size()) {
      list.keys.push_back(key_of(*node));
      return;
    }
    list.levels = std::max(list.levels, node->levels);
    list.items.push_back(node);
  }

  std::string key_of(const YamlNode& node) const {
    if (node.kind == YamlNode::Kind::Scalar) return node.text;
    if (node.kind == YamlNode::Kind::Null) return "null";
    throw InvalidInput(
        fmt::format("{}: line {}: a key is a list or a map, expected a text", where_, node.line));
  }

  void check_levels(const YAML::Mark& mark, std::size_t levels) const {
    if (levels > std::size_t(kMostYamlLevels))
      refuse(mark, fmt::format("is nested more than {} levels deep", kMostYamlLevels));
  }

  std::string_view where_;
  std::vector<Node> open_;  // the lists and maps around what comes next
  std::unordered_map<YAML::anchor_t, Node> anchors_;
  Node root_;
  std::size_t seen_values_ = 0, seen_bytes_ = 0;  // of what is complete
};

// The library takes text with zero bytes for UTF-16 or UTF-32 and then hands on bytes that are no UTF-8.
void check_utf8(std::string_view text, std::string_view where) {
  const std::size_t sound = std::min(utf8_bytes(text), text.find('\0'));
  if (sound >= text.size()) return;
  const auto line = 1 + std::count(text.begin(), text.begin() + std::ptrdiff_t(sound), '\n');
  throw InvalidInput(fmt::format("{}: line {}: {} (byte {})", where, line,
                                 text[sound] == '\0' ? "has a zero byte" : "is not UTF-8", sound + 1));
}

Json scalar_json(const YamlNode& node) {
  // No text that begins so is a number or a word of JSON.
  if (node.quoted || node.text.starts_with('[') || node.text.starts_with('{')) return node.text;
  const Json plain = Json::parse(node.text, nullptr, false);
  return plain.is_discarded() || plain.is_structured() ? Json(node.text) : plain;
}

Json map_json(const YamlNode& node) {
  Json object = Json::object();
  KeyedEntries entries(object);
  for (std::size_t i = 0; i < node.items.size(); ++i) entries[node.keys[i]] = json_of(*node.items[i]);
  return object;
}

}  // namespace

namespace {

void check_yaml_text(std::string_view text, std::string_view where) {
  if (text.size() > kMostYamlBytes)
    throw InvalidInput(fmt::format("{}: is longer than {} bytes, expected less YAML", where, kMostYamlBytes));
  check_utf8(text, where);
}

[[noreturn]] void throw_not_yaml(const YAML::Exception& error, std::string_view where) {
  throw InvalidInput(fmt::format("{}: line {}: {}", where, error.mark.line + 1, error.msg));
}

}  // namespace

YamlNode parse_yaml(std::string_view text, std::string_view where) {
  check_yaml_text(text, where);
  TreeBuilder tree(where);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser(stream).HandleNextDocument(tree);
  } catch (const YAML::Exception& error) {
    throw_not_yaml(error, where);
  }
  return tree.root();
}

std::vector<YamlNode> parse_yaml_documents(std::string_view text, std::string_view where) {
  check_yaml_text(text, where);
  std::vector<YamlNode> documents;
  std::size_t values = 0, bytes = 0;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    for (;;) {
      TreeBuilder tree(where);
      if (!parser.HandleNextDocument(tree)) return documents;
      YamlNode root = tree.root();
      values += root.values;
      bytes += root.bytes;
      if (values > kMostYamlValues || bytes > kMostYamlText)
        throw InvalidInput(
            fmt::format("{}: line {}: is more than {} values or {} bytes of text, expected less", where,
                        root.line, kMostYamlValues, kMostYamlText));
      if (root.kind != YamlNode::Kind::Null) documents.push_back(std::move(root));
    }
  } catch (const YAML::Exception& error) {
    throw_not_yaml(error, where);
  }
}

YamlNode read_yaml_file(const std::filesystem::path& path) {
  return parse_yaml(read_file(path, kMostYamlBytes), path.string());
}

Json json_of(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::Null:
      return nullptr;
    case YamlNode::Kind::Scalar:
      return scalar_json(node);
    case YamlNode::Kind::Map:
      return map_json(node);
    case YamlNode::Kind::List:
      break;
  }
  Json list = Json::array();
  for (const auto& item : node.items) list.push_back(json_of(*item));
  return list;
}

}  // namespace warploom
