#include "run_warploom.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace fs = std::filesystem;
namespace {

void redirect(int target, const char* path, int flags) {
  const int descriptor = ::open(path, flags, 0600);
  if (descriptor < 0 || ::dup2(descriptor, target) < 0) ::_exit(126);
}

}  // namespace

ProgramResult run_words(const std::vector<std::string>& given, const fs::path& folder) {
  const ScratchFolder scratch;
  const std::string output = scratch.path() / "output";
  const std::string errors = scratch.path() / "errors";
  std::vector<char*> words;
  for (const std::string& word : given) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    redirect(STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT);
    redirect(STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT);
    if (!folder.empty() && ::chdir(folder.c_str()) != 0) ::_exit(126);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  int status = 0;
  WARPLOOM_ASSERT(child > 0 && ::waitpid(child, &status, 0) == child);
  return {.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .output = read_file(output),
          .errors = read_file(errors)};
}

std::string warploom_program() { return WARPLOOM_PROGRAM; }

ProgramResult run_warploom(const std::vector<std::string>& arguments, const fs::path& folder) {
  std::vector<std::string> words{warploom_program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_words(words, folder);
}

fs::path source_folder() { return WARPLOOM_SOURCE_DIR; }

fs::path data_folder() {
  const char* named = std::getenv("WARPLOOM_DATA");
  const fs::path folder =
      named != nullptr ? fs::path(named) : source_folder().parent_path() / "shared" / "data";
  return fs::is_directory(folder) ? folder : fs::path();
}

}  // namespace warploom
