#include "warploom/app/tune/correction_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/framed_file.h"
#include "warploom/tuner/time_correction.h"

namespace warploom {
namespace {

constexpr FileFormat kFormat{.magic = "WLTUNCOR",
                             .schema = "warploom_tune_correction",
                             .name = "correction file of the tuner",
                             .written_by = "warploom tune learn",
                             .major = kCorrectionFileMajor,
                             .minor = kCorrectionFileMinor,
                             .oldest_major = kCorrectionFileMajor};

std::string_view rows_text(const CorrectionKind& kind) { return kind.unaligned ? "unaligned" : "aligned"; }

}  // namespace

std::string CorrectionKind::file_name() const {
  return fmt::format("{}{}{}.wlc", name_of(kind), one_byte ? "_fp8" : "", unaligned ? "_unaligned" : "");
}

std::string correction_to_bytes(const CorrectionKind& kind, const CorrectionFile& file) {
  Json head = file_head(kFormat, kFormat.written_by);
  head["kind"] = name_of(kind.kind);
  head["operand_bytes"] = kind.one_byte ? 1 : 2;
  head["rows"] = rows_text(kind);
  head["feature_version"] = kCorrectionFeatureVersion;
  head["gpus"] = file.gpus;
  ByteWriter records;
  records.put_text(encode_symmetric(file.trees));
  return framed_file(kFormat, head, records.bytes());
}

CorrectionFile correction_from_bytes(std::string_view bytes, const CorrectionKind& kind,
                                     std::string_view where) {
  FramedFile file = open_framed_file(kFormat, bytes, where);
  file.head.check_features(kCorrectionFeatureVersion);
  if (file.head.text("kind") != name_of(kind.kind) ||
      file.head.count("operand_bytes") != (kind.one_byte ? 1U : 2U) ||
      file.head.text("rows") != rows_text(kind))
    throw InvalidInput(
        fmt::format("{}: holds the correction of {} rows of {} with operands of {} bytes, "
                    "expected that of {}",
                    where, file.head.text("rows"), file.head.text("kind"), file.head.count("operand_bytes"),
                    kind.file_name()));
  CorrectionFile correction;
  if (file.minor > 0) correction.gpus = file.head.texts("gpus");
  const std::string_view trees = file.records.take_text();
  file.finish(kFormat, where);
  correction.trees = decode_symmetric(trees, where);
  return correction;
}

}  // namespace warploom
