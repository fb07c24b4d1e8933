// Output that was taken and could not be written: a full disk, a closed pipe. The fault is not the input's,
// so that the command line ends with another status than for bad input.
#pragma once

#include "warploom/base/error.h"

namespace warploom {

class WriteFailed : public IoError {
 public:
  using IoError::IoError;
};

}  // namespace warploom
