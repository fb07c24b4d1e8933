// Options by the names that other tools of the field give them, and whole lines of load generators.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warploom {

// The words of a command line with such options in the program's own: --isl and --input-len, --goodput with
// several words, what `vllm bench serve` says beside its load, and --from-bench 'vllm bench serve ...', whose
// options take the place of that word. An option that the command has is never read otherwise, but for
// --output-tokens, which beside another tool's --input-tokens is of prompts and not of sessions. `notes`:
// options of a bench that were left out, in a sentence; empty: none. Throws InvalidInput on loads that no
// option says, on a line that is of no generator, and on an option where another one's value is due.
std::vector<std::string> in_own_options(const CLI::App& program, const std::vector<std::string>& words,
                                        std::string& notes);

// A refusal that begins with an option of the program, with the name that `words` gave it instead of that.
std::string as_typed(std::string text, const std::vector<std::string>& words);

// `simulate --max-concurrency 1,4,16` asks for a curve, as `curve --max-concurrency 1,4,16` does: that line's
// words; all others as they are.
std::vector<std::string> as_curve(std::vector<std::string> words);

}  // namespace warploom
