#include "warploom/cli/given_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace warploom {
namespace {

struct Spelt {
  std::string_view in_messages;
  std::array<std::string_view, 5> options;  // in the spellings of the engines; empty: no more
};

constexpr std::array<Spelt, 4> kSpelt{
    {{"tensor_parallel=", {"--tp", "--tensor-parallel-size", "-tp", "--tp-size", "--tp_size"}},
     {"pipeline_parallel=", {"--pp", "--pipeline-parallel-size", "-pp", "--pp-size", "--pp_size"}},
     {"data_parallel=", {"--dp", "--data-parallel-size", "-dp", "--dp-size", "--dp_size"}},
     {"expert_parallel=", {"--ep", "--expert-parallel-size", "-ep", "--ep-size", "--ep_size"}}}};

std::string_view given_among(const std::array<std::string_view, 5>& options,
                             const std::vector<std::string>& arguments) {
  for (const std::string& word : arguments) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    const auto found = std::find(options.begin(), options.end(), name);
    if (found != options.end() && !found->empty()) return *found;
  }
  return {};
}

bool ends_before(std::string_view text, std::size_t at) {
  const auto before = at == 0 ? ' ' : text[at - 1];
  return std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_';
}

}  // namespace

std::string in_given_options(std::string_view message, const std::vector<std::string>& arguments) {
  std::string text(message);
  for (const Spelt& spelt : kSpelt) {
    const std::string_view given = given_among(spelt.options, arguments);
    if (given.empty()) continue;
    std::size_t at = 0;
    while ((at = text.find(spelt.in_messages, at)) != std::string::npos) {
      const std::string option = std::string(given) + " ";
      if (ends_before(text, at)) text.replace(at, spelt.in_messages.size(), option);
      at += option.size();
    }
  }
  return text;
}

}  // namespace warploom
