#include "warploom/app/serving/image_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "warploom/app/serving/vision_choice.h"
#include "warploom/base/error.h"
#include "warploom/models/model_catalog.h"
#include "warploom/models/vision_operators.h"

namespace warploom {
namespace {

[[noreturn]] void refuse_size(std::string_view entry) {
  throw InvalidInput(fmt::format(
      "image_size: '{}', expected WIDTHxHEIGHT, WIDTHxHEIGHTxFRAMES, several of them with shares as "
      "1280x720:0.7,640x480:0.3, or {{(HEIGHT, WIDTH, FRAMES): SHARE}}",
      entry));
}

template <class Number>
Number size_number(std::string_view text, std::string_view entry) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse_size(entry);
  return value;
}

// Two or three whole numbers between separators.
std::vector<std::int64_t> size_numbers(std::string_view text, char separator, std::string_view entry) {
  std::vector<std::int64_t> numbers;
  while (true) {
    const std::size_t end = text.find(separator);
    numbers.push_back(size_number<std::int64_t>(text.substr(0, end), entry));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  if (numbers.size() < 2 || numbers.size() > 3) refuse_size(entry);
  if (numbers.size() == 2) numbers.push_back(1);
  return numbers;
}

double size_share(std::string_view text, std::string_view entry) {
  const double share = size_number<double>(text, entry);
  if (!(share >= 0) || !std::isfinite(share)) refuse_size(entry);
  return share;
}

std::vector<ImageSizeShare> parse_size_buckets(std::string_view text) {
  std::vector<ImageSizeShare> sizes;
  std::string_view left = text.substr(1);
  while (!left.starts_with('}')) {
    const std::size_t close = left.find(')'), colon = left.find(':'), end = left.find_first_of(",}", colon);
    if (!left.starts_with('(') || close == left.npos || colon != close + 1 || end == left.npos)
      refuse_size(text);
    const auto numbers = size_numbers(left.substr(1, close - 1), ',', text);
    const double share = size_share(left.substr(colon + 1, end - colon - 1), text);
    if (share > 0) sizes.push_back({{numbers[1], numbers[0], numbers[2]}, share});
    left.remove_prefix(left[end] == ',' ? end + 1 : end);
  }
  if (sizes.empty() || left != "}") refuse_size(text);
  return sizes;
}

std::vector<ImageSizeShare> parse_size_list(std::string_view text) {
  std::vector<ImageSizeShare> sizes;
  for (std::string_view left = text; !left.empty();) {
    const std::size_t end = std::min(left.find(','), left.size());
    const std::string_view entry = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    const std::size_t colon = entry.find(':');
    const auto numbers = size_numbers(entry.substr(0, colon), 'x', entry);
    const double share = colon == entry.npos ? 1 : size_share(entry.substr(colon + 1), entry);
    if (share == 0) refuse_size(entry);
    sizes.push_back({{numbers[0], numbers[1], numbers[2]}, share});
  }
  if (sizes.empty()) refuse_size(text);
  return sizes;
}

// Fields that change nothing where no request has images.
void refuse_without_images(const SimulateRequest& request) {
  const WorkloadRequestSource usual, &source = request.source;
  const ServingSetupRequest& setup = request.disaggregation ? request.disaggregation->prefill : request.setup;
  const std::array<std::pair<bool, std::string_view>, 4> given{
      {{source.image_tokens != usual.image_tokens || setup.image_tokens > 0, "image_tokens"},
       {!source.image_size.empty(), "image_size"},
       {source.image_share != usual.image_share, "image_request_share"},
       {!setup.vision_encoder.empty(), "vision_encoder"}}};
  for (const auto& [is_given, field] : given)
    if (is_given)
      throw InvalidInput(
          fmt::format("{} changes nothing by itself, expected `images_per_request` too", field));
}

}  // namespace

std::vector<ImageSizeShare> parse_image_sizes(std::string_view text) {
  std::string packed(text);
  std::erase(packed, ' ');
  return packed.starts_with('{') ? parse_size_buckets(packed) : parse_size_list(packed);
}

std::string vision_words(const SimulateRequest& request) {
  const ServingSetupRequest& setup = request.disaggregation ? request.disaggregation->prefill : request.setup;
  const VisionEncoder encoder =
      vision_of(setup.vision_encoder, setup.files, load_model(setup.model, setup.files));
  return fmt::format("{} layers of width {}, patches of {} pixels, {:.2f} GB", encoder.depth, encoder.hidden,
                     encoder.patch, vision_weights(encoder, {}).value() / 1e9);
}

std::vector<ImageDraw> image_draws_of(const SimulateRequest& request) {
  const WorkloadRequestSource usual, &source = request.source;
  if (!source.images) {
    refuse_without_images(request);
    return {};
  }
  const ServingSetupRequest& setup = request.disaggregation ? request.disaggregation->prefill : request.setup;
  const VisionEncoder encoder =
      vision_of(setup.vision_encoder, setup.files, load_model(setup.model, setup.files));
  const bool tokens = source.image_tokens != usual.image_tokens || setup.image_tokens > 0;
  if (tokens && !source.image_size.empty())
    throw InvalidInput("image_tokens: `image_size` says how many there are, expected one of them");
  if (source.image_size.empty())
    return {{.shape = image_of_tokens(encoder,
                                      setup.image_tokens > 0 ? setup.image_tokens : source.image_tokens)}};
  std::vector<ImageDraw> draws;
  for (const ImageSizeShare& each : parse_image_sizes(source.image_size))
    draws.push_back({.shape = image_shape(encoder, each.size), .share = each.share});
  return draws;
}

}  // namespace warploom
