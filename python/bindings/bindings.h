// The parts of warploom._core.
#pragma once

#include <nanobind/nanobind.h>

namespace warploom::python {

void bind_answers(nanobind::module_& m);    // Session, answered_requests
void bind_questions(nanobind::module_& m);  // Question
void bind_steps(nanobind::module_& m);      // Step
void bind_tables(nanobind::module_& m);     // TuneTable

}  // namespace warploom::python
