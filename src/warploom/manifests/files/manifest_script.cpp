// Scripts of a shell or of Slurm that start engines.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/manifests/files/manifest_readers.h"
#include "warploom/manifests/lines/shell_words.h"

namespace warploom {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kDirective = "#SBATCH";
constexpr std::int64_t kMostTasks = 1'000'000;

std::string_view long_name(char letter) {
  switch (letter) {
    case 'N':
      return "nodes";
    case 'n':
      return "ntasks";
    case 'G':
      return "gpus";
    case 'a':
      return "array";
    case 'C':
      return "constraint";
    case 'J':
      return "job-name";
    case 't':
      return "time";
    case 'o':
      return "output";
    case 'e':
      return "error";
    case 'p':
      return "partition";
    case 'A':
      return "account";
    case 'q':
      return "qos";
    case 'c':
      return "cpus-per-task";
    case 'w':
      return "nodelist";
    case 'x':
      return "exclude";
    case 'D':
      return "chdir";
    case 'd':
      return "dependency";
    default:
      return {};
  }
}

std::int64_t number_of(std::string_view text, const std::string& place) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > kMostTasks)
    throw InvalidInput(fmt::format("{} is '{}', expected a whole number from 1", place, text));
  return value;
}

// "0-3", "1,5,9", "0-9%2": how many.
std::int64_t array_size(std::string_view text, const std::string& place) {
  text = text.substr(0, text.find('%'));
  std::int64_t count = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t dash = part.find('-');
    if (dash == std::string_view::npos) {
      ++count;
      continue;
    }
    std::int64_t first = 0, last = -1;
    std::from_chars(part.data(), part.data() + dash, first);
    std::from_chars(part.data() + dash + 1, part.data() + part.size(), last);
    if (last < first || last - first > kMostTasks)
      throw InvalidInput(fmt::format("{} is '{}', expected for example 0-3", place, part));
    count += last - first + 1;
  }
  return std::max<std::int64_t>(1, count);
}

class ScriptReader {
 public:
  ScriptReader(Manifest& manifest, std::string_view text, const std::string& where)
      : manifest_(manifest), text_(text), where_(where) {}

  void read() {
    read_lines();
    variables_["SLURM_NNODES"] = variables_["SLURM_JOB_NUM_NODES"] = std::to_string(nodes_);
    if (gpus_per_node_ > 0) variables_["SLURM_GPUS_ON_NODE"] = std::to_string(gpus_per_node_);
    for (const Words& words : shell_commands(body_, where_, LineEnd::Command)) take(words);
  }

 private:
  // Directives, and files that the script writes; what is left is the body.
  void read_lines() {
    std::string_view rest = text_;
    for (int line = 1; !rest.empty(); ++line) {
      const std::string_view text = next_line(rest);
      if (text.starts_with(kDirective)) directive(text.substr(kDirective.size()), line);
      body_.append(text).append("\n");
      if (const std::size_t at = text.find("<<");
          at != std::string_view::npos && text.find("<<<") == std::string_view::npos)
        line += take_document(text, at, rest);
    }
  }

  static std::string_view next_line(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
  }

  // `cat > FILE <<EOF`. How many lines it has.
  int take_document(std::string_view text, std::size_t at, std::string_view& rest) {
    std::string mark(text.substr(at + 2));
    mark.erase(
        std::remove_if(mark.begin(), mark.end(), [](char c) { return c == '\'' || c == '"' || c == '-'; }),
        mark.end());
    const std::size_t begin = std::min(mark.find_first_not_of(' '), mark.size());
    mark = mark.substr(begin, mark.find_first_of(" >;|", begin) - begin);
    std::string path;
    if (const std::size_t into = text.find('>'); into != std::string_view::npos) {
      const std::size_t from = std::min(text.find_first_not_of("> ", into), text.size());
      path = std::string(text.substr(from, text.find_first_of(" <", from) - from));
    }
    int lines = 0;
    std::string contents;
    while (!rest.empty()) {
      const std::string_view line = next_line(rest);
      ++lines;
      const std::size_t word = std::min(line.find_first_not_of('\t'), line.size());
      if (line.substr(word) == mark) break;
      contents.append(line).append("\n");
    }
    if (!path.empty()) manifest_.files.push_back({path, contents});
    return lines;
  }

  void directive(std::string_view text, int line) {
    const std::string place = fmt::format("{}: line {}: {}", where_, line, kDirective);
    for (const Words& words : shell_commands(text, place, LineEnd::Command))
      for (std::size_t i = 0; i < words.size(); ++i) {
        std::string name = words[i], value;
        if (!name.starts_with('-')) continue;
        if (const std::size_t equals = name.find('='); equals != std::string::npos) {
          value = name.substr(equals + 1);
          name.resize(equals);
        } else if (!name.starts_with("--") && name.size() > 2) {
          value = name.substr(2);
          name.resize(2);
        } else if (i + 1 < words.size() && !words[i + 1].starts_with('-')) {
          value = words[++i];
        }
        const std::string_view known = name.starts_with("--") ? std::string_view(name).substr(2)
                                                              : long_name(name.size() > 1 ? name[1] : ' ');
        option(known.empty() ? name : std::string(known), value, place);
      }
  }

  void option(const std::string& name, const std::string& value, const std::string& place) {
    check_manifest_field("sbatch", name, place, manifest_.left_out);
    const std::string of = fmt::format("{} --{}", place, name);
    if (name == "nodes") nodes_ = number_of(value.substr(0, value.find('-')), of);
    if (name == "array") array_ = array_size(value, of);
    if (name != "gpus-per-node" && name != "gpus" && name != "gres") return;
    // "8", "h100:8", "gpu:h100:8", "gpu:8"
    std::string_view rest = value;
    if (name == "gres") {
      if (!rest.starts_with("gpu")) return;
      rest.remove_prefix(std::min<std::size_t>(4, rest.size()));
    }
    if (const std::size_t colon = rest.rfind(':'); colon != std::string_view::npos) {
      gpu_ = std::string(rest.substr(0, colon));
      rest.remove_prefix(colon + 1);
    }
    if (rest.empty()) return;
    const std::int64_t count = number_of(rest, of);
    gpus_per_node_ = name == "gpus" ? std::max<std::int64_t>(1, count / nodes_) : count;
  }

  // NAME=VALUE alone or exported sets a variable of the script.
  bool sets_variables(const Words& words) {
    std::size_t begin = !words.empty() && words.front() == "export" ? 1 : 0;
    for (std::size_t i = begin; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      if (equals == std::string::npos || equals == 0 || words[i].find_first_of("-/ ") < equals) return false;
    }
    for (std::size_t i = begin; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      variables_[words[i].substr(0, equals)] = with_variables(words[i].substr(equals + 1), variables_);
    }
    return begin < words.size();
  }

  void take(const Words& words) {
    static const auto is_any = [](const std::string& word, std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), word) != names.end();
    };
    if (words.empty() || sets_variables(words)) return;
    if (is_any(words.front(), {"for", "while", "until"})) ++loops_;
    if (words.front() == "done") loops_ = std::max(0, loops_ - 1);
    if (is_any(words.front(), {"echo", "printf", "pip", "pip3", "curl", "pkill", "which", "command"})) return;
    std::vector<Words> commands = started_commands(words, variables_, where_);
    const bool engine =
        std::any_of(commands.begin(), commands.end(), [](const Words& each) { return starts_engine(each); });
    if (engine && loops_ > 0)
      throw Unsupported(fmt::format(
          "{}: a loop starts engines, expected a line for each, or one line and --instances", where_));
    ManifestVariables variables = variables_;
    for (const std::string& word : words) {  // before the program: of this command alone
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos || equals == 0 || word.starts_with('-')) break;
      variables[word.substr(0, equals)] = word.substr(equals + 1);
    }
    std::string role;
    if (words.front().ends_with(')') && words.front().starts_with("prefill")) role = "prefill";
    if (words.front().ends_with(')') && words.front().starts_with("decode")) role = "decode";
    if (words.front().ends_with(')')) case_role_ = role;
    take_commands(manifest_,
                  {.role = role.empty() ? case_role_ : role,
                   .place = where_,
                   .commands = {},
                   .replicas = array_ * tasks_of(words),
                   .gpu = gpu_},
                  std::move(commands), variables);
    if (words.front() == ";;" || words.back() == "esac") case_role_.clear();
  }

  // Tasks of srun that are engines of their own: a launcher or ranks make one engine of them.
  std::int64_t tasks_of(const Words& words) const {
    const auto srun = std::find(words.begin(), words.end(), "srun");
    if (srun == words.end()) return 1;
    std::int64_t tasks = 1;
    for (auto word = srun + 1; word != words.end(); ++word) {
      if (word->find("llmapi-launch") != std::string::npos || word->starts_with("--nnodes") ||
          word->starts_with("--node-rank") || word->starts_with("--data-parallel-address"))
        return 1;
      std::string value;
      if (word->starts_with("--ntasks=")) value = word->substr(9);
      if ((*word == "-n" || *word == "--ntasks") && word + 1 != words.end()) value = *(word + 1);
      if (!value.empty()) tasks = number_of(with_variables(value, variables_), where_ + ": srun --ntasks");
    }
    return tasks;
  }

  Manifest& manifest_;
  std::string_view text_;
  std::string where_, body_, gpu_, case_role_;
  ManifestVariables variables_;
  std::int64_t nodes_ = 1, array_ = 1, gpus_per_node_ = 0;
  int loops_ = 0;
};

}  // namespace

void take_script(Manifest& manifest, std::string_view text, const std::string& where) {
  ScriptReader(manifest, text, where).read();
}

}  // namespace warploom
