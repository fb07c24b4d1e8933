// A pasted command line that starts an engine: `vllm serve MODEL`, `python -m sglang.launch_server
// --model-path MODEL`, ... (EngineSpec::command_line).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/serving/serving_setup.h"

namespace warploom {

struct EngineCommand {
  std::string model;
  std::string quantization;  // a MatmulScheme's name; empty = the checkpoint's
  ServingConfig config;
  std::vector<std::string> ignored;       // flags that do not bear on time
  std::vector<std::string> unknown;       // flags that nobody knows, left out as if they were such
  std::vector<std::string> approximated;  // flags whose part of a step is simulated as without them
};

// Whether a configuration file that the command names may be read.
enum class ConfigFiles { Read, Refused };

// A configuration file that the command names (engine_config_file.h) is read. Words are split as a shell does
// (shell_words.h), and the first command of the line counts that starts an engine; `docker run` of its image
// is one. Flags may be spelled with dashes or underscores, with their value behind '=' or in the next word.
// Throws InvalidInput (not such a command, a bad value), Unsupported (a flag that changes times and is not
// modelled, or that looks like a misspelt one).
EngineCommand parse_engine_command(std::string_view text, ConfigFiles files = ConfigFiles::Read);

// The same of commands that are split already and stand at `where`. A configuration file that `held` has is
// taken from there, by the path that the command names; any other is not read.
struct HeldFile {
  std::string path, contents;
};
EngineCommand parse_engine_commands(std::vector<std::vector<std::string>> commands, std::string where,
                                    std::vector<HeldFile> held);

// Whether one of the words starts an engine as parse_engine_command finds it.
bool starts_engine(const std::vector<std::string>& words);

// What such a command reads like, of each engine: "'vllm serve MODEL', ... or '...'".
std::string engine_command_examples();

}  // namespace warploom
