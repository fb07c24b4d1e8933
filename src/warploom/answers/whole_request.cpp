#include "warploom/answers/whole_request.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/answers/flat_operator.h"
#include "warploom/answers/internal/request_reading.h"
#include "warploom/answers/request_schema.h"
#include "warploom/kernels/operator_json.h"
#include "warploom/manifests/manifest_request.h"

namespace warploom {

Json whole_request(std::string_view request, const Json& asked) {
  if (request == fields_of<PredictRequest>().type_name) {
    const PredictRequest read = read_predict_request(asked);
    Json whole = to_json(read);
    whole["operator"] = operator_to_json(read.op);
    return whole;
  }
  for (const DescribedRequest& known : described_requests()) {
    if (known.name != request || known.table == nullptr) continue;
    const std::shared_ptr<void> whole = known.make();
    Json fields = asked;
    (void)take_infinite_rate(fields);
    Json nested = nested_request(fields, *known.table, request);
    (void)take_manifests(nested, *known.table, SetupUse::Run, FileScope::machine());
    read_fields(nested, *known.table, whole.get(), request);
    return write_fields(*known.table, whole.get());
  }
  return asked;
}

}  // namespace warploom
