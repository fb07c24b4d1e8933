#include "warploom/cli/deployment_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/setup_options.h"
#include "warploom/manifests/lines/engine_command.h"

namespace warploom {
namespace {

constexpr std::array<std::string_view, 29> kPoolFields{"instances",
                                                       "tensor_parallel_size",
                                                       "pipeline_parallel_size",
                                                       "data_parallel_size",
                                                       "enable_expert_parallel",
                                                       "decode_context_parallel_size",
                                                       "prefill_context_parallel_size",
                                                       "enable_dp_attention",
                                                       "all2all_backend",
                                                       "moe_a2a_backend",
                                                       "deepep_mode",
                                                       "enable_eplb",
                                                       "num_redundant_experts",
                                                       "num_attention_ranks",
                                                       "num_ffn_ranks",
                                                       "num_afd_stages",
                                                       "compute_gate_on_attention",
                                                       "max_num_seqs",
                                                       "max_num_batched_tokens",
                                                       "chunked_prefill_size",
                                                       "gpu_memory_utilization",
                                                       "num_gpu_blocks_override",
                                                       "block_size",
                                                       "enforce_eager",
                                                       "routing_policy",
                                                       "async_scheduling",
                                                       "enable_chunked_prefill",
                                                       "long_prefill_token_threshold",
                                                       "enable_prefix_caching"};

// Every other field of ServingConfig is the same in both pools.
std::vector<std::string> shared_fields() {
  std::vector<std::string> names;
  for (const Field& field : fields_of<ServingConfig>().fields)
    if (std::find(kPoolFields.begin(), kPoolFields.end(), field.name) == kPoolFields.end())
      names.push_back(field.name);
  return names;
}

template <class Number>
Number number_in(std::string_view text, const std::string& whole) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw InvalidInput(fmt::format(
        "--fail-at: '{}' is not [POOL:]INSTANCE@SECONDS[+DOWN], expected for example decode:0@30+60", whole));
  }
  return value;
}

}  // namespace

FailureRequest parse_failure(const std::string& text) {
  FailureRequest failure;
  std::string_view rest = text;
  if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    failure.pool = rest.substr(0, colon);
    rest.remove_prefix(colon + 1);
  }
  const std::size_t at = std::min(rest.find('@'), rest.size());
  failure.instance = number_in<std::size_t>(rest.substr(0, at), text);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  const std::size_t plus = std::min(rest.find('+'), rest.size());
  failure.at = Seconds(number_in<double>(rest.substr(0, plus), text));
  if (plus < rest.size()) failure.down = Seconds(number_in<double>(rest.substr(plus + 1), text));
  return failure;
}

bool DeploymentOptions::PoolValues::given() const {
  return !gpu.empty() || !command.empty() || tensor_parallel || pipeline_parallel || data_parallel ||
         fields->any_given();
}

Json DeploymentOptions::PoolValues::over(const Json& setup) const {
  Json pool = setup;
  if (!command.empty()) {
    if (setup.contains("manifest"))
      throw InvalidInput(
          fmt::format("--manifest and --{}-command both start engines, expected one of them", name));
    const EngineCommand started = parse_engine_command(command);
    if (!started.model.empty() && !pool.contains("model")) pool["model"] = started.model;
    if (!started.quantization.empty()) pool["quantization"] = started.quantization;
    pool["config"] = started_fields(started.config, SetupUse::Run);
  }
  if (!gpu.empty()) pool["gpu"] = gpu;
  Json config = pool.value("config", Json::object());
  fields->write(config);
  check_option_names(*fields, config);
  if (tensor_parallel) config["tensor_parallel_size"] = *tensor_parallel;
  if (pipeline_parallel) config["pipeline_parallel_size"] = *pipeline_parallel;
  if (data_parallel) config["data_parallel_size"] = *data_parallel;
  if (!config.empty()) pool["config"] = std::move(config);
  return pool;
}

std::shared_ptr<DeploymentOptions::PoolValues> DeploymentOptions::add_pool(Command& command,
                                                                           const std::string& name) {
  auto values = std::make_shared<PoolValues>();
  values->name = name;
  const std::string prefix = "--" + name + "-";
  const OptionGroup group(command, kPoolGroup);
  command.add_option(prefix + "gpu", values->gpu, fmt::format("GPU of the {} pool", name));
  command.add_option(prefix + "command", values->command,
                     fmt::format("command line that starts the engines of the {} pool", name));
  command.add_option(prefix + "tp", values->tensor_parallel,
                     fmt::format("short for {}tensor-parallel-size", prefix));
  command.add_option(prefix + "pp", values->pipeline_parallel,
                     fmt::format("short for {}pipeline-parallel-size", prefix));
  command.add_option(prefix + "dp", values->data_parallel,
                     fmt::format("short for {}data-parallel-size", prefix));
  values->fields = add_field_options(command, fields_of<ServingConfig>(),
                                     {.skipped = shared_fields(),
                                      .prefix = name + "_",
                                      .shown = {"instances", "max_num_seqs"},
                                      .group = std::string(kPoolGroup)});
  return values;
}

DeploymentOptions::DeploymentOptions(Command& command, const SetupOptions& setup)
    : setup_(setup),
      prefill_(add_pool(command, "prefill")),
      decode_(add_pool(command, "decode")),
      transfer_(add_fields_of<KvTransferRequest>(command, {.group = std::string(kPoolGroup)})),
      autoscaling_(add_fields_of<AutoscalingConfig>(command, {.group = std::string(kFleetGroup)})),
      failures_(std::make_shared<std::vector<std::string>>()) {
  const OptionGroup group(command, kFleetGroup);
  command.add_option("--fail-at", *failures_,
                     "[POOL:]INSTANCE@SECONDS[+DOWN]: an instance fails and comes back; may be given again");
}

void DeploymentOptions::write(Json& request) const {
  if (autoscaling_->any_given()) autoscaling_->write(request["autoscaling"]);
  for (const std::string& text : *failures_) request["failures"].push_back(to_json(parse_failure(text)));
  const Json shared = request["setup"];
  if (!prefill_->given() && !decode_->given() && !(setup_.has_pools() && transfer_->any_given())) {
    if (transfer_->any_given())
      throw InvalidInput(
          "--kv-transfer-... is between pools, expected --prefill-instances and --decode-instances too");
    return;
  }
  Json pools{{"prefill", prefill_->over(shared)}, {"decode", decode_->over(shared)}};
  if (transfer_->any_given()) transfer_->write(pools["transfer"]);
  request["disaggregation"] = std::move(pools);
}

void DeploymentOptions::name_fields(GivenNames& names) const {
  for (const auto& pool : {prefill_, decode_}) names.add(pool->fields->given_options(), pool->name);
}

}  // namespace warploom
