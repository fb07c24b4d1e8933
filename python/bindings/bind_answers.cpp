#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bindings.h"
#include "warploom/answers/answer.h"
#include "warploom/answers/session.h"

namespace nb = nanobind;

namespace warploom::python {
namespace {

constexpr std::chrono::milliseconds kSignalInterval(50);  // how long Ctrl-C may wait to be seen

struct Interrupted {};  // ends a use case from within one of its callbacks

// Python's callables as callbacks of any thread. An exception of theirs ends the answer.
struct PythonWatch {
  nb::object progress, said, noted;
  std::atomic<bool> stopped = false;
  std::optional<nb::python_error> raised;

  template <class... Args>
  void call(const nb::object& callable, Args... arguments) {
    if (stopped) throw Interrupted();
    const nb::gil_scoped_acquire lock;
    try {
      callable(arguments...);
    } catch (nb::python_error& error) {
      if (!raised) raised.emplace(std::move(error));
      stopped = true;
    }
  }

  AnswerWatch watch() {
    AnswerWatch result{.progress = {}, .said = {}, .noted = {}, .cancelled = &stopped};
    if (!progress.is_none())
      result.progress = [this](double done, double total) { call(progress, done, total); };
    if (said.is_none())
      result.said = [this](std::string_view) {
        if (stopped) throw Interrupted();
      };
    else
      result.said = [this](std::string_view line) { call(said, std::string(line)); };
    if (!noted.is_none())
      result.noted = [this](std::string_view line) { call(noted, std::string(line)); };
    return result;
  }
};

// The answer as JSON text. Works in a thread of its own while this one looks for Ctrl-C.
std::string answer_text(const Session& session, const std::string& request, const std::string& fields,
                        const nb::object& progress, const nb::object& said, const nb::object& noted) {
  PythonWatch python{.progress = progress, .said = said, .noted = noted};
  const Json asked = parse_json(fields, request);
  std::string text;
  {
    const nb::gil_scoped_release unlocked;
    auto working = std::async(std::launch::async, [&] {
      try {
        return answer(session, request, asked, python.watch()).dump();
      } catch (const Interrupted&) {
        return std::string();
      }
    });
    while (working.wait_for(kSignalInterval) != std::future_status::ready) {
      const nb::gil_scoped_acquire lock;
      if (!python.raised && PyErr_CheckSignals() != 0) {
        python.raised.emplace();
        python.stopped = true;
      }
    }
    text = working.get();
  }
  if (python.raised) throw std::move(*python.raised);
  return text;
}

}  // namespace

void bind_answers(nb::module_& m) {
  m.def("answered_requests", &answered_requests);
  nb::class_<Session>(m, "Session")
      .def(nb::init<std::string>(), nb::arg("predictor") = "")
      .def_prop_ro("predictor", &Session::predictor)
      .def("answer", &answer_text, nb::arg("request"), nb::arg("fields"), nb::arg("progress") = nb::none(),
           nb::arg("said") = nb::none(), nb::arg("noted") = nb::none());
}

}  // namespace warploom::python
