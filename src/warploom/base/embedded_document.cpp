#include "warploom/base/embedded_document.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json_members.h"

namespace warploom {

void read_embedded(std::span<const EmbeddedFile> files, std::string_view schema,
                   const std::function<void(const Json&, std::string_view)>& read) {
  const EmbeddedFile& file = files.front();
  const std::string where = fmt::format("built-in {}", file.name);
  const Json document = parse_json(file.contents, where);
  const std::string found = text_member_or(document, "schema", "");
  if (found != schema)
    throw InvalidInput(fmt::format("{}: 'schema' is \"{}\", expected \"{}\"", where, found, schema));
  read(document, where);
}

}  // namespace warploom
