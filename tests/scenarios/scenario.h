// Whole runs as data: cases/*.json holds command lines and what must hold of their answers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warploom {

struct Scenario {
  std::string name;
  std::vector<std::string> before;           // commands that make what the runs read
  std::map<std::string, std::string> files;  // written into @out before any command
  std::map<std::string, std::string> runs;   // command lines by the names that facts use
  std::vector<std::string> facts;
  std::string golden;  // file in golden/ with the text of the run "it"; empty: none
};

// What one command line left behind.
struct Outcome {
  int status = 0;
  std::string output;  // standard output
  std::string said;    // standard error
};

// The scenarios of cases/NAME.json. Throws InvalidInput on a key that is unknown or missing.
std::vector<Scenario> read_scenarios(const std::string& name);

// "" where the fact holds of these outcomes, else the values that contradict it. Throws InvalidInput on a
// fact that cannot be understood. The forms of facts stand in README.md.
std::string contradiction(std::string_view fact, const std::map<std::string, Outcome>& outcomes);

}  // namespace warploom
