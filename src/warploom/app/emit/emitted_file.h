// A file that an emitted deployment consists of.
#pragma once

#include <string>

namespace warploom {

struct EmittedFile {
  std::string name, contents;  // the name may have a folder before a '/'
};

}  // namespace warploom
