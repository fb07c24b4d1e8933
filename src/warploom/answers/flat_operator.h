// An operator from fields that stand beside those of a request.
#pragma once

#include <string_view>

#include "warploom/app/predict/predict_operator.h"
#include "warploom/base/json.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// Takes the operator's fields out of `asked`: {"operator": {...}}, or `family` and its fields, where
// requests that are alike may also be said as AlikeRequests are. Throws InvalidInput as
// operator_from_json does.
Operator take_operator(Json& asked, std::string_view where);

// The request of `predict` with its operator. Throws InvalidInput also on a key that neither has.
PredictRequest read_predict_request(const Json& asked);

}  // namespace warploom
