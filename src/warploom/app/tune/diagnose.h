// Use case `diagnose`: which kernels run below what their shape has been seen to reach, why, and what
// reaching it would buy.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/data/import_data.h"
#include "warploom/app/serving/price_static_batch.h"
#include "warploom/app/tune/diagnosis.h"
#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"

namespace warploom {

struct DiagnoseRequest {
  std::string gpu;           // name, alias or path of a record
  MeasurementSource source;  // measured kernels, of Warploom's own layout unless it names another; or
  // a predicted static batch, with the figures that `static` gives it: kernels of one step of all prompts,
  // and of a decode step at half the output for each further token. What StepKernels prices is left out:
  // no kernel of it was measured.
  std::optional<StaticBatchRequest> workload;
  std::string ceilings;  // folder that train-ceilings wrote; empty: those linked into the program
  FileScope files = FileScope::machine();  // where names may be paths
  double quantile = 0.8;
  std::vector<std::string> views;  // of the diagnosis, beside its figures: kDiagnosisViews
  static FieldTable describe();
};
constexpr std::array<std::string_view, 1> kDiagnosisViews{"rooflines"};  // a page

// Measured rows count once each; rows of a trace as often as the trace holds them. Throws InvalidInput on
// a source without any kernel with a shape (saying what was left out), a quantile out of range, a batch
// on another GPU; what the readers and resolve_serving throw.
// `latency` prices a workload; measured kernels need none.
Diagnosis diagnose(const DiagnoseRequest& request, std::shared_ptr<const LatencyModel> latency);
Diagnosis diagnose(const DiagnoseRequest& request);  // opens the predictor of the workload

}  // namespace warploom
