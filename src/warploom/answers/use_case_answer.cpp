#include "warploom/answers/use_case_answer.h"

#include <nlohmann/json.hpp>

#include "warploom/answers/flat_request.h"
#include "warploom/manifests/manifest_request.h"

namespace warploom {

void read_flat_fields(const Json& asked, const FieldTable& table, void* request, const FileScope& files) {
  Json nested = nested_request(asked, table, table.type_name);
  (void)take_manifests(nested, table, SetupUse::Run, files);
  read_fields(nested, table, request, table.type_name);
}

}  // namespace warploom
