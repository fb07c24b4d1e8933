// Images into the prompts of a workload.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/random.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {
namespace {

void check_images(std::int64_t images, const std::vector<ImageDraw>& draws) {
  constexpr std::int64_t kMostOfEach = 1'000'000, kMostTogether = kMaxRequestTokens / 2;
  for (const ImageDraw& draw : draws) {
    const std::int64_t tokens = draw.shape.tokens;
    if (images < 1 || images > kMostOfEach || tokens < 1 || tokens > kMostOfEach ||
        images * tokens > kMostTogether)
      throw InvalidInput(
          fmt::format("images: {} of {} tokens each, expected at least 1 of at least 1, {} tokens together",
                      images, tokens, kMostTogether));
    if (!(draw.share > 0 && draw.share <= 1e9))
      throw InvalidInput(fmt::format("images: a share of {}, expected above 0", draw.share));
  }
}

// The hash of a prompt's stretches up to and with each.
template <class Visit>
void visit_leading(std::span<const ContentSegment> content, const Visit& visit) {
  std::uint64_t hash = 0;
  for (const ContentSegment& segment : content) {
    hash = hash_combine(hash_combine(hash, segment.content), std::uint64_t(segment.tokens));
    if (!visit(hash, segment.tokens)) return;
  }
}

// How many tokens of `turn` are those of `before`, which goes on for ever in its last stretch.
std::int64_t common_tokens(std::span<const ContentSegment> before, std::span<const ContentSegment> turn) {
  std::int64_t common = 0;
  for (std::size_t i = 0; i < before.size() && i < turn.size(); ++i) {
    if (before[i].content != turn[i].content) return common;
    const bool last = i + 1 == before.size();
    common += last ? turn[i].tokens : std::min(before[i].tokens, turn[i].tokens);
    if (!last && before[i].tokens != turn[i].tokens) return common;
  }
  return common;
}

// Places images between the words of one prompt after the other.
class ImagePlacement {
 public:
  ImagePlacement(Workload& workload, std::int64_t images, const std::vector<ImageDraw>& draws,
                 double request_share, std::uint64_t seed)
      : workload_(workload),
        images_(images),
        draws_(draws),
        request_share_(request_share),
        random_(seed, "images") {
    for (const ImageDraw& draw : draws) {
      workload_.image_shapes.push_back(draw.shape);
      all_shares_ += draw.share;
    }
    for (std::size_t i = 0; i < workload_.requests.size(); ++i)
      if (workload_.requests[i].after < 0)
        visit_leading(workload_.content_of(i),
                      [&](std::uint64_t hash, std::int32_t) { return ++prompts_with_[hash] > 0; });
  }

  void place() {
    std::vector<ContentSegment> content;
    std::vector<std::uint32_t> content_begin;
    if (!workload_.content_begin.empty()) content_begin.push_back(0);
    workload_.images_begin.push_back(0);
    const std::vector<WorkloadRequest> words = workload_.requests;  // without images
    for (std::size_t i = 0; i < words.size(); ++i) {
      place_in(i, words);
      if (content_begin.empty()) continue;
      add_content(i, content);
      content_begin.push_back(std::uint32_t(content.size()));
    }
    workload_.content = std::move(content);
    workload_.content_begin = std::move(content_begin);
  }

 private:
  std::uint16_t drawn_shape() {
    double left = draws_.size() > 1 ? random_.uniform() * all_shares_ : 0;
    std::size_t kind = 0;
    while (kind + 1 < draws_.size() && left >= draws_[kind].share) left -= draws_[kind++].share;
    return std::uint16_t(kind);
  }

  // Where a prompt's own words begin, images not counted: after what another session's first prompt has too.
  std::int64_t own_begin(std::size_t request) const {
    std::int64_t shared = 0;
    visit_leading(workload_.content_of(request), [&](std::uint64_t hash, std::int32_t tokens) {
      const auto found = prompts_with_.find(hash);
      const std::int64_t others = workload_.requests[request].after < 0 ? 1 : 0;
      if (found == prompts_with_.end() || found->second <= others) return false;
      shared += tokens;
      return true;
    });
    return shared;
  }

  void place_in(std::size_t i, const std::vector<WorkloadRequest>& words) {
    WorkloadRequest& request = workload_.requests[i];
    const auto known = workload_.content_of(i);
    std::int64_t at = own_begin(i), tokens = request.input_tokens, before = 0;
    const auto put = [&](PlacedImage image, std::int64_t words_before) {
      image.begin = std::int32_t(words_before + before);
      before += workload_.tokens_of(image);
      tokens += workload_.tokens_of(image);
      if (tokens > kMaxRequestTokens)
        throw InvalidInput(
            fmt::format("workload '{}': request {} has {} tokens with its images, expected at most {}",
                        workload_.name, i, tokens, kMaxRequestTokens));
      workload_.images.push_back(image);
      words_before_.push_back(std::int32_t(words_before));
      ++request.images;
    };
    if (request.after >= 0 && !known.empty()) {
      const auto parent = std::size_t(request.after);
      const std::int64_t common =
          std::min(common_tokens(workload_.content_of(parent), known),
                   std::int64_t(words[parent].input_tokens) + words[parent].output_tokens);
      for (std::uint32_t k = workload_.images_begin[parent]; k < workload_.images_begin[parent + 1]; ++k) {
        if (words_before_[k] >= common) break;
        PlacedImage image = workload_.images[k];
        image.own = false;
        put(image, words_before_[k]);
      }
      at = std::max(at, common);
    }
    if (request_share_ >= 1 || random_.uniform() < request_share_)
      for (std::int64_t k = 0; k < images_; ++k)
        put({.identity = next_identity_++, .shape = drawn_shape()}, at);
    request.input_tokens = std::int32_t(tokens);
    workload_.images_begin.push_back(std::uint32_t(workload_.images.size()));
  }

  // The prompt's stretches with its images between them.
  void add_content(std::size_t request, std::vector<ContentSegment>& content) const {
    std::int64_t left_out = 0;  // of the words, those before are there
    std::uint32_t image = workload_.images_begin[request];
    const std::uint32_t end = workload_.images_begin[request + 1];
    const auto known = workload_.content_of(request);
    if (known.empty()) return;
    const auto put_images = [&](std::int64_t up_to) {
      for (; image < end && words_before_[image] <= up_to; ++image)
        content.push_back({hash_combine(kImageContent, workload_.images[image].identity),
                           std::int32_t(workload_.tokens_of(workload_.images[image]))});
    };
    for (const ContentSegment& segment : known) {
      std::int64_t tokens = segment.tokens;
      while (tokens > 0) {
        put_images(left_out);
        const std::int64_t part =
            image < end ? std::min<std::int64_t>(tokens, words_before_[image] - left_out) : tokens;
        content.push_back({segment.content, std::int32_t(part)});
        left_out += part;
        tokens -= part;
      }
    }
    put_images(left_out);
    // What is generated goes on with the words, whatever stands last.
    if (content.back().content != known.back().content) content.push_back({known.back().content, 0});
  }

  static constexpr std::uint64_t kImageContent = 0x696d616765;  // "image": contents of no words
  Workload& workload_;
  std::int64_t images_;
  const std::vector<ImageDraw>& draws_;
  double request_share_, all_shares_ = 0;
  RandomStream random_;
  std::unordered_map<std::uint64_t, std::int64_t> prompts_with_;  // of first turns
  std::vector<std::int32_t> words_before_;                        // each of workload_.images
  std::uint32_t next_identity_ = 0;
};

}  // namespace

void add_images(Workload& workload, std::int64_t images, const std::vector<ImageDraw>& draws,
                double request_share, std::uint64_t seed) {
  check_images(images, draws);
  ImagePlacement(workload, images, draws, request_share, seed).place();
  if (workload.images.empty())
    throw InvalidInput(
        fmt::format("workload '{}': no request was drawn to have images, expected a larger "
                    "`image_request_share`",
                    workload.name));
}

}  // namespace warploom
