#include "warploom/report/image_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/report/number_text.h"

namespace warploom {
namespace {

std::vector<KernelTime> encoder_kernels(const SimulationResult& result) {
  std::vector<KernelTime> kernels;
  for (const KernelTime& kernel : result.kernels)
    if (kernel.label.starts_with("vision_")) kernels.push_back(kernel);
  return kernels;
}

Seconds encoding_time(const SimulationResult& result) {
  Seconds sum;
  for (const KernelTime& kernel : encoder_kernels(result)) sum += kernel.time;
  return sum;
}

double mean_of_sum(double sum, std::int64_t count) { return sum / double(std::max<std::int64_t>(1, count)); }

double mean_ms(Seconds sum, std::int64_t count) { return mean_of_sum(to_milliseconds(sum), count); }

}  // namespace

std::string image_text(const RunLabel& label, const SimulationResult& result) {
  if (label.vision.empty()) return {};
  const std::int64_t images = result.totals.images;
  const KernelTrust trust = trust_of(encoder_kernels(result));
  const auto each = [&](Seconds sum) { return fixed_text(mean_ms(sum, images), 2); };
  std::string text = fmt::format(
      "images: {} encoded ({}), {} ms of GPU time each, {} to {} ({}, {}{})\n", count_text(images),
      label.vision, each(encoding_time(result)), each(result.totals.images_p10),
      each(result.totals.images_p90), name_of(trust.tier), kEncoderRestsOn,
      trust.outside_share > 0
          ? fmt::format("; {} % outside of what was measured", fixed_text(100 * trust.outside_share, 0))
          : std::string());
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
  const KernelTrust trust = trust_of(encoder_kernels(result));
  Json section = {{"encoder", label.vision},
                  {"encoded", images},
                  {"gpu_time_s", encoding_time(result).value()},
                  {"gpu_time_per_image_ms", mean_ms(encoding_time(result), images)},
                  {"gpu_time_per_image_p10_ms", mean_ms(result.totals.images_p10, images)},
                  {"gpu_time_per_image_p90_ms", mean_ms(result.totals.images_p90, images)},
                  {"tier", name_of(trust.tier)},
                  {"outside_share", trust.outside_share},
                  {"rests_on", kEncoderRestsOn}};
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
