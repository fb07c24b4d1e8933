// A JSON file that stands alone in the program.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <type_traits>

#include "warploom/base/embedded_file.h"
#include "warploom/base/json.h"

namespace warploom {

// Hands the document of the only one of `files`, and its name for errors, to `read`. Throws InvalidInput
// where "schema" in it is not `schema`.
void read_embedded(std::span<const EmbeddedFile> files, std::string_view schema,
                   const std::function<void(const Json&, std::string_view)>& read);

// What `read` makes of it.
template <class Read>
auto from_embedded(std::span<const EmbeddedFile> files, std::string_view schema, const Read& read) {
  std::optional<std::remove_cvref_t<std::invoke_result_t<Read, const Json&, std::string_view>>> made;
  read_embedded(files, schema,
                [&](const Json& document, std::string_view where) { made.emplace(read(document, where)); });
  return *std::move(made);
}

}  // namespace warploom
