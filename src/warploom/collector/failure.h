// What goes wrong in a sweep, by what the caller can do about it.
#pragma once

#include <stdexcept>

namespace warploom::collector {

// The input or the machine is not fit for a sweep; the message says what, where and what to do. Exit status
// 2.
struct BadInput : std::runtime_error {
  using runtime_error::runtime_error;
};

// Files cannot be written or read. What was measured before is kept. Exit status 1.
struct FileFailure : std::runtime_error {
  using runtime_error::runtime_error;
};

// This operator cannot be measured on this device (type, size or memory); the sweep goes on.
struct Unmeasurable : std::runtime_error {
  using runtime_error::runtime_error;
};

// The device no longer answers; the sweep ends, what was measured is kept. Exit status 1.
struct DeviceLost : std::runtime_error {
  using runtime_error::runtime_error;
};

}  // namespace warploom::collector
