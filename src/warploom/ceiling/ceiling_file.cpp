#include "warploom/ceiling/ceiling_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"
#include "warploom/base/framed_file.h"
#include "warploom/ceiling/ceiling_features.h"

namespace warploom {
namespace {

constexpr FileFormat kFormat{.magic = "WLCEILNG",
                             .schema = "warploom_ceiling",
                             .name = "ceiling file",
                             .written_by = "warploom train-ceilings",
                             .major = kCeilingFileMajor,
                             .minor = kCeilingFileMinor,
                             .oldest_major = kCeilingFileMajor};

void read_head(const FileHead& head, FamilyCeiling& ceiling, std::string_view where) {
  head.check_features(kCeilingFeatureVersion);
  ceiling.family = parse_enum<Family>(head.text("family"), fmt::format("{}: 'family' in the head", where));
  ceiling.data_hash = head.hash("data_hash");
  ceiling.seed = head.count("seed");
  ceiling.test_fraction = head.number("test_fraction");
  ceiling.split_seed = head.count("split_seed");
  ceiling.rows = head.count("rows");
  ceiling.gpus = head.texts("gpus");
}

}  // namespace

std::string ceiling_to_bytes(const FamilyCeiling& ceiling) {
  Json head = file_head(kFormat, kFormat.written_by);
  head["family"] = name_of(ceiling.family);
  head["feature_version"] = kCeilingFeatureVersion;
  head["data_hash"] = hash_text(ceiling.data_hash);
  head["seed"] = ceiling.seed;
  head["test_fraction"] = ceiling.test_fraction;
  head["split_seed"] = ceiling.split_seed;
  head["rows"] = ceiling.rows;
  head["gpus"] = ceiling.gpus;
  ByteWriter records;
  records.put(ceiling.location_offset);
  records.put_text(ceiling.location);
  records.put(ceiling.spread_offset);
  records.put_text(ceiling.spread);
  for (const float value : ceiling.z) records.put(value);
  return framed_file(kFormat, head, records.bytes());
}

FamilyCeiling ceiling_from_bytes(std::string_view bytes, std::string_view where) {
  FramedFile file = open_framed_file(kFormat, bytes, where);
  FamilyCeiling ceiling;
  read_head(file.head, ceiling, where);
  ByteReader& in = file.records;
  ceiling.location_offset = in.take<float>();
  ceiling.location = in.take_text();
  ceiling.spread_offset = in.take<float>();
  ceiling.spread = in.take_text();
  for (float& value : ceiling.z) value = in.take<float>();
  file.finish(kFormat, where);
  if (!std::is_sorted(ceiling.z.begin(), ceiling.z.end()))
    throw InvalidInput(fmt::format("{}: the ceiling file's quantiles do not ascend", where));
  return ceiling;
}

std::string ceiling_file_name(Family family) {
  return fmt::format("{}{}", name_of(family), kCeilingFileSuffix);
}

}  // namespace warploom
