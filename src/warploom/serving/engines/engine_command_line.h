// How the command that starts an engine reads: its programs, flags that hold JSON, and its configuration
// file.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "warploom/base/json.h"
#include "warploom/serving/config/serving_config.h"

namespace warploom {

// The word that starts an engine, followed by "serve" or, unless `serves`, by its flags.
struct LaunchWord {
  std::string_view program;
  bool serves = false;
};

// A flag whose value is a JSON object that sets several fields, or a part of one, or, behind one of the
// prefixes, an entry of it (`-cc.cudagraph_mode=NONE`; without prefixes `apply_entry` is never called). Both
// functions throw InvalidInput "<where>: ...".
struct JsonFlag {
  std::string_view flag;
  std::span<const std::string_view> prefixes;
  void (*apply)(ServingConfig& config, std::string_view json, const std::string& where);
  void (*apply_entry)(ServingConfig& config, std::string_view key, std::string_view value,
                      const std::string& where);
};

enum class FileValue {
  Scalar,        // the flag and the value
  Switch,        // `flag` when true, `off` when false
  Nothing,       // `flag` when the key has no value
  Converted,     // the flag and what `text` makes of the value
  WithoutEffect  // on how long steps take
};

// A key of a configuration file, nested ones joined by dots, as words of the command line.
struct FileKey {
  std::string_view key;
  FileValue takes = FileValue::Scalar;
  std::string_view flag = {}, off = {};  // empty: nothing to say
  // Throws InvalidInput or Unsupported "<where> ...".
  std::string (*text)(const Json& value, const std::string& where) = nullptr;
};

// What files that start the engine on a cluster say of it.
// A flag of the engine's own program, and what another program calls it.
struct RenamedFlag {
  std::string_view own, there;
};

struct EngineManifests {
  std::string_view image;                        // container
  std::string_view prefill_flags, decode_flags;  // of pools that are apart; empty: the engine takes a file
  std::string_view dynamo_image, dynamo_module, dynamo_model_flag;  // of NVIDIA Dynamo's workers
  std::string_view dynamo_prefill_flags, dynamo_decode_flags;
  std::span<const RenamedFlag> dynamo_flags = {};  // all others are called the same
  bool flags_are_fields = false;                   // fields without a flag of their own are flags
  bool underscored_flags = false;                  // "--max_batch_size" and not "--max-batch-size"
};

struct EngineCommandLine {
  std::span<const LaunchWord> programs;
  std::string_view example;  // "vllm serve MODEL"
  std::span<const JsonFlag> json_flags = {};
  std::span<const std::string_view> file_flags = {};  // those that name a configuration file
  std::span<const FileKey> file_keys = {};            // empty: keys are flags
  bool file_rules = false;                            // over the command line; else the command line does
  // Dynamo's worker has a flag whose value is such a file's text, over the file, and flags of its keys, which
  // begin with the prefix ("--trtllm.kv_cache_config.dtype fp8").
  std::string_view overriding_flag = {}, key_prefix = {};
};

}  // namespace warploom
