#include "warploom/kernels/operator_coordinates.h"

#include <algorithm>

#include "warploom/kernels/operator_family.h"

namespace warploom {

void OperatorCoordinates::add_requests(const std::vector<RequestGroup>& groups) {
  double requests = 0, queries = 0, context = 0;
  for (const RequestGroup& group : groups) {
    requests += double(group.count);
    queries += double(group.count * group.query_tokens);
    context += double(group.count * group.context_tokens);
  }
  add_sizes(requests, queries / std::max(requests, 1.0), context / std::max(requests, 1.0));
}

OperatorCoordinates operator_coordinates(const Operator& op) {
  OperatorCoordinates result;
  result.add_variant(family_of(op));
  family_value(op).coordinates(result, op);
  return result;
}

}  // namespace warploom
