// The program warploom-judge: all that `warploom` does, the training libraries, and judging. `warploom` hands
// a command line to it, and sends it questions in JSON (--answer; the other end is answers/judge_process.h).
// --fit-record-rules and --fit-state-rules make data/tuner/{record,state}_rules.json.
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warploom/answers/answer.h"
#include "warploom/answers/judged_answers.h"
#include "warploom/base/error.h"
#include "warploom/cli/page_words.h"
#include "warploom/cli/program.h"
#include "warploom/judge/regret/fit_record_rules.h"
#include "warploom/judge/regret/fit_state_rules.h"

namespace warploom {
namespace {

// False: nobody listens any more.
bool tell(const Json& line) {
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data() + at, text.size() - at);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) at += std::size_t(count);
  }
  return true;
}

std::string standard_input() {
  std::string text(1 << 16, '\0');
  std::size_t length = 0;
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw IoError("question: standard input cannot be read");
    if (count == 0) break;
    length += std::size_t(count);
    if (length == text.size()) text.resize(2 * text.size());
  }
  text.resize(length);
  return text;
}

AnswerWatch telling_watch() {
  return {.progress =
              [](double done, double total) {
                tell({{"progress", {done, total}}});
              },
          .said =
              [](std::string_view line) {
                tell({{"said", line}});
              },
          .noted =
              [](std::string_view line) {
                tell({{"noted", line}});
              },
          .cancelled = nullptr,
          .at =
              [](std::string_view place) {
                tell({{"at", place}});
              }};
}

Json answer_request(const Json& question) {
  const std::string request = question.at("request"), predictor = question.at("predictor");
  const auto machine = predictor.empty() ? std::make_unique<const Session>(Session::OpenedLater())
                                         : std::make_unique<const Session>(predictor);
  if (question.at("folder").is_null())
    return answer_here(*machine, request, question.at("asked"), telling_watch());
  const Session client(*machine, FileScope::folder(question.at("folder").get<std::string>()));
  return answer_here(client, request, question.at("asked"), telling_watch());
}

Json answer_question(const Json& question) {
  if (question.contains("schemas")) return judged_schemas();
  if (question.contains("command_line")) {
    const Json& line = question["command_line"];
    return page_words().command_line(line.at("request").get<std::string>(), line.at("asked"));
  }
  return answer_request(question);
}

int refuse(const char* kind, const std::exception& error) {
  tell({{"error", {{"kind", kind}, {"message", error.what()}}}});
  return 2;
}

// Reads the question of standard input, writes the lines of its answer to standard output. The exit status.
int serve_question() {
  ::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // who asked is gone
  try {
    return tell({{"answer", answer_question(parse_json(standard_input(), "question"))}}) ? 0 : 1;
  } catch (const NotFound& error) {
    return refuse("not_found", error);
  } catch (const Unsupported& error) {
    return refuse("unsupported", error);
  } catch (const IoError& error) {
    return refuse("io_error", error);
  } catch (const Error& error) {
    return refuse("invalid_input", error);
  } catch (const std::exception& error) {
    return refuse("failed", error);
  }
}

void write_record_rules(const std::string& fixtures, const std::string& output) {
  const RecordFit fit = fit_record_rules(fixtures);
  write_json_file(output, record_rules_json(fit, fixtures));
  std::fputs(record_fit_text(fit).c_str(), stdout);
}

void write_state_rules(const std::string& fixtures, const std::string& output) {
  const StateFit fit = fit_state_rules(fixtures);
  write_json_file(output, state_rules_json(fit, fixtures));
  std::fputs(state_fit_text(fit).c_str(), stdout);
}

// --fit-.. FIXTURES OUTPUT: what estimates of launches were fitted to, once more.
int write_rules(void (*write)(const std::string&, const std::string&), char** words) {
  try {
    write(words[0], words[1]);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "warploom-judge: %s\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace warploom

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--answer") == 0) return warploom::serve_question();
  if (argc == 4 && std::strcmp(argv[1], "--fit-record-rules") == 0)
    return warploom::write_rules(warploom::write_record_rules, argv + 2);
  if (argc == 4 && std::strcmp(argv[1], "--fit-state-rules") == 0)
    return warploom::write_rules(warploom::write_state_rules, argv + 2);
  return warploom::run_program(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc),
                               WARPLOOM_VERSION);
}
