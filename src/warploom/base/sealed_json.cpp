#include "warploom/base/sealed_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"

namespace warploom {
namespace {

// A key that starts with '_' is a note, which programs without seals skip.
constexpr const char* kSealKey = "_hash";

std::string seal_of(const Json& document) {
  return fmt::format("{:016x}", hash_bytes(document.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

}  // namespace

void write_sealed_json(const std::filesystem::path& path, const Json& document) {
  Json sealed = document;
  sealed[kSealKey] = seal_of(document);
  write_json_file(path, sealed);
}

void check_seal(const Json& document, std::string_view where) {
  if (!document.is_object() || !document.contains(kSealKey)) return;
  Json rest = document;
  rest.erase(kSealKey);
  if (document[kSealKey] == seal_of(rest)) return;
  throw InvalidInput(
      fmt::format("{}: is damaged or was edited ('{}' is not the hash of the rest), expected the file as it "
                  "was written, or none of that key in one of your own",
                  where, kSealKey));
}

}  // namespace warploom
