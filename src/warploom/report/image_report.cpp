#include "warploom/report/image_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"

namespace warploom {
namespace {

Seconds encoding_time(const SimulationResult& result) {
  Seconds sum;
  for (const KernelTime& kernel : result.kernels)
    if (kernel.label.starts_with("vision_")) sum += kernel.time;
  return sum;
}

double mean_of_sum(double sum, std::int64_t count) { return sum / double(std::max<std::int64_t>(1, count)); }

double mean_ms(Seconds sum, std::int64_t count) { return mean_of_sum(to_milliseconds(sum), count); }

}  // namespace

std::string image_text(const RunLabel& label, const SimulationResult& result) {
  if (label.vision.empty()) return {};
  std::string text =
      fmt::format("images: {} encoded ({}), {} ms of GPU time each\n", count_text(result.totals.images),
                  label.vision, fixed_text(mean_ms(encoding_time(result), result.totals.images), 2));
  if (result.encoders) {
    const EncoderTotals& pool = *result.encoders;
    text += fmt::format(
        "encode: {} x {}, {} steps; a request waits {} ms for its embeddings, {} MB and {} ms on the way "
        "each image\n",
        count_text(pool.gpus), label.encoders->gpu, count_text(pool.steps.steps),
        fixed_text(mean_ms(pool.wait, pool.requests), 2),
        fixed_text(mean_of_sum(pool.bytes.value() / 1e6, pool.steps.images), 2),
        fixed_text(mean_ms(pool.transfer_wait, pool.steps.images), 2));
  }
  return text + "\n";
}

void add_image_figures(Json& document, const RunLabel& label, const SimulationResult& result) {
  if (label.vision.empty()) return;
  const std::int64_t images = result.totals.images;
  Json section = {{"encoder", label.vision},
                  {"encoded", images},
                  {"gpu_time_s", encoding_time(result).value()},
                  {"gpu_time_per_image_ms", mean_ms(encoding_time(result), images)}};
  if (result.encoders) {
    const EncoderTotals& pool = *result.encoders;
    section["pool"] = {{"gpu", label.encoders->gpu},
                       {"instances", pool.instances},
                       {"gpus", pool.gpus},
                       {"steps", pool.steps.steps},
                       {"image_tokens", pool.steps.tokens},
                       {"gpu_p50_s", pool.steps.gpu_p50.value()},
                       {"host_s", pool.steps.host.value()},
                       {"gpu_time_s", pool.gpu_time.value()},
                       {"mean_wait_ms", mean_ms(pool.wait, pool.requests)},
                       {"transfer_bytes", pool.bytes.value()},
                       {"mean_transfer_ms", mean_ms(pool.transfer_wait, pool.steps.images)}};
  }
  document["images"] = std::move(section);
}

std::string thinking_text(const SimulationResult& result) {
  if (!result.thinking) return {};
  const ThinkingTotals& thinking = *result.thinking;
  return fmt::format(
      "thinking: {} tokens of thoughts and {} of answers, {} requests at their budget; time to the first "
      "token of the answer: mean {} ms, p50 {}, p90 {}, p99 {}\n\n",
      count_text(thinking.thinking_tokens), count_text(thinking.answer_tokens), count_text(thinking.cut),
      fixed_text(to_milliseconds(thinking.ttfat.mean), 2), fixed_text(to_milliseconds(thinking.ttfat.p50), 2),
      fixed_text(to_milliseconds(thinking.ttfat.p90), 2), fixed_text(to_milliseconds(thinking.ttfat.p99), 2));
}

void add_thinking_figures(Json& document, const SimulationResult& result) {
  if (!result.thinking) return;
  const ThinkingTotals& thinking = *result.thinking;
  document["thinking"] = {{"thinking_tokens", thinking.thinking_tokens},
                          {"answer_tokens", thinking.answer_tokens},
                          {"requests_at_budget", thinking.cut},
                          {"mean_ttfat_ms", to_milliseconds(thinking.ttfat.mean)},
                          {"median_ttfat_ms", to_milliseconds(thinking.ttfat.median)},
                          {"p90_ttfat_ms", to_milliseconds(thinking.ttfat.p90)},
                          {"p95_ttfat_ms", to_milliseconds(thinking.ttfat.p95)},
                          {"p99_ttfat_ms", to_milliseconds(thinking.ttfat.p99)}};
}

}  // namespace warploom
