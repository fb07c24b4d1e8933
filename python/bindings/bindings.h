// The parts of warploom._core.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

#include "warploom/answers/answer_watch.h"

namespace warploom::python {

// Tells a callable of Python, or None, what an answer notes; called by the thread that asks, which holds the
// lock of Python.
inline AnswerWatch notes_to(const nanobind::object& noted) {
  AnswerWatch watch;
  if (!noted.is_none()) watch.noted = [noted](std::string_view line) { noted(std::string(line)); };
  return watch;
}

void bind_answers(nanobind::module_& m);    // Session, answered_requests
void bind_questions(nanobind::module_& m);  // Question
void bind_steps(nanobind::module_& m);      // Step
void bind_tables(nanobind::module_& m);     // TuneTable

}  // namespace warploom::python
