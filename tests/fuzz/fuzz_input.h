// What the fuzzing targets share. Each is one function from bytes to nothing: what a reader refuses is fine,
// anything else that leaves it ends the program, which libFuzzer reports with the input.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "warploom/base/error.h"

namespace warploom::fuzz {

// The rest of the input behind its first byte, which says what it is given to.
struct Input {
  Input(const std::uint8_t* data, std::size_t size)
      : choice(size > 0 ? data[0] : 0),
        bytes(size > 0 ? std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1)
                       : std::string_view()) {}
  std::uint8_t choice;
  std::string_view bytes;
};

// Words of a library count where they are not the input's own.
template <class Read>
void read_or_refused(const Input& input, const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string_view words = error.what();
    for (const char* foreign : {"json.exception", "yaml-cpp", "bad conversion", "basic_string", "std::"})
      if (words.find(foreign) != words.npos && input.bytes.find(foreign) == input.bytes.npos) {
        std::fprintf(stderr, "a library's words: %s\n", error.what());
        std::abort();
      }
  }
}

// A folder of its own in memory where there is one; files of it are written anew for each input.
class Files {
 public:
  Files() {
    std::string pattern = std::filesystem::is_directory("/dev/shm") ? "/dev/shm/warploom-fuzz-XXXXXX"
                                                                    : "/tmp/warploom-fuzz-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    folder_ = pattern;
  }
  ~Files() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    std::ofstream(folder_ / name, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return folder_ / name;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace warploom::fuzz
