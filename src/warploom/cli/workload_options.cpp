#include "warploom/cli/workload_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"

namespace warploom {
namespace {

// "inf" or a number, as Python's float() takes them.
Json rate_from_text(const std::string& text) {
  double rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || end != text.data() + text.size() || !(rate > 0))
    throw InvalidInput(fmt::format("--request-rate: '{}', expected requests/s above 0, or inf", text));
  return std::isinf(rate) ? Json("inf") : Json(rate);
}

}  // namespace

WorkloadOptions::WorkloadOptions(Command& command, WorkloadUse use) : values_(std::make_shared<Values>()) {
  const OptionGroup group(command, kWorkloadGroup);
  const std::string heading(kWorkloadGroup);
  std::vector<std::string> skipped{"sessions", "random", "request_rate"};
  if (use == WorkloadUse::Plan)
    skipped.insert(skipped.end(), {"thinking_tokens", "thinking_std_dev", "thinking_token_budget"});
  fields_ = add_request_options<WorkloadRequestSource>(command, {.skipped = skipped, .group = heading});
  command.add_option("--num-prompts", values_->num_prompts,
                     "what --requests says, by the name of `vllm bench serve`");
  command
      .add_option("--request-rate", values_->request_rate,
                  "requests/s as `vllm bench serve` sends them, inf for all at once")
      ->type_name("NUMBER");
  random_ = add_fields_of<RandomPrompts>(command, {.group = heading});
  sessions_ = add_fields_of<SessionShape>(command, {.group = heading});
  if (use == WorkloadUse::Plan)
    command
        .add_option("--input-tokens", values_->input_tokens,
                    "tokens of every prompt; with --output-tokens those of every answer")
        ->positive();
  command.add_option("--random-mm-base-items-per-request", values_->mm_items,
                     "what --images-per-request says, by the name of `vllm bench serve`");
  command.add_option(
      "--random-mm-bucket-config", values_->mm_buckets,
      "what --image-size says, as `vllm bench serve` takes it: {(HEIGHT, WIDTH, FRAMES): SHARE}");
  if (use == WorkloadUse::Plan) return;  // its request has it itself
  command.add_option("--vision-encoder", values_->vision_encoder,
                     "a vision_config as JSON, or the path of a config.json that has one");
}

// Whether --input-tokens says the lengths; --output-tokens then is no session's.
bool WorkloadOptions::write_lengths(Json& source) const {
  if (!values_->input_tokens) return false;
  if (random_->any_given())
    throw InvalidInput(fmt::format("--input-tokens and {} say the same, expected one of them",
                                   random_->given_options().front().first));
  for (const auto& [option, field] : sessions_->given_options())
    if (field != "output_tokens")
      throw InvalidInput(fmt::format("{} is of sessions, expected it without --input-tokens", option));
  Json lengths = Json::object();
  sessions_->write(lengths);
  source["random"]["random_input_len"] = *values_->input_tokens;
  if (lengths.contains("output_tokens")) source["random"]["random_output_len"] = lengths["output_tokens"];
  return true;
}

// By the names of `vllm bench serve`.
void WorkloadOptions::write_images(Json& source) const {
  const auto take = [&](const char* field, std::string_view option, std::string_view same, Json value) {
    if (source.contains(field))
      throw InvalidInput(fmt::format("{} and {} say the same, expected one of them", same, option));
    source[field] = std::move(value);
  };
  if (values_->mm_items)
    take("images_per_request", "--random-mm-base-items-per-request", "--images-per-request",
         *values_->mm_items);
  if (!values_->mm_buckets.empty())
    take("image_size", "--random-mm-bucket-config", "--image-size", values_->mm_buckets);
}

void WorkloadOptions::write(Json& request) const {
  Json source = Json::object();
  fields_->write(source);
  if (!values_->request_rate.empty()) source["request_rate"] = rate_from_text(values_->request_rate);
  if (values_->num_prompts) {
    if (source.contains("requests"))
      throw InvalidInput("--requests and --num-prompts say the same, expected one of them");
    source["requests"] = *values_->num_prompts;
  }
  write_images(source);
  if (write_lengths(source)) {
    // Random prompts, by other names.
  } else if (sessions_->given("sessions")) {
    sessions_->write(source["sessions"]);
  } else if (sessions_->any_given()) {
    throw InvalidInput(fmt::format("{} changes nothing by itself, expected --sessions N too",
                                   sessions_->given_options().front().first));
  }
  if (random_->any_given() || source.value("workload", "") == "random") {
    if (!source.contains("random")) source["random"] = Json::object();
    random_->write(source["random"]);
    if (source.value("workload", "") == "random") source.erase("workload");
  }
  if (!values_->vision_encoder.empty()) request["setup"]["vision_encoder"] = values_->vision_encoder;
  if (!source.empty()) request["source"] = std::move(source);
}

}  // namespace warploom
