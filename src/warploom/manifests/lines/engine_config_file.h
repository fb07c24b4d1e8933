// The YAML file that a pasted command names, for example with --config.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/serving/serving_setup.h"

namespace warploom {

struct ConfigFileWords {
  std::vector<std::string> words;    // the same as words of a command line
  std::vector<std::string> ignored;  // keys that do not bear on time, as "FILE: key"
};

// `keys`: the engine's own, nested ones included. Empty: a key is a flag, true a flag that stands alone,
// false no flag, a map JSON. Throws InvalidInput "<path>: ..." on a file that cannot be read or is not a YAML
// map, and on values of another type; Unsupported on keys that are not modelled.
ConfigFileWords read_engine_config(std::span<const FileKey> keys, const std::string& path);
// The same of the file's text.
ConfigFileWords engine_config_of_text(std::span<const FileKey> keys, std::string_view text,
                                      const std::string& path);

}  // namespace warploom
