// JSON seam: the document type by forward declaration, and the codec of described structs (base/fields.h).
// Sources that build documents by hand include <nlohmann/json.hpp> themselves.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "warploom/base/fields.h"

namespace warploom {

using Json = nlohmann::ordered_json;

// Parses text. `where` names the source in errors. Throws InvalidInput with line and column.
Json parse_json(std::string_view text, std::string_view where);
// Reads and parses a file (gzip allowed). Throws IoError or InvalidInput.
Json read_json_file(const std::filesystem::path& path);
// Writes pretty-printed JSON with a final newline, whole or not at all.
void write_json_file(const std::filesystem::path& path, const Json& document);
// Pretty-printed text with a final newline; bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& document);

// Reads the keys of `document` into `object`. Throws InvalidInput on a document that is not an object, an
// unknown key (with the nearest name), a missing required key, a wrong type, or a value out of range.
// Keys that start with '_' or equal "schema", "version", "created_by" or "source" are notes: skipped unless
// the table has them. The object is unchanged when an error is thrown only if the caller reads into a copy.
void read_fields(const Json& document, const FieldTable& table, void* object, std::string_view where);
Json write_fields(const FieldTable& table, const void* object);
// Null for no value.
Json json_of(const FieldValue& value);

// Not called from_json: a call with a Json argument would find nlohmann's functions of that name as well.
template <Described T>
T object_from_json(const Json& document, std::string_view where) {
  T object;
  read_fields(document, fields_of<T>(), &object, where);
  return object;
}

// Callers include <nlohmann/json.hpp>, since Json is complete only there.
template <Described T, class Document = Json>
Document to_json(const T& object) {
  return write_fields(fields_of<T>(), &object);
}

}  // namespace warploom
