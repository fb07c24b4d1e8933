#include "warploom/judge/validate/static_validation.h"

#include <limits>

namespace warploom {

void PhaseErrors::add(const std::optional<Comparison>& figure) {
  if (!figure) return;
  errors.push_back(figure->error());
  biases.push_back(figure->bias());
}

StaticErrors static_errors(const std::vector<StaticValidationRow>& rows) {
  StaticErrors errors;
  double inside = 0;
  for (const StaticValidationRow& row : rows) {
    errors.prefill.add(row.prefill);
    errors.decode.add(row.decode);
    errors.total.add(row.total);
    if (row.total_p10 <= row.total.measured && row.total.measured <= row.total_p90) inside += 1;
  }
  errors.coverage = rows.empty() ? std::numeric_limits<double>::quiet_NaN() : inside / double(rows.size());
  return errors;
}

}  // namespace warploom
