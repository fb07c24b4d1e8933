// The typed errors of bad input and of the environment. A message says what is wrong, where, and what was
// expected. Ordinary outcomes (no free block, an infeasible plan) are return values, never exceptions;
// bugs are WARPLOOM_ASSERT. The command line turns InvalidInput, NotFound and Unsupported into exit status 2
// and IoError into exit status 2 when the input cannot be read.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace warploom {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A value, file or combination that cannot be used as given.
class InvalidInput : public Error {
 public:
  using Error::Error;
};

// A name (GPU, model, column, key) that does not exist.
class NotFound : public Error {
 public:
  using Error::Error;
};

// A file or stream that cannot be read or written.
class IoError : public Error {
 public:
  using Error::Error;
};

// Something well-formed that this version does not model. It is refused, never approximated silently.
class Unsupported : public Error {
 public:
  using Error::Error;
};

namespace detail {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);
}  // namespace detail

}  // namespace warploom

// An invariant of the program itself. Checked in every build type: its cost is never in a hot loop.
#define WARPLOOM_ASSERT(expression) \
  ((expression) ? void(0) : ::warploom::detail::assertion_failed(#expression, __FILE__, __LINE__))

// Where no path of the program leads: `what` says what would have had to be.
#define WARPLOOM_NEVER(what) ::warploom::detail::assertion_failed(what, __FILE__, __LINE__)
