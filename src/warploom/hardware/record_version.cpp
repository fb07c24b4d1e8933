#include "warploom/hardware/record_version.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/sealed_json.h"

namespace warploom {

void check_record_version(const Json& document, std::string_view schema, std::int64_t version,
                          std::string_view where) {
  if (!document.is_object())
    throw InvalidInput(fmt::format("{}: is not a JSON object, expected a record", where));
  check_seal(document, where);
  if (const auto found = document.find("schema"); found != document.end() && *found != schema) {
    throw InvalidInput(fmt::format("{}: 'schema' is {}, expected \"{}\"", where, found->dump(), schema));
  }
  const auto found = document.find("version");
  if (found == document.end()) return;
  if (!found->is_number_integer() || found->get<std::int64_t>() < 1) {
    throw InvalidInput(fmt::format("{}: 'version' is {}, expected a positive integer", where, found->dump()));
  }
  if (found->get<std::int64_t>() > version) {
    throw Unsupported(
        fmt::format("{}: 'version' is {}, this program reads up to {}", where, found->dump(), version));
  }
}

}  // namespace warploom
