// A look-up in the prompt, on the CPU.
#include <array>

#include "warploom/serving/speculation/draft_method.h"

namespace warploom {
namespace {

constexpr std::array<std::string_view, 4> kSpellings{"ngram", "[ngram]", "ngram_gpu", "prompt_lookup"};
constexpr std::int64_t kUsualSteps = 12;  // SGLang's speculative_num_draft_tokens of NGRAM

}  // namespace

extern constinit const DraftMethod kNgramMethod{
    .name = "ngram", .spellings = kSpellings, .engine = DraftEngine::Host, .usual_steps = kUsualSteps};

}  // namespace warploom
