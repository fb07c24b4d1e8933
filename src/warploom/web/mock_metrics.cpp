#include "warploom/web/mock_metrics.h"

#include <fmt/format.h>

#include <string_view>

namespace warploom {
namespace {

// As the text format wants it of a label's value.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

class MetricsText {
 public:
  explicit MetricsText(const std::string& model)
      : labels_(fmt::format("engine=\"0\",model_name=\"{}\"", escaped(model))) {}

  void head(std::string_view name, std::string_view type, std::string_view about) {
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, about, name, type);
  }
  void value(std::string_view name, double value, std::string_view more = {}) {
    text_ += fmt::format("{}{{{}{}{}}} {}\n", name, labels_, more.empty() ? "" : ",", more, value);
  }
  void gauge(std::string_view name, double now, std::string_view about) {
    head(name, "gauge", about);
    value(name, now);
  }
  void counter(std::string_view name, std::int64_t count, std::string_view about) {
    head(name, "counter", about);
    value(name, double(count));
  }
  void histogram(std::string_view name, const BoundedCounts& samples, std::string_view about) {
    head(name, "histogram", about);
    const std::string bucket = fmt::format("{}_bucket", name);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < samples.bounds().size(); ++i)
      value(bucket, double(sum += samples.counts()[i]), fmt::format("le=\"{}\"", samples.bounds()[i]));
    sum += samples.counts().back();
    value(bucket, double(sum), "le=\"+Inf\"");
    value(fmt::format("{}_count", name), double(sum));
    value(fmt::format("{}_sum", name), samples.sum());
  }
  std::string take() { return std::move(text_); }

 private:
  const std::string labels_;
  std::string text_;
};

}  // namespace

std::string mock_metrics_text(const PacedFigures& figures, const std::string& model) {
  MetricsText text(model);
  text.gauge("vllm:num_requests_running", double(figures.load.running), "Requests in batches.");
  text.gauge("vllm:num_requests_waiting", double(figures.load.waiting), "Requests in queues.");
  text.gauge("vllm:kv_cache_usage_perc", figures.load.kv_use, "Share of the KV cache in use, 1 is all.");
  text.counter("vllm:num_preemptions_total", figures.load.preemptions, "Preempted requests.");
  text.counter("vllm:prompt_tokens_total", figures.prompt_tokens, "Tokens of prompts.");
  text.counter("vllm:generation_tokens_total", figures.generated_tokens, "Tokens generated.");
  text.head("vllm:request_success_total", "counter", "Requests that ended, by reason.");
  text.value("vllm:request_success_total", double(figures.completed), "finished_reason=\"length\"");
  text.value("vllm:request_success_total", double(figures.stopped), "finished_reason=\"abort\"");
  text.histogram("vllm:time_to_first_token_seconds", figures.ttft, "Simulated time to the first token.");
  text.histogram("vllm:request_time_per_output_token_seconds", figures.tpot,
                 "Simulated time of a token after the first, by request.");
  text.histogram("vllm:e2e_request_latency_seconds", figures.e2el, "Simulated time of a whole request.");
  text.gauge("warploom:most_lag_seconds", figures.most_lag_s,
             "Most that tokens left late, because this machine did not keep up with the simulated clock.");
  text.counter("warploom:first_tokens_total", figures.first_tokens, "Streams that have begun.");
  text.head("warploom:first_token_lag_seconds_total", "counter",
            "That first tokens of streams left late, together, by this machine's clock.");
  text.value("warploom:first_token_lag_seconds_total", figures.first_token_lag_s);
  return text.take();
}

}  // namespace warploom
