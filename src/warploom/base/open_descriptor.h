// A file descriptor that is closed at its end, and folders on the disk.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

namespace warploom {

class OpenDescriptor {
 public:
  explicit OpenDescriptor(int file = -1) : file_(file) {}
  ~OpenDescriptor() { reset(-1); }
  OpenDescriptor(const OpenDescriptor&) = delete;
  OpenDescriptor& operator=(const OpenDescriptor&) = delete;
  int get() const { return file_; }  // negative: none
  void reset(int file) {
    if (file_ >= 0) ::close(file_);
    file_ = file;
  }

 private:
  int file_;
};

// What was renamed into the folder is on the disk when this returns. File systems that cannot say so are left
// as they are.
inline void sync_folder(const std::filesystem::path& folder) {
  const OpenDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0) (void)::fsync(opened.get());
}

}  // namespace warploom
