#include "warploom/app/tune/formula_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/fields.h"
#include "warploom/base/framed_file.h"
#include "warploom_embedded/tuner_files.h"

namespace warploom {
namespace {

constexpr FileFormat kFormulaFormat{.magic = "WLTUNFOR",
                                    .schema = "warploom_tune_formulas",
                                    .name = "formula file of the tuner",
                                    .written_by = "warploom tune learn",
                                    .major = kFormulaFileMajor,
                                    .minor = kFormulaFileMinor,
                                    .oldest_major = kFormulaFileMajor};
// Steps of a coordinate and of how firmly it is held. A thousandth of a logarithm is a tenth of a percent.
constexpr float kCoordinateSteps = 1024, kHeldSteps = 255;
constexpr std::size_t kRecordBytes = 3 * 2 + 4 + kFitted * 3;

template <class T>
T in_steps(float value, float steps) {
  return static_cast<T>(std::clamp(std::round(value * steps), float(std::numeric_limits<T>::min()),
                                   float(std::numeric_limits<T>::max())));
}

void put_formula(ByteWriter& out, const TileConfig& config, const KnownFormula& formula) {
  for (const std::int32_t size : {config.tile_m, config.tile_n, config.tile_k}) out.put(std::uint16_t(size));
  for (const std::int32_t count : {config.warps, config.stages, config.split_k, std::int32_t(formula.slots)})
    out.put(std::uint8_t(count));
  for (const float value : formula.point) out.put(in_steps<std::int16_t>(value, kCoordinateSteps));
  for (const float value : formula.held) out.put(in_steps<std::uint8_t>(value, kHeldSteps));
}

std::pair<TileConfig, KnownFormula> take_formula(ByteReader& in) {
  TileConfig config;
  KnownFormula formula;
  for (std::int32_t* size : {&config.tile_m, &config.tile_n, &config.tile_k})
    *size = in.take<std::uint16_t>();
  for (std::int32_t* count : {&config.warps, &config.stages, &config.split_k})
    *count = in.take<std::uint8_t>();
  formula.slots = in.take<std::uint8_t>();
  for (float& value : formula.point) value = float(in.take<std::int16_t>()) / kCoordinateSteps;
  for (float& value : formula.held) value = float(in.take<std::uint8_t>()) / kHeldSteps;
  return {config, formula};
}

}  // namespace

std::string FormulaFile::file_name() const {
  return fmt::format("{}{}.wlf", name_of(kind), one_byte ? "_fp8" : "");
}

std::string formulas_to_bytes(const FormulaFile& file) {
  Json head = file_head(kFormulaFormat, kFormulaFormat.written_by);
  head["kind"] = name_of(file.kind);
  head["operand_bytes"] = file.one_byte ? 1 : 2;
  head["gpu"] = file.gpu;
  ByteWriter records;
  records.put(std::uint32_t(file.formulas.size()));
  for (const auto& [config, formula] : file.formulas) put_formula(records, config, formula);
  return framed_file(kFormulaFormat, head, records.bytes());
}

FormulaFile formulas_from_bytes(std::string_view bytes, std::string_view where) {
  FramedFile framed = open_framed_file(kFormulaFormat, bytes, where);
  FormulaFile file;
  const std::string kind = framed.head.text("kind");
  file.kind = parse_enum<TileKernelKind>(kind, fmt::format("{}: kind", where));
  file.one_byte = framed.head.count("operand_bytes") == 1;
  file.gpu = framed.head.text("gpu");
  const std::size_t count = framed.records.take_count(kRecordBytes);
  for (std::size_t i = 0; i < count; ++i) file.formulas.insert(take_formula(framed.records));
  framed.finish(kFormulaFormat, where);
  return file;
}

std::optional<FormulaFile> built_in_formulas(const TileKernel& kernel) {
  if (kernel.operand_bytes > 2) return std::nullopt;
  const std::string name = FormulaFile{
      .kind = kernel.kind,
      .one_byte = kernel.operand_bytes == 1,
      .gpu = "",
      .formulas = {}}.file_name();
  for (const EmbeddedFile& file : embedded::tuner_files())
    if (file.name == name) return formulas_from_bytes(file.contents, "built-in " + name);
  return std::nullopt;
}

}  // namespace warploom
