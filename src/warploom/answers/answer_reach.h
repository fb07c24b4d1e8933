// What a request does beside computing, and who may ask it. It stands on the request itself, in its answer
// table; where nothing stands, the request is closed.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace warploom {

enum class AnswerAccess {
  Machine,  // may write any file and start programs: for callers at this machine alone
  Clients,  // reads what `files` name and computes: clients of a server may ask it too
};

using AnswerFiles = std::array<std::string_view, 16>;

struct AnswerReach {
  AnswerAccess access = AnswerAccess::Machine;
  bool is_short = false;  // answered within milliseconds, whatever is asked
  // The fields, at any depth, in which a client may name files that it sent.
  AnswerFiles files{};
  // The field whose file may be kept for the client; empty: none.
  std::string_view output;

  bool takes_files(std::string_view field) const {
    return !field.empty() && std::find(files.begin(), files.end(), field) != files.end();
  }
};

}  // namespace warploom
