// The flag names of engines other than vLLM, as fields of ServingConfig.
#pragma once

#include <span>
#include <string_view>

namespace warploom {

// `flag` as the engine spells it, with underscores. A `negated` flag stands alone and turns the Boolean field
// off; `count` marks a number of ranks that turns the Boolean field on when it is above one.
struct EngineFlag {
  std::string_view flag;
  std::string_view field;
  std::string_view doc;
  bool negated = false;
  bool count = false;
  bool alone = false;  // a switch that turns the Boolean field on
  bool stands_alone() const { return negated || alone; }
};

// Sources: sglang/srt/server_args.py; tensorrt_llm/commands/serve.py. Flags with the name of their field are
// not listed. Empty for vllm and for unknown engines.
std::span<const EngineFlag> engine_flags(std::string_view engine);

// Fields of ServingConfig that only one engine has; empty when every engine or several have it.
std::string_view engine_of_field(std::string_view field);

}  // namespace warploom
