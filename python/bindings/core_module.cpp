#include <filesystem>
#include <string>

#include "bindings.h"
#include "warploom/base/error.h"

namespace nb = nanobind;

namespace warploom::python {
namespace {

// A file that is not there, by the path that the message begins with.
bool names_missing_file(const std::string& message) {
  const std::string path = message.substr(0, message.find(": "));
  std::error_code unknown;
  return !path.empty() && !std::filesystem::exists(path, unknown);
}

void translate_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const IoError& error) {
    PyErr_SetString(names_missing_file(error.what()) ? PyExc_FileNotFoundError : PyExc_OSError, error.what());
  } catch (const Unsupported& error) {
    PyErr_SetString(PyExc_NotImplementedError, error.what());
  } catch (const Error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  }
}

}  // namespace
}  // namespace warploom::python

NB_MODULE(_core, m) {
  m.doc() = "The compiled part of warploom; use the functions of the package.";
  m.attr("version") = WARPLOOM_VERSION;
  nb::register_exception_translator(warploom::python::translate_error);
  warploom::python::bind_answers(m);
  warploom::python::bind_questions(m);
  warploom::python::bind_steps(m);
  warploom::python::bind_tables(m);
}
