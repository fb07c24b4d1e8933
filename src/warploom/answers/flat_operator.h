// An operator from fields that stand beside those of a request.
#pragma once

#include <vector>

#include "warploom/app/predict/predict_operator.h"
#include "warploom/base/json.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// The request groups of an attention operator; nullptr: it has none.
std::vector<RequestGroup>* requests_of(Operator& op);
// Whether requests have one new token each unless it is said otherwise.
bool decodes(const Operator& op);

// Takes the operator's fields out of `asked`: {"operator": {...}}, or `family` and its fields, where
// requests that are alike may also be `batch`, `tokens` (new ones of each; one in a decode) and `context`
// (in the cache). Throws InvalidInput as operator_from_json does.
Operator take_operator(Json& asked, std::string_view where);

// The request of `predict` with its operator. Throws InvalidInput also on a key that neither has.
PredictRequest read_predict_request(const Json& asked);

}  // namespace warploom
