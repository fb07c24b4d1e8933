// Which files of this machine may be opened for whoever asks. Every function that takes "a name or a path"
// takes one: names are looked up for everybody, paths only where the scope holds them.
#pragma once

#include <filesystem>
#include <string_view>

namespace warploom {

class FileScope {
 public:
  // No file at all: names of catalogues alone.
  FileScope() = default;
  // Any file: who asks is at this machine, as on the command line, in C and in Python.
  static FileScope machine() noexcept;
  // Files below this folder alone: who asks is a client of a server that keeps the client's files there.
  static FileScope folder(const std::filesystem::path& root);

  bool is_machine() const { return machine_; }
  // The folder below which files lie; empty: none, or any file.
  const std::filesystem::path& root() const { return root_; }
  // Whether this text may be used as a path. Looks at no file; links inside the folder are its owner's.
  bool holds(const std::filesystem::path& path) const;
  // Throws Unsupported unless whoever asks may have this file written; `what` names the field.
  void check_writes(const std::filesystem::path& path, std::string_view what) const;
  // Throws Unsupported unless programs may be started for whoever asks; `what` names the field.
  void check_programs(std::string_view what) const;

 private:
  bool machine_ = false;
  std::filesystem::path root_;  // empty: none
};

}  // namespace warploom
