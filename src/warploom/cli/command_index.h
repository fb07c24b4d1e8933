// Which commands there are, and which options each has.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace warploom {

// The options of one command; valid while its index lives.
class IndexedCommand {
 public:
  IndexedCommand(const CLI::App& app, std::vector<std::string> words) : app_(app), words_(std::move(words)) {}
  // "validate", "kernels"
  const std::vector<std::string>& words() const { return words_; }
  // "--name", or "NAME" of an argument.
  bool has(const std::string& option) const;
  // Whether its values follow one another as words of their own.
  bool takes_words(const std::string& option) const;

 private:
  const CLI::App& app_;
  std::vector<std::string> words_;
};

// Every command of the program. Thread-safe.
class CommandIndex {
 public:
  CommandIndex();
  ~CommandIndex();
  CommandIndex(const CommandIndex&) = delete;
  CommandIndex& operator=(const CommandIndex&) = delete;
  // The command with these words, dashes or underscores between them: "validate_kernels", "moe_config",
  // "predict gemm". Throws NotFound.
  IndexedCommand command(std::string_view words) const;

 private:
  std::unique_ptr<CLI::App> program_;
};

}  // namespace warploom
