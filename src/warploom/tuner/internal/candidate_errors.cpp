#include "warploom/tuner/internal/candidate_errors.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom_embedded/candidate_error_files.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_candidate_errors";

CandidateErrors read_errors() {
  const EmbeddedFile& file = embedded::candidate_error_files()[0];
  const std::string where = fmt::format("built-in {}", file.name);
  const Json document = parse_json(file.contents, where);
  if (text_member_or(document, "schema", "") != kSchema)
    throw InvalidInput(fmt::format("{}: expected schema {}", where, kSchema));
  const Json& errors = required_member(document, "errors", where);
  const Json& limit = required_member(document, "between_sectors", where);
  return {.shape = required_number(errors, "shape", where),
          .tile = required_number(errors, "tile", where),
          .config = required_number(errors, "config", where),
          .between_sectors = {.row_us = required_number(limit, "row_us", where),
                              .byte_us = required_number(limit, "byte_us", where),
                              .sharpness = required_number(limit, "sharpness", where)}};
}

}  // namespace

const CandidateErrors& candidate_errors() {
  static const CandidateErrors errors = read_errors();
  return errors;
}

}  // namespace warploom
