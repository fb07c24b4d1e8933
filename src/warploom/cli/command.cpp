#include "warploom/cli/command.h"

#include <cstdio>

#include "warploom/base/write_failed.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"

namespace warploom {

void add_json_option(Command& command, bool& json) {
  command.add_flag("--json", json, "one JSON document on standard output, nothing else")
      ->group(std::string(kOutputGroup));
}

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) throw WriteFailed("standard output: cannot be written");
}

void print_note(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fputc('\n', stderr);
}

}  // namespace warploom
