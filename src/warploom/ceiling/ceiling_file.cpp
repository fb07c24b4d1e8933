#include "warploom/ceiling/ceiling_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/base/json.h"
#include "warploom/ceiling/ceiling_features.h"

namespace warploom {
namespace {

constexpr std::string_view kMagic = "WLCEILNG";
constexpr std::size_t kChecksumSize = 8;

Json head_of(const FamilyCeiling& ceiling) {
  Json head;
  head["schema"] = "warploom_ceiling";
  head["version"] = fmt::format("{}.{}", kCeilingFileMajor, kCeilingFileMinor);
  head["created_by"] = "warploom train-ceilings";
  head["family"] = name_of(ceiling.family);
  head["feature_version"] = kCeilingFeatureVersion;
  head["data_hash"] = fmt::format("{:016x}", ceiling.data_hash);
  head["seed"] = ceiling.seed;
  head["test_fraction"] = ceiling.test_fraction;
  head["split_seed"] = ceiling.split_seed;
  head["rows"] = ceiling.rows;
  head["gpus"] = ceiling.gpus;
  return head;
}

void read_head(const Json& head, FamilyCeiling& ceiling, std::string_view where) {
  if (const int version = head.at("feature_version").get<int>(); version != kCeilingFeatureVersion)
    throw Unsupported(fmt::format("{}: learned from features {}, this program has features {}: train again",
                                  where, version, kCeilingFeatureVersion));
  ceiling.family = parse_enum<Family>(head.at("family").get<std::string>(), std::string(where));
  ceiling.data_hash = std::stoull(head.at("data_hash").get<std::string>(), nullptr, 16);
  ceiling.seed = head.at("seed").get<std::uint64_t>();
  ceiling.test_fraction = head.at("test_fraction").get<double>();
  ceiling.split_seed = head.at("split_seed").get<std::uint64_t>();
  ceiling.rows = head.at("rows").get<std::uint64_t>();
  ceiling.gpus = head.at("gpus").get<std::vector<std::string>>();
}

void check_frame(std::string_view bytes, std::string_view where) {
  if (bytes.size() < kMagic.size() + 8 + kChecksumSize || bytes.substr(0, kMagic.size()) != kMagic)
    throw InvalidInput(fmt::format("{}: is no ceiling file, expected one that train-ceilings wrote", where));
  ByteReader version(bytes.substr(kMagic.size()), where);
  const auto major = version.take<std::uint32_t>();
  if (major != kCeilingFileMajor)
    throw Unsupported(
        fmt::format("{}: ceiling file version {}, this program reads {}", where, major, kCeilingFileMajor));
  ByteReader checksum(bytes.substr(bytes.size() - kChecksumSize), where);
  if (checksum.take<std::uint64_t>() != hash_bytes(bytes.substr(0, bytes.size() - kChecksumSize)))
    throw InvalidInput(fmt::format("{}: the ceiling file is damaged (its checksum does not match)", where));
}

}  // namespace

std::string ceiling_to_bytes(const FamilyCeiling& ceiling) {
  ByteWriter out;
  for (const char c : kMagic) out.put(c);
  out.put(kCeilingFileMajor);
  out.put(kCeilingFileMinor);
  out.put_text(head_of(ceiling).dump());
  out.put(ceiling.location_offset);
  out.put_text(ceiling.location);
  out.put(ceiling.spread_offset);
  out.put_text(ceiling.spread);
  for (const float value : ceiling.z) out.put(value);
  std::string bytes = out.bytes();
  ByteWriter checksum;
  checksum.put(hash_bytes(bytes));
  return bytes + checksum.bytes();
}

FamilyCeiling ceiling_from_bytes(std::string_view bytes, std::string_view where) {
  check_frame(bytes, where);
  ByteReader in(bytes.substr(kMagic.size() + 8, bytes.size() - kMagic.size() - 8 - kChecksumSize), where);
  FamilyCeiling ceiling;
  const Json head = parse_json(in.take_text(), where);
  try {
    read_head(head, ceiling, where);
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(fmt::format("{}: the ceiling file's head: {}", where, error.what()));
  } catch (const std::logic_error&) {
    throw InvalidInput(fmt::format("{}: the ceiling file's 'data_hash' is no number", where));
  }
  ceiling.location_offset = in.take<float>();
  ceiling.location = in.take_text();
  ceiling.spread_offset = in.take<float>();
  ceiling.spread = in.take_text();
  for (float& value : ceiling.z) value = in.take<float>();
  if (!in.at_end() || !std::is_sorted(ceiling.z.begin(), ceiling.z.end()))
    throw InvalidInput(fmt::format("{}: the ceiling file's records contradict each other", where));
  return ceiling;
}

void write_ceiling(const FamilyCeiling& ceiling, const std::filesystem::path& folder) {
  write_file_atomically(folder / fmt::format("{}{}", name_of(ceiling.family), kCeilingFileSuffix),
                        ceiling_to_bytes(ceiling));
}

}  // namespace warploom
