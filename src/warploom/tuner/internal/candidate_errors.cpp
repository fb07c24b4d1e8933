#include "warploom/tuner/internal/candidate_errors.h"

#include <nlohmann/json.hpp>

#include "warploom/base/embedded_document.h"
#include "warploom/base/json_members.h"
#include "warploom_embedded/candidate_error_files.h"

namespace warploom {
namespace {

CandidateErrors read_errors(const Json& document, std::string_view where) {
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
  static const CandidateErrors errors =
      from_embedded(embedded::candidate_error_files(), "warploom_candidate_errors", read_errors);
  return errors;
}

}  // namespace warploom
