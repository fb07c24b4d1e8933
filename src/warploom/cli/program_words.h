// The command line that a program runs, kept for what is written about its answer: CLI11 forgets it.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warploom {

// An application that can keep its words.
std::unique_ptr<CLI::App> make_application(const std::string& description, const std::string& name);

// `words`: all behind the program's name. No effect on an application that was made otherwise.
void keep_words(CLI::App& application, const std::vector<std::string>& words);

// The whole line for a shell, asked of any command of the application; empty before keep_words().
std::string line_of(const CLI::App& command);

}  // namespace warploom
