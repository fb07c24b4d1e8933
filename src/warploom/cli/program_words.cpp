#include "warploom/cli/program_words.h"

#include <CLI/CLI.hpp>

#include "warploom/base/shell_line.h"

namespace warploom {
namespace {

class WordedApplication : public CLI::App {
 public:
  using CLI::App::App;
  std::vector<std::string> words;
};

}  // namespace

std::unique_ptr<CLI::App> make_application(const std::string& description, const std::string& name) {
  return std::make_unique<WordedApplication>(description, name);
}

void keep_words(CLI::App& application, const std::vector<std::string>& words) {
  auto* worded = dynamic_cast<WordedApplication*>(&application);
  if (worded == nullptr) return;
  worded->words = words;
  worded->words.insert(worded->words.begin(), application.get_name());
}

std::string line_of(const CLI::App& command) {
  const CLI::App* top = &command;
  while (top->get_parent() != nullptr) top = top->get_parent();
  const auto* worded = dynamic_cast<const WordedApplication*>(top);
  return worded == nullptr ? std::string() : shell_line(worded->words);
}

}  // namespace warploom
