// The temporary folder of a server's uploads. One that was killed leaves its own; the next one removes it.
#pragma once

#include <filesystem>

#include "warploom/base/open_descriptor.h"

namespace warploom {

class UploadFolder {
 public:
  // Makes a folder that is locked as long as this lives, and removes those of this user that nobody has
  // locked. Throws IoError where none can be made.
  UploadFolder();
  ~UploadFolder();
  UploadFolder(const UploadFolder&) = delete;
  UploadFolder& operator=(const UploadFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // With all that is in it; nothing can be put there any more.
  void remove();

 private:
  std::filesystem::path path_;
  OpenDescriptor lock_;
};

}  // namespace warploom
