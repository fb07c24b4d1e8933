// A way to draft tokens: one value, one file, found by name. What an engine calls it, which classes of
// drafters it loads, and what such a drafter is beside a target.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/models/draft_config.h"
#include "warploom/serving/speculation/drafter.h"

namespace warploom {

// What a drafter is made for.
struct DrafterSource {
  const ModelArchitecture& target;
  const DraftConfig* own = nullptr;  // its own config.json; null: none is known
};

// What drafts with this method at all.
enum class DraftEngine {
  Host,      // a look-up on the CPU
  AnyModel,  // a model that knows nothing of the target
  Head,      // layers over the target's states, in a checkpoint of their own
  Own,       // layers of the target's own checkpoint
};

struct DraftMethod {
  std::string_view name;
  // As engines spell it, in lower case: vllm/config/speculative.py, sglang/srt/speculative/spec_info.py,
  // tensorrt_llm/llmapi/llm_args.py.
  std::span<const std::string_view> spellings;
  DraftEngine engine = DraftEngine::Head;
  // A draft model whose name holds this is meant to draft so, as vLLM guesses; empty: never guessed.
  std::string_view in_name{};
  std::span<const DraftClass> classes{};
  std::string_view class_prefix{};  // that engines put before the class of an ordinary model
  // Drafts one block in one pass; such methods need a config.json, for no two drafters are alike.
  bool in_blocks = false;
  bool bundled = false;          // a target's own checkpoint may carry such a drafter
  std::int64_t usual_steps = 3;  // tokens that SGLang proposes where it is not told
  // Throws InvalidInput and Unsupported where the target cannot have such a drafter. Null: there is none on
  // the GPU, or it is the draft model itself.
  Drafter (*drafter)(const DrafterSource& source) = nullptr;

  bool on_gpu() const { return engine != DraftEngine::Host; }
};

std::span<const DraftMethod* const> all_draft_methods();

// By an engine's spelling in any case; nullptr when there is none.
const DraftMethod* find_draft_method(std::string_view spelling);
// By its own name. Throws NotFound with the nearest.
const DraftMethod& draft_method_named(std::string_view name);
// The method whose drafters have that class; nullptr when there is none.
const DraftMethod* draft_method_of_class(std::string_view architecture);

// The drafter's own config.json where `model` names one that is known or is a path; nothing for methods that
// load none. Throws as read_draft_config; NotFound where the method needs one and none is known.
std::optional<DraftConfig> load_draft(const DraftMethod& method, const std::string& model,
                                      const FileScope& files);

}  // namespace warploom
