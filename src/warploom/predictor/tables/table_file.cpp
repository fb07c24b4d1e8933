#include "warploom/predictor/tables/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/framed_file.h"

namespace warploom {
namespace {

constexpr FileFormat kFormat{.magic = "WLTABLES",
                             .schema = "warploom_tables",
                             .name = "file of measured tables",
                             .written_by = "warploom train --tables",
                             .major = kTableFileMajor,
                             .minor = kTableFileMinor,
                             .oldest_major = kTableFileMajor};

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

void read_head(const FileHead& head, const FamilyModel& model, std::uint64_t model_hash, FamilyTables& tables,
               std::string_view where) {
  head.check_features(kFeatureVersion);
  if (head.hash("model_hash") != model_hash)
    throw InvalidInput(
        fmt::format("{}: these tables belong to another predictor file: train both together", where));
  tables.family = parse_enum<Family>(head.text("family"), fmt::format("{}: 'family' in the head", where));
  if (tables.family != model.family)
    throw InvalidInput(fmt::format("{}: tables of family {}, expected {}", where, name_of(tables.family),
                                   name_of(model.family)));
  tables.created_by = head.text("created_by");
  tables.model_hash = model_hash;
}

}  // namespace

std::string tables_to_bytes(const FamilyTables& tables) {
  Json head = file_head(kFormat, tables.created_by);
  head["family"] = name_of(tables.family);
  head["feature_version"] = kFeatureVersion;
  head["model_hash"] = hash_text(tables.model_hash);
  ByteWriter records;
  put_records(records, tables);
  return framed_file(kFormat, head, records.bytes());
}

FamilyTables tables_from_bytes(std::string_view bytes, const FamilyModel& model, std::uint64_t model_hash,
                               std::string_view where) {
  FramedFile file = open_framed_file(kFormat, bytes, where);
  FamilyTables tables;
  read_head(file.head, model, model_hash, tables, where);
  take_records(file.records, tables);
  file.finish(kFormat, where);
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
