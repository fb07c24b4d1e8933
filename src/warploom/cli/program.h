// The whole program: a command line in, an exit status out. Results go to standard output, everything else to
// standard error.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace warploom {

class PlanCrew;

// How commands send what they ask: as it is, or as C, Python and the page do, who have JSON's text alone.
enum class Sent { AsIs, AsText };

// Every command with its options, nothing parsed yet. `only`: a command that alone (or with its sister, as
// `gpu` and `gpus`) is wanted; what names none brings all.
std::unique_ptr<CLI::App> make_program(const std::string& version, PlanCrew* crew = nullptr,
                                       Sent sent = Sent::AsIs, std::string_view only = {});

// `crew`: other processes that a plan is searched with; null: none.
// Parses `arguments` (without the program's name) and runs what they ask for. 0 done, 1 failed, 2 bad input.
// Throws LearningElsewhere or JudgingElsewhere when another program must do it.
int run_program(const std::vector<std::string>& arguments, const std::string& version,
                PlanCrew* crew = nullptr, Sent sent = Sent::AsIs);

}  // namespace warploom
