#include "warploom/app/data/benchmark_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom/base/nearest_name.h"
#include "warploom_embedded/benchmark_files.h"

namespace warploom {

Json benchmark_file(std::string_view name) {
  for (const EmbeddedFile& file : embedded::benchmark_files())
    if (file.name == name) return parse_json(file.contents, name);
  throw NotFound(fmt::format("{}: is no file of data/benchmarks", name));
}

void check_schema(const Json& document, std::string_view schema, std::string_view where) {
  if (!document.is_object() || text_member_or(document, "schema", "") != schema ||
      document_version(document) != 1)
    throw InvalidInput(fmt::format("{}: expected the schema '{}', version 1", where, schema));
}

void check_keys(const Json& entry, std::initializer_list<std::string_view> known, std::string_view where) {
  if (!entry.is_object()) throw InvalidInput(fmt::format("{}: expected an object", where));
  for (const auto& [key, value] : entry.items()) {
    if (key.starts_with("_") || std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    throw InvalidInput(fmt::format("{}: unknown key '{}'{}", where, key, did_you_mean(key, names)));
  }
}

std::string text_of(const Json& entry, std::string_view key, std::string_view where) {
  const auto found = entry.find(std::string(key));
  if (found == entry.end() || !found->is_string() || found->get<std::string>().empty())
    throw InvalidInput(fmt::format("{}: '{}' is missing, expected a text", where, key));
  return found->get<std::string>();
}

}  // namespace warploom
