#include "warploom/cli/workload_options.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "warploom/base/error.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"

namespace warploom {
namespace {

// "inf" or a number, as Python's float() takes them.
double rate_from_text(const std::string& text) {
  double rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || end != text.data() + text.size() || !(rate > 0))
    throw InvalidInput(fmt::format("--request-rate: '{}', expected requests/s above 0, or inf", text));
  return rate;
}

}  // namespace

WorkloadOptions::WorkloadOptions(Command& command) : values_(std::make_shared<Values>()) {
  const OptionGroup group(command, kWorkloadGroup);
  WorkloadRequestSource& source = values_->source;
  command.add_option("--workload", source.workload,
                     "a fitted workload: conversation (the default); or random, see --random-input-len");
  command.add_option("--trace", values_->trace, "a recorded trace (CSV or JSONL) in its place");
  command.add_option("--requests", source.requests, "how many requests; default 1000, or the whole trace")
      ->type_name("INTEGER");
  command.add_option("--num-prompts", values_->num_prompts, "the same, by the name of `vllm bench serve`");
  command.add_option("--rate", source.rate, "requests/s in place of the recorded ones");
  command.add_option("--concurrency", source.concurrency, "closed loop with this many requests in flight");
  command
      .add_option("--request-rate", values_->request_rate,
                  "requests/s as `vllm bench serve` sends them, inf for all at once")
      ->type_name("NUMBER");
  command.add_option("--max-concurrency", source.max_concurrency,
                     "most requests in flight; without a rate a closed loop");
  command.add_option("--burstiness", source.burstiness,
                     "with a rate: shape of gamma gaps, 1 Poisson, below it bursts");
  random_ = add_fields_of<RandomPrompts>(command, {.group = std::string(kWorkloadGroup)});
  sessions_ = add_fields_of<SessionShape>(command, {.group = std::string(kWorkloadGroup)});
  command.add_option("--user-think-time", values_->think_time_s,
                     "with --concurrency: mean seconds before a user's next request");
  command.add_option("--images-per-request", source.images, "images before every prompt");
  command.add_option_function<std::int64_t>(
      "--image-tokens",
      [values = values_](const std::int64_t& tokens) {
        values->source.image_tokens = tokens;
        values->image_tokens_given = true;
      },
      fmt::format("tokens of an image; default {}", source.image_tokens));
  command.add_option("--vision-encoder", values_->vision_encoder,
                     "a vision_config as JSON, or the path of a config.json that has one");
  command.add_option("--seed", source.seed, "of what is drawn");
}

std::string WorkloadOptions::apply(SimulateRequest& request) const {
  WorkloadRequestSource source = values_->source;
  source.trace = values_->trace;
  if (values_->think_time_s) source.think_time = Seconds(*values_->think_time_s);
  if (!values_->request_rate.empty()) source.request_rate = rate_from_text(values_->request_rate);
  if (values_->num_prompts) {
    if (source.requests)
      throw InvalidInput("--requests and --num-prompts say the same, expected one of them");
    source.requests = values_->num_prompts;
  }
  if (sessions_->given("sessions")) {
    sessions_->apply(&source.sessions.emplace());
  } else if (sessions_->any_given()) {
    throw InvalidInput(fmt::format("{} changes nothing by itself, expected --sessions N too",
                                   sessions_->given_options().front().first));
  }
  if (random_->any_given() || source.workload == "random") {
    random_->apply(&source.random.emplace());
    if (source.workload == "random") source.workload.clear();
  }
  if (values_->image_tokens_given && !source.images)
    throw InvalidInput("--image-tokens changes nothing by itself, expected --images-per-request too");
  std::string note;
  if (source.workload.empty() && source.trace.empty() && !source.sessions && !source.random) {
    source.workload = kDefaultWorkload;
    note = fmt::format(
        "no workload was named: this is --workload {} (others: --trace, --random-input-len, --sessions)",
        kDefaultWorkload);
  }
  request.setup.vision_encoder = values_->vision_encoder;
  request.setup.image_tokens = source.image_tokens;
  request.source = std::move(source);
  return note;
}

}  // namespace warploom
