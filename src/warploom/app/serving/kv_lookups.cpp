#include "warploom/app/serving/kv_lookups.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "warploom/base/embedded_document.h"
#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom/hardware/record_version.h"
#include "warploom_embedded/kv_lookup_files.h"

namespace warploom {
namespace {

LookupTime lookup_of(const Json& document, std::string_view where) {
  const double least = required_number(document, "least_us", where);
  const double usual = required_number(document, "usual_us", where);
  const double most = required_number(document, "most_us", where);
  if (!(0 <= least && least <= usual && usual <= most))
    throw InvalidInput(
        fmt::format("{}: least_us {}, usual_us {}, most_us {}, expected them from 0 on in order", where,
                    least, usual, most));
  return {microseconds(least), microseconds(usual), microseconds(most)};
}

}  // namespace

KvLookups parse_kv_lookups(const Json& document, std::string_view where) {
  check_record_version(document, "warploom_kv_lookups", 1, where);
  const Json& lookups = required_member(document, "lookups", where);
  if (!lookups.is_array()) throw InvalidInput(fmt::format("{}: 'lookups': expected a list", where));
  const auto find = [&](std::string_view of) {
    for (const Json& each : lookups)
      if (text_member_or(each, "of", "") == of) return lookup_of(each, fmt::format("{}: {}", where, of));
    throw InvalidInput(fmt::format("{}: no look-up of a {}, expected one", where, of));
  };
  return {.store = find("store"), .peer = find("peer")};
}

const KvLookups& shipped_kv_lookups() {
  static const KvLookups lookups =
      from_embedded(embedded::kv_lookup_files(), "warploom_kv_lookups", parse_kv_lookups);
  return lookups;
}

}  // namespace warploom
