#include "warploom/cli/engine_config_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

YAML::Node load(const std::string& path) {
  YAML::Node root;
  try {
    root = YAML::LoadFile(path);
  } catch (const YAML::BadFile&) {
    throw NotFound(fmt::format("{}: cannot be read, expected the YAML file that the command names", path));
  } catch (const YAML::Exception& error) {
    throw InvalidInput(fmt::format("{}: line {}: {}", path, error.mark.line + 1, error.msg));
  }
  if (!root.IsMap()) throw InvalidInput(fmt::format("{}: expected a YAML map of options", path));
  return root;
}

nlohmann::json json_of(const YAML::Node& node) {
  if (node.IsMap()) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& entry : node) object[entry.first.as<std::string>()] = json_of(entry.second);
    return object;
  }
  if (node.IsSequence()) {
    nlohmann::json list = nlohmann::json::array();
    for (const YAML::Node& element : node) list.push_back(json_of(element));
    return list;
  }
  if (node.IsNull()) return nullptr;
  const std::string text = node.Scalar();
  const nlohmann::json plain = nlohmann::json::parse(text, nullptr, false);
  return plain.is_discarded() || plain.is_structured() || node.Tag() == "!" ? nlohmann::json(text) : plain;
}

std::string text_of(const YAML::Node& node) { return node.IsScalar() ? node.Scalar() : json_of(node).dump(); }

// Flags as keys: vLLM and SGLang turn the file into a command line in the same way.
ConfigFileWords flags_of(const YAML::Node& root) {
  ConfigFileWords file;
  for (const auto& entry : root) {
    const auto key = entry.first.as<std::string>();
    const std::string text = entry.second.IsNull() ? std::string("false") : text_of(entry.second);
    if (text == "false" || text == "False") continue;
    file.words.push_back("--" + key);
    if (text != "true" && text != "True") file.words.push_back(text);
  }
  return file;
}

class TrtllmFile {
 public:
  explicit TrtllmFile(std::string path) : path_(std::move(path)) {}

  ConfigFileWords read(const YAML::Node& root) {
    for (const auto& entry : root) take(entry.first.as<std::string>(), entry.second);
    return std::move(file_);
  }

 private:
  struct Renamed {
    std::string_view key, flag;
  };
  // Scalars.
  static constexpr std::array<Renamed, 10> kPlain{{
      {"max_batch_size", "--max_batch_size"},
      {"max_num_tokens", "--max_num_tokens"},
      {"max_seq_len", "--max_seq_len"},
      {"tensor_parallel_size", "--tp_size"},
      {"pipeline_parallel_size", "--pp_size"},
      {"moe_expert_parallel_size", "--ep_size"},
      {"kv_cache_config.free_gpu_memory_fraction", "--kv_cache_free_gpu_memory_fraction"},
      {"kv_cache_config.dtype", "--kv_cache_dtype"},
      {"kv_cache_config.tokens_per_block", "--tokens_per_block"},
      {"cuda_graph_config.max_batch_size", "--cuda_graph_max_batch_size"},
  }};
  struct Switch {
    std::string_view key, on, off;  // flags; empty: nothing to say
  };
  static constexpr std::array<Switch, 4> kSwitches{{
      {"enable_attention_dp", "--enable_attention_dp", ""},
      {"enable_chunked_prefill", "--enable-chunked-prefill", "--no-enable-chunked-prefill"},
      {"disable_overlap_scheduler", "--no-async-scheduling", ""},
      {"kv_cache_config.enable_block_reuse", "--enable-prefix-caching", "--no-enable-prefix-caching"},
  }};
  static constexpr std::array<std::string_view, 20> kWithoutEffect{"backend",
                                                                   "print_iter_log",
                                                                   "enable_iter_perf_stats",
                                                                   "enable_iter_req_stats",
                                                                   "stream_interval",
                                                                   "num_postprocess_workers",
                                                                   "trust_remote_code",
                                                                   "tokenizer",
                                                                   "attn_backend",
                                                                   "dtype",
                                                                   "kv_cache_config.event_buffer_max_size",
                                                                   "kv_cache_config.enable_partial_reuse",
                                                                   "kv_cache_config.copy_on_partial_reuse",
                                                                   "cuda_graph_config.enable_padding",
                                                                   "moe_config.use_low_precision_moe_combine",
                                                                   "torch_compile_config",
                                                                   "attention_dp_config",
                                                                   "cache_transceiver_config",
                                                                   "return_perf_metrics",
                                                                   "perf_metrics_max_requests"};

  void take(const std::string& key, const YAML::Node& value) {
    const auto named = [&](const auto& entry) { return entry.key == key; };
    if (const auto plain = std::find_if(kPlain.begin(), kPlain.end(), named); plain != kPlain.end()) {
      require(value.IsScalar(), key, value, "a number or a name");
      file_.words.insert(file_.words.end(), {std::string(plain->flag), value.Scalar()});
    } else if (const auto at = std::find_if(kSwitches.begin(), kSwitches.end(), named);
               at != kSwitches.end()) {
      bool on = false;
      require(value.IsScalar() && YAML::convert<bool>::decode(value, on), key, value, "true or false");
      if (const std::string_view flag = on ? at->on : at->off; !flag.empty()) file_.words.emplace_back(flag);
    } else if (std::find(kWithoutEffect.begin(), kWithoutEffect.end(), key) != kWithoutEffect.end()) {
      file_.ignored.push_back(fmt::format("{}: {}", path_, key));
    } else if (key == "scheduler_config.capacity_scheduler_policy") {
      std::string policy = text_of(value);
      std::transform(policy.begin(), policy.end(), policy.begin(),
                     [](unsigned char c) { return char(std::tolower(c)); });
      file_.words.insert(file_.words.end(), {"--capacity-scheduler-policy", policy});
    } else if (key == "moe_config.backend") {
      const bool generated = text_of(value) == "TRTLLM";
      file_.words.insert(file_.words.end(), {"--moe-backend", generated ? "flashinfer_trtllm" : "auto"});
    } else if (key == "cuda_graph_config.batch_sizes") {
      take_graph_sizes(key, value);
    } else if (key == "cuda_graph_config" && value.IsNull()) {
      file_.words.emplace_back("--enforce-eager");
    } else if (key == "speculative_config") {
      take_speculation(value);
    } else if (value.IsMap() && key.find('.') == std::string::npos) {
      for (const auto& entry : value) take(key + "." + entry.first.as<std::string>(), entry.second);
    } else {
      refuse(key);
    }
  }

  void take_graph_sizes(const std::string& key, const YAML::Node& value) {
    std::int64_t largest = 0;
    bool numbers = value.IsSequence() && value.size() > 0;
    for (std::size_t i = 0; numbers && i < value.size(); ++i) {
      std::int64_t size = 0;
      numbers = value[i].IsScalar() && YAML::convert<std::int64_t>::decode(value[i], size);
      largest = std::max(largest, size);
    }
    require(numbers, key, value, "a list of batch sizes");
    file_.words.insert(file_.words.end(), {"--cuda_graph_max_batch_size", std::to_string(largest)});
  }

  // In the terms of vLLM's --speculative-config.
  void take_speculation(const YAML::Node& value) {
    const std::string key = "speculative_config";
    require(value.IsMap() && value["decoding_type"], key, value, "a map with a decoding_type");
    const std::string type = text_of(value["decoding_type"]);
    nlohmann::json config;
    if (type == "MTP") {
      const YAML::Node layers = value["num_nextn_predict_layers"];
      config = {{"method", "mtp"}, {"num_speculative_tokens", layers ? json_of(layers) : nlohmann::json(1)}};
    } else if (type == "Eagle" || type == "Eagle3") {
      require(bool(value["max_draft_len"]), key, value, "max_draft_len");
      config = {{"method", "eagle3"}, {"num_speculative_tokens", json_of(value["max_draft_len"])}};
    } else {
      throw Unsupported(
          fmt::format("{}: {}: decoding_type {} is not modelled, expected MTP or Eagle", path_, key, type));
    }
    file_.words.insert(file_.words.end(), {"--speculative-config", config.dump()});
  }

  void require(bool holds, const std::string& key, const YAML::Node& value, std::string_view expected) const {
    if (holds) return;
    throw InvalidInput(fmt::format("{}: line {}: {} is {}, expected {}", path_, value.Mark().line + 1, key,
                                   json_of(value).dump(), expected));
  }

  [[noreturn]] void refuse(const std::string& key) const {
    std::vector<std::string> known;
    for (const Renamed& entry : kPlain) known.emplace_back(entry.key);
    for (const Switch& entry : kSwitches) known.emplace_back(entry.key);
    throw Unsupported(fmt::format("{}: {} is not modelled{}", path_, key, did_you_mean(key, known)));
  }

  std::string path_;
  ConfigFileWords file_;
};

}  // namespace

ConfigFileWords read_engine_config(std::string_view engine, const std::string& path) {
  const YAML::Node root = load(path);
  return engine == "trtllm" ? TrtllmFile(path).read(root) : flags_of(root);
}

}  // namespace warploom
