#include "warploom/answers/use_case_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "warploom/answers/flat_request.h"
#include "warploom/manifests/manifest_request.h"

namespace warploom {

void note_left_out(const AnswerWatch& watch, const std::vector<std::string>& left_out) {
  if (!left_out.empty())
    watch.note(fmt::format("manifest: without effect on time, left out: {}", fmt::join(left_out, ", ")));
}

void read_flat_fields(const Json& asked, const FieldTable& table, void* request, const FileScope& files,
                      const AnswerWatch& watch) {
  Json nested = nested_request(asked, table, table.type_name);
  note_left_out(watch, take_manifests(nested, table, SetupUse::Run, files));
  read_fields(nested, table, request, table.type_name);
}

}  // namespace warploom
