#include "warploom/answers/use_case_answer.h"

#include <nlohmann/json.hpp>

#include "warploom/answers/flat_request.h"

namespace warploom {

void read_flat_fields(const Json& asked, const FieldTable& table, void* request) {
  read_fields(nested_request(asked, table, table.type_name), table, request, table.type_name);
}

}  // namespace warploom
