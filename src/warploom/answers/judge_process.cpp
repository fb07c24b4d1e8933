#include "warploom/answers/judge_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "warploom/base/judging.h"

// POSIX has it so.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
extern char** environ;

namespace warploom {
namespace {

constexpr int kLookInterval = 50;  // ms until a cancelled question is seen

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  void take(int number) {
    close();
    number_ = number;
  }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

[[noreturn]] void fail(std::string_view what) {
  throw IoError(fmt::format("warploom-judge: {}: {}", what, std::strerror(errno)));
}

// The question lies in memory as a whole: the program may end before it has read it.
void write_question(const Descriptor& file, const std::string& text) {
  if (file.number() < 0) fail("no room for the question");
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = ::write(file.number(), text.data() + at, text.size() - at);
    if (count < 0) fail("the question cannot be written");
    at += std::size_t(count);
  }
  ::lseek(file.number(), 0, SEEK_SET);
}

// The started program; ended, if it still runs, with this object.
class JudgeProcess {
 public:
  JudgeProcess(const std::filesystem::path& program, const std::string& question) {
    const Descriptor input(::memfd_create("question", MFD_CLOEXEC));
    write_question(input, question);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("no pipe");
    output_.take(ends[0]);
    const Descriptor written(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, input.number(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, written.number(), STDOUT_FILENO);
    std::string name = program.string(), option = "--answer";
    std::array<char*, 3> words{name.data(), option.data(), nullptr};
    const int failed = ::posix_spawn(&process_, name.c_str(), &actions, nullptr, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
      process_ = -1;
      errno = failed;
      fail("cannot be started");
    }
  }
  ~JudgeProcess() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    (void)wait();
  }
  JudgeProcess(const JudgeProcess&) = delete;
  JudgeProcess& operator=(const JudgeProcess&) = delete;

  // Its next line; nothing: none came within the interval. `ended` is set behind the last.
  std::optional<std::string> line() {
    for (;;) {
      if (const std::size_t end = read_.find('\n'); end != read_.npos) {
        std::string line = read_.substr(0, end);
        read_.erase(0, end + 1);
        return line;
      }
      pollfd ready{.fd = output_.number(), .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, kLookInterval) <= 0) return std::nullopt;
      std::array<char, 1 << 16> part{};
      const ssize_t count = ::read(output_.number(), part.data(), part.size());
      if (count < 0 && errno == EINTR) continue;
      ended = count <= 0;
      if (ended) return std::nullopt;
      read_.append(part.data(), std::size_t(count));
    }
  }

  // How it ended, in words.
  std::string wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                               : fmt::format("ended with {} and no answer", WEXITSTATUS(status));
  }

  bool ended = false;

 private:
  pid_t process_ = -1;
  Descriptor output_;
  std::string read_;
};

[[noreturn]] void throw_told(const Json& error) {
  const std::string kind = error.at("kind"), message = error.at("message");
  if (kind == "not_found") throw NotFound(message);
  if (kind == "io_error") throw IoError(message);
  if (kind == "unsupported") throw Unsupported(message);
  if (kind == "invalid_input") throw InvalidInput(message);
  throw std::runtime_error(message);
}

// The answer, once the line is the last one.
std::optional<Json> answer_in(const Json& line, const AnswerWatch& watch) {
  if (line.contains("error")) throw_told(line["error"]);
  if (line.contains("answer")) return line["answer"];
  if (line.contains("said") && watch.said) watch.said(line["said"].get<std::string>());
  if (line.contains("noted")) watch.note(line["noted"].get<std::string>());
  if (line.contains("at") && watch.at) watch.at(line["at"].get<std::string>());
  if (line.contains("progress") && watch.progress)
    watch.progress(line["progress"][0].get<double>(), line["progress"][1].get<double>());
  return std::nullopt;
}

std::string line_of(const Json& line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Json ask_judge(const Json& question, std::string_view task, const AnswerWatch& watch) {
  const std::filesystem::path program = judging_program();
  if (program.empty()) throw JudgingElsewhere(task);
  JudgeProcess process(program, line_of(question));
  for (;;) {
    if (watch.cancelled != nullptr && *watch.cancelled) return {};
    if (const auto line = process.line()) {
      if (auto answer = answer_in(parse_json(*line, "warploom-judge"), watch)) return std::move(*answer);
    } else if (process.ended) {
      throw IoError(fmt::format("{}: {} {}", task, program.string(), process.wait()));
    }
  }
}

Json ask_judge(const Session& session, std::string_view request, const Json& asked,
               const AnswerWatch& watch) {
  const bool machine = session.files().is_machine();
  return ask_judge({{"request", request},
                    {"asked", asked},
                    {"predictor", session.predictor_elsewhere()},
                    {"folder", machine ? Json(nullptr) : Json(session.files().root().string())}},
                   request, watch);
}

}  // namespace warploom
