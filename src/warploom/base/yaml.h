// YAML files, read within limits. Every reader of YAML goes through here, so that no file can end the
// program: an alias that stands inside what it names, nesting and aliases of aliases are refused before
// anything walks them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"

namespace warploom {

// What one document may be. Configuration files of engines, benchmarks and searches have below 10,000 values
// in below 1 MB; with these limits reading takes below 100 MB and a few seconds.
inline constexpr std::size_t kMostYamlBytes = std::size_t(4) << 20;  // of a file
inline constexpr int kMostYamlLevels = 64;                           // lists and maps inside each other
inline constexpr std::size_t kMostYamlValues = 200'000;              // each alias counted as what it names
inline constexpr std::size_t kMostYamlText = std::size_t(16) << 20;  // bytes, counted in the same way

// A value of a document; aliases of a value share it.
struct YamlNode {
  enum class Kind { Null, Scalar, List, Map };

  Kind kind = Kind::Null;
  int line = 0;                                        // from 1
  std::string text;                                    // of a scalar, as it is written
  bool quoted = false;                                 // a scalar in quotes is a text whatever it says
  std::vector<std::string> keys;                       // of a map, one for each item
  std::vector<std::shared_ptr<const YamlNode>> items;  // of a list or map

  // Counts this value and all below it, each alias counted as what it names.
  std::size_t values = 1, bytes = 0;
  int levels = 0;
};

// The first document of the text; Null when there is none. Throws InvalidInput "<where>: line N: ..." on text
// that is no YAML or no UTF-8, that has keys which are no text, that refers to itself or is beyond a limit.
YamlNode parse_yaml(std::string_view text, std::string_view where);
// Every document of the text that says something; together they are within the limits of one.
std::vector<YamlNode> parse_yaml_documents(std::string_view text, std::string_view where);
// As parse_yaml of a file, whose path is `where`. Throws IoError when it cannot be read.
YamlNode read_yaml_file(const std::filesystem::path& path);

// Scalars without quotes that are JSON numbers, true, false or null are those; others are texts. Of keys that
// stand twice the last holds.
Json json_of(const YamlNode& node);

}  // namespace warploom
