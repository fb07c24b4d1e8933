#include "warploom/app/tune/diagnosis.h"

#include <algorithm>

namespace warploom {
namespace {

void add_kernel(std::vector<DiagnosedGroup>& groups, const DiagnosedKernel& kernel) {
  const Family family = family_of(kernel.op);
  auto found = std::find_if(groups.begin(), groups.end(), [&](const DiagnosedGroup& group) {
    return group.label == kernel.label && group.family == family && group.cause == kernel.cause();
  });
  if (found == groups.end()) {
    groups.push_back({.label = kernel.label, .family = family, .cause = kernel.cause()});
    found = groups.end() - 1;
  }
  const double time = kernel.actual.value() * kernel.calls;
  ++found->kernels;
  found->flagged += kernel.gap.flagged() ? 1 : 0;
  found->calls += kernel.calls;
  found->time += Seconds(time);
  found->saved += kernel.gap.saved * kernel.calls;
  found->cause_share += time * (kernel.causes.empty() ? 0 : kernel.causes.front().saved_share);
  found->efficiency += time * kernel.gap.efficiency;
  found->ceiling_efficiency += time * kernel.gap.ceiling_efficiency;
}

}  // namespace

void rank(Diagnosis& diagnosis) {
  diagnosis.groups.clear();
  diagnosis.time = diagnosis.saved = Seconds(0.0);
  std::stable_sort(diagnosis.kernels.begin(), diagnosis.kernels.end(),
                   [](const DiagnosedKernel& a, const DiagnosedKernel& b) {
                     return a.gap.saved.value() * a.calls > b.gap.saved.value() * b.calls;
                   });
  for (const DiagnosedKernel& kernel : diagnosis.kernels) {
    add_kernel(diagnosis.groups, kernel);
    diagnosis.time += kernel.actual * kernel.calls;
    diagnosis.saved += kernel.gap.saved * kernel.calls;
  }
  for (DiagnosedGroup& group : diagnosis.groups)
    for (double* sum : {&group.cause_share, &group.efficiency, &group.ceiling_efficiency})
      *sum /= group.time.value();
  std::stable_sort(
      diagnosis.groups.begin(), diagnosis.groups.end(),
      [](const DiagnosedGroup& a, const DiagnosedGroup& b) { return a.saved.value() > b.saved.value(); });
}

}  // namespace warploom
