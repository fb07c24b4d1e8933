#include "warploom/cli/habits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>

#include "warploom/base/error.h"
#include "warploom/manifests/lines/shell_words.h"

namespace warploom {
namespace {

constexpr std::string_view kFromBench = "--from-bench", kGoodput = "--goodput", kSlo = "--slo";

struct OtherName {
  std::string_view other, own;
};

// vllm bench serve, AIPerf and genai-perf, AIConfigurator, TensorRT-LLM's and SGLang's bench, in this order.
// Where rows have one name, the first is taken whose own option the command has.
constexpr std::array<OtherName, 28> kNames{{
    {"--input-len", "--random-input-len"},
    {"--output-len", "--random-output-len"},
    {"--random-input", "--random-input-len"},
    {"--random-output", "--random-output-len"},
    {"--max-concurrency", "--concurrency"},
    {"--isl", "--random-input-len"},
    {"--osl", "--random-output-len"},
    {"--input-tokens", "--random-input-len"},
    {"--synthetic-input-tokens-mean", "--random-input-len"},
    {"--prompt-input-tokens-mean", "--random-input-len"},
    {"--output-tokens-mean", "--random-output-len"},
    {"--prompt-output-tokens-mean", "--random-output-len"},
    {"--request-count", "--num-prompts"},
    {"--num-requests", "--num-prompts"},
    {"--random-seed", "--seed"},
    {"--isl", "--input"},
    {"--osl", "--output"},
    {"--input-len", "--input"},
    {"--output-len", "--output"},
    {"--batch-size", "--batch"},
    {"--total-gpus", "--gpu-count"},
    {"--total_gpus", "--gpu-count"},
    {"--gpu", "--gpus"},
    {"--system", "--gpus"},
    {"--system", "--gpu"},
    {"--model-path", "--model"},
    {"--model_path", "--model"},
    {"--backend", "--engines"},
}};

// Options that write another one's field: what is said of the one is of what was typed, wherever it stands.
constexpr std::array<OtherName, 2> kBenchNames{
    {{"--random-mm-bucket-config", "--image-size"},
     {"--random-mm-base-items-per-request", "--images-per-request"}}};

// How a load is sent, measured and written down, which changes nothing of it.
constexpr std::array<std::string_view, 12> kSwitchesWithoutEffect{
    "--ignore-eos",   "--save-result",   "--save-detailed",     "--append-result",
    "--disable-tqdm", "--streaming",     "--trust-remote-code", "--profile",
    "--insecure",     "--plot-timeline", "--no-oversample",     "--verbose"};
constexpr std::array<std::string_view, 30> kValuesWithoutEffect{"--percentile-metrics",
                                                                "--metric-percentiles",
                                                                "--backend",
                                                                "--base-url",
                                                                "--host",
                                                                "--port",
                                                                "--endpoint",
                                                                "--endpoint-type",
                                                                "--url",
                                                                "--tokenizer",
                                                                "--tokenizer-mode",
                                                                "--served-model-name",
                                                                "--result-dir",
                                                                "--result-filename",
                                                                "--label",
                                                                "--metadata",
                                                                "--num-warmups",
                                                                "--request-id-prefix",
                                                                "--extra-body",
                                                                "--extra-inputs",
                                                                "--header",
                                                                "--temperature",
                                                                "--top-p",
                                                                "--top-k",
                                                                "--logprobs",
                                                                "--ready-check-timeout-sec",
                                                                "--artifact-dir",
                                                                "--output-artifact-dir",
                                                                "--warmup-request-count",
                                                                "--ui"};

template <std::size_t N>
bool lists(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const CLI::App& command_of(const CLI::App& program, const std::vector<std::string>& words) {
  const CLI::App* command = &program;
  for (const std::string& word : words) {
    if (word.starts_with('-')) break;
    const std::vector<const CLI::App*> named =
        command->get_subcommands([&](const CLI::App* each) { return each->check_name(word); });
    if (named.empty()) break;
    command = named.front();
  }
  return *command;
}

// Options of `simulate`, or of `curve` by its names, that say several values, and those that take them.
constexpr std::array<OtherName, 5> kLists{{{"--max-concurrency", "--max-concurrencies"},
                                           {"--request-rate", "--request-rates"},
                                           {"--tp", "--tp-sizes"},
                                           {"--quantization", "--quantizations"},
                                           {"--engine", "--engines"}}};

// An option of ours and that of a bench which says the same.
constexpr std::array<OtherName, 3> kSameFields{
    {{"--num-prompts", "--requests"}, {"--request-rate", "--rate"}, {"--max-concurrency", "--concurrency"}}};

class Rewriter {
 public:
  explicit Rewriter(const CLI::App& command) : command_(command) {}

  // `bench`: the words are those of a load generator, whose other options are left out.
  void take(const std::vector<std::string>& words, bool bench) {
    const bool other_lengths = !has("--input-tokens") && has("--random-output-len") &&
                               std::any_of(words.begin(), words.end(), [](const std::string& word) {
                                 return word == "--input-tokens" || word.starts_with("--input-tokens=");
                               });
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
      const std::string name = words[i].substr(0, equals);
      std::optional<std::string> value;
      if (equals != std::string::npos) value = words[i].substr(equals + 1);
      const auto next = [&]() -> std::string {
        if (value) return *value;
        if (i + 1 >= words.size()) throw InvalidInput(fmt::format("{} has no value", name));
        return words[++i];
      };
      if (!words[i].starts_with("--")) {
        out_.push_back(words[i]);
      } else if (name == kFromBench && !has(name) && !bench && has("--random-input-len")) {
        take_bench(next());
      } else if (name == kGoodput && has(name)) {
        out_.insert(out_.end(), {name, joined_limits(words, i, value)});
      } else if ((name == "--ttft" || name == "--tpot") && !has(name) && has(kSlo)) {
        limits_.push_back(fmt::format("{}_mean_ms={}", name.substr(2), next()));
      } else if (name == "--dataset-name" && !has(name) && has("--random-input-len")) {
        check_dataset(next());
      } else if (other_lengths && name == "--output-tokens") {
        out_.insert(out_.end(), {"--random-output-len", next()});
      } else if (has(name)) {
        take_own(name, words, i, bench);
      } else if (const auto own = own_name(name, bench)) {
        const std::string said = next();
        if (!bench || !said_.contains(*own)) out_.insert(out_.end(), {*own, said});
        if (!bench) said_.insert(*own);
      } else if (lists(kSwitchesWithoutEffect, name) && takes_loads()) {
        left_out_.push_back(name);
      } else if (lists(kValuesWithoutEffect, name) && takes_loads()) {
        (void)next();
        left_out_.push_back(name);
      } else if (bench) {
        throw InvalidInput(fmt::format("{}: {} is not known, expected a line without it", kFromBench, name));
      } else {
        out_.push_back(words[i]);
      }
    }
  }

  std::vector<std::string> words() {
    if (!limits_.empty())
      out_.insert(out_.end(), {std::string(kSlo), fmt::format("{}", fmt::join(limits_, ","))});
    return std::move(out_);
  }

  std::string notes() const {
    return left_out_.empty()
               ? std::string()
               : fmt::format("without effect on the load, left out: {}", fmt::join(left_out_, ", "));
  }

 private:
  bool has(std::string_view name) const { return command_.get_option_no_throw(std::string(name)) != nullptr; }
  bool takes_loads() const { return has("--random-input-len"); }

  // A load generator's --backend is a protocol.
  std::optional<std::string> own_name(std::string_view name, bool bench) const {
    if (bench && name == "--backend") return std::nullopt;
    for (const OtherName& each : kNames)
      if (each.other == name && has(each.own)) return std::string(each.own);
    return std::nullopt;
  }

  // A bench names the served model, which an option beside it may say otherwise.
  void take_own(const std::string& name, const std::vector<std::string>& words, std::size_t& i, bool bench) {
    const CLI::Option& option = *command_.get_option_no_throw(name);
    const bool apart = words[i].find('=') == std::string::npos && option.get_items_expected_max() > 0 &&
                       i + 1 < words.size();
    if (apart && option.get_items_expected_min() > 0 && has(words[i + 1]))
      throw InvalidInput(fmt::format("{} has no value: {} follows it", name, words[i + 1]));
    if (!(bench && said_.contains(name))) {
      out_.push_back(words[i]);
      if (apart && bench) out_.push_back(words[i + 1]);
    }
    if (apart && bench) ++i;
    if (bench) return;
    said_.insert(name);
    for (const OtherName& each : kSameFields)
      if (each.own == name) said_.emplace(each.other);
  }

  // "ttft:500 tpot:20" as one word.
  static std::string joined_limits(const std::vector<std::string>& words, std::size_t& i,
                                   const std::optional<std::string>& value) {
    std::string limits = value.value_or("");
    while (i + 1 < words.size() && !words[i + 1].starts_with('-')) {
      if (!limits.empty() && words[i + 1].find(':') == std::string::npos) break;
      limits += (limits.empty() ? "" : ",") + words[++i];
    }
    if (limits.empty()) throw InvalidInput(fmt::format("{} has no value", kGoodput));
    return limits;
  }

  static void check_dataset(const std::string& name) {
    if (name == "random" || name == "synthetic") return;
    throw InvalidInput(fmt::format(
        "--dataset-name: the lengths of {} are not known here, expected random, or --trace with its requests",
        name));
  }

  void take_bench(const std::string& line) {
    const auto commands = shell_commands(line, kFromBench);
    for (const std::vector<std::string>& command : commands) {
      const auto first = std::find_if(command.begin(), command.end(),
                                      [](const std::string& word) { return word.starts_with("--"); });
      const auto names = [&](std::string_view word) {
        return std::any_of(command.begin(), first,
                           [&](const std::string& each) { return each.find(word) != std::string::npos; });
      };
      if (!names("bench") && !names("aiperf") && !names("genai-perf")) continue;
      take({first, command.end()}, true);
      return;
    }
    throw InvalidInput(
        fmt::format("{}: expected a line that makes a load, 'vllm bench serve --random-input-len 1000 ...' "
                    "or 'aiperf profile ...'",
                    kFromBench));
  }

  const CLI::App& command_;
  std::vector<std::string> out_, limits_, left_out_;
  std::set<std::string> said_;
};

}  // namespace

std::vector<std::string> as_curve(std::vector<std::string> words) {
  const bool is_curve = !words.empty() && words.front() == "curve";
  if (words.empty() || (words.front() != "simulate" && !is_curve)) return words;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const auto list =
        std::find_if(kLists.begin(), kLists.end(), [&](const OtherName& each) { return each.other == name; });
    if (list == kLists.end()) continue;
    if (equals != std::string::npos && words[i].find(',', equals) != std::string::npos) {
      words[i] = std::string(list->own) + words[i].substr(equals);
      words.front() = "curve";
    } else if (equals == std::string::npos && i + 1 < words.size() &&
               words[i + 1].find(',') != std::string::npos) {
      words[i] = list->own;
      words.front() = "curve";
    }
  }
  // A curve is always drawn.
  if (words.front() == "curve") std::erase(words, "--charts");
  return words;
}

std::vector<std::string> in_own_options(const CLI::App& program, const std::vector<std::string>& words,
                                        std::string& notes) {
  Rewriter rewriter(command_of(program, words));
  // What stands beside a bench rules, wherever it stands.
  std::vector<std::string> beside, bench;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool whole = words[i].starts_with("--from-bench=");
    if (!whole && words[i] != kFromBench) {
      beside.push_back(words[i]);
      continue;
    }
    bench.push_back(words[i]);
    if (!whole && i + 1 < words.size()) bench.push_back(words[++i]);
  }
  rewriter.take(beside, false);
  rewriter.take(bench, false);
  notes = rewriter.notes();
  return rewriter.words();
}

namespace {

// Every `name` that is a word of its own, by another.
std::string with_name(std::string text, std::string_view name, std::string_view other) {
  const auto goes_on = [](char c) {
    return c == '-' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + other.size())) {
    const std::size_t end = at + name.size();
    if ((at > 0 && goes_on(text[at - 1])) || (end < text.size() && goes_on(text[end]))) continue;
    text.replace(at, name.size(), other);
  }
  return text;
}

}  // namespace

std::string as_typed(std::string text, const std::vector<std::string>& words) {
  const auto typed = [&](std::string_view name) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
      return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
    });
  };
  for (const OtherName& each : kNames) {
    const std::string begin = fmt::format("{}: ", each.own), is = fmt::format("{} is ", each.own);
    if (!text.starts_with(begin) && !text.starts_with(is)) continue;
    if (typed(each.own) || !typed(each.other)) continue;
    return text.replace(0, each.own.size(), each.other);
  }
  for (const OtherName& each : kBenchNames)
    if (!typed(each.own) && typed(each.other)) text = with_name(std::move(text), each.own, each.other);
  return text;
}

}  // namespace warploom
