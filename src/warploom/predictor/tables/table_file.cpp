#include "warploom/predictor/tables/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/base/json.h"

namespace warploom {
namespace {

constexpr std::string_view kMagic = "WLTABLES";
constexpr std::size_t kChecksumSize = 8;

void put_records(ByteWriter& out, const FamilyTables& tables) {
  out.put(std::uint32_t(tables.corrections.size()));
  for (const CorrectionRecord& correction : tables.corrections) {
    out.put_all(correction.weights);
    out.put_all(correction.features);
    out.put_text(correction.trees);
  }
  out.put(std::uint32_t(tables.intervals.size()));
  for (const LogInterval& interval : tables.intervals) {
    for (const float value : interval.low) out.put(value);
    for (const float value : interval.high) out.put(value);
  }
  tables.residuals.write(out);
}

void take_records(ByteReader& in, FamilyTables& tables) {
  tables.corrections.resize(in.take_count(12));
  for (CorrectionRecord& correction : tables.corrections) {
    correction.weights = in.take_all<float>();
    correction.features = in.take_all<std::uint16_t>();
    correction.trees = in.take_text();
  }
  tables.intervals.resize(in.take_count(8));
  for (LogInterval& interval : tables.intervals) {
    for (float& value : interval.low) value = in.take<float>();
    for (float& value : interval.high) value = in.take<float>();
  }
  tables.residuals = ResidualTable::read(in);
}

void check_records(const FamilyTables& tables, const FamilyModel& model, std::string_view where) {
  bool sound = (tables.corrections.size() == model.gpus.size() || tables.corrections.size() == 1) &&
               tables.intervals.size() <= model.cells.size();
  for (const CorrectionRecord& correction : tables.corrections)
    sound = sound && correction.features.size() <= std::size_t(kMaxFeatures) &&
            (correction.trees.empty() || correction.weights.size() == kMaxGuesses) &&
            std::all_of(correction.features.begin(), correction.features.end(),
                        [](std::uint16_t f) { return f < TableFeatures::kMost; });
  for (std::size_t c = 0; c < tables.intervals.size(); ++c)
    sound = sound && model.cells[c].gpu < model.gpus.size();
  if (!sound) throw InvalidInput(fmt::format("{}: the tables' records contradict each other", where));
}

void read_head(const Json& head, const FamilyModel& model, std::uint64_t model_hash, FamilyTables& tables,
               std::string_view where) {
  if (head.at("feature_version").get<int>() != kFeatureVersion)
    throw Unsupported(
        fmt::format("{}: made for feature version {}, but this program computes version {}: train again",
                    where, head.at("feature_version").get<int>(), kFeatureVersion));
  if (head.at("model_hash").get<std::string>() != fmt::format("{:016x}", model_hash))
    throw InvalidInput(
        fmt::format("{}: these tables belong to another predictor file: train both together", where));
  const auto family = enum_from_name<Family>(head.at("family").get<std::string>());
  if (!family || *family != model.family)
    throw InvalidInput(fmt::format("{}: tables of family {}, expected {}", where, head.at("family").dump(),
                                   name_of(model.family)));
  tables.family = *family;
  tables.created_by = head.at("created_by").get<std::string>();
  tables.model_hash = model_hash;
}

}  // namespace

std::string tables_to_bytes(const FamilyTables& tables) {
  Json head;
  head["schema"] = "warploom_tables";
  head["version"] = fmt::format("{}.{}", kTableFileMajor, kTableFileMinor);
  head["created_by"] = tables.created_by;
  head["family"] = name_of(tables.family);
  head["feature_version"] = kFeatureVersion;
  head["model_hash"] = fmt::format("{:016x}", tables.model_hash);
  ByteWriter out;
  for (const char c : kMagic) out.put(c);
  out.put(kTableFileMajor);
  out.put(kTableFileMinor);
  out.put_text(head.dump());
  put_records(out, tables);
  out.put(hash_bytes(out.bytes()));
  return out.bytes();
}

FamilyTables tables_from_bytes(std::string_view bytes, const FamilyModel& model, std::uint64_t model_hash,
                               std::string_view where) {
  if (bytes.size() < kMagic.size() + 8 + kChecksumSize || bytes.substr(0, kMagic.size()) != kMagic)
    throw InvalidInput(fmt::format("{}: not a file of tables (expected it to start with {})", where, kMagic));
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumSize);
  ByteReader in(body, where);
  in.take_bytes(kMagic.size());
  const auto major = in.take<std::uint32_t>();
  const auto minor = in.take<std::uint32_t>();
  if (major > kTableFileMajor)
    throw Unsupported(fmt::format("{}: tables of version {}.{}, but this program reads up to version {}.{}",
                                  where, major, minor, kTableFileMajor, kTableFileMinor));
  ByteReader tail(bytes.substr(body.size()), where);
  if (tail.take<std::uint64_t>() != hash_bytes(body))
    throw InvalidInput(fmt::format("{}: the tables are damaged (their checksum does not match)", where));
  const Json head = parse_json(in.take_text(), where);
  FamilyTables tables;
  try {
    read_head(head, model, model_hash, tables, where);
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(fmt::format("{}: the head of the tables: {}", where, error.what()));
  }
  take_records(in, tables);
  check_records(tables, model, where);
  return tables;
}

std::filesystem::path table_path(Family family, const std::filesystem::path& folder) {
  return folder / fmt::format("{}{}", name_of(family), kTableFileSuffix);
}

void write_tables(const FamilyTables& tables, const std::filesystem::path& folder) {
  write_file_atomically(table_path(tables.family, folder), tables_to_bytes(tables));
}

}  // namespace warploom
