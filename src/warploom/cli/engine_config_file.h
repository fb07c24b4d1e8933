// The YAML file that a pasted command names: vLLM's and SGLang's --config, TensorRT-LLM's
// --extra_llm_api_options (--config).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warploom {

struct ConfigFileWords {
  std::vector<std::string> words;    // the same as words of a command line
  std::vector<std::string> ignored;  // keys that do not bear on time, as "FILE: key"
};

// vllm, sglang: a key is a flag, true a flag that stands alone, false no flag, a map JSON. trtllm: the fields
// of TorchLlmArgs (tensorrt_llm/llmapi/llm_args.py) that bear on time, nested ones included. Throws
// InvalidInput "<path>: ..." on a file that cannot be read or is not a YAML map, and on values of another
// type; Unsupported on keys that are not modelled.
ConfigFileWords read_engine_config(std::string_view engine, const std::string& path);

}  // namespace warploom
