// The requests of a run: how long, and when they come.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warploom/base/units.h"
#include "warploom/models/image_shape.h"
#include "warploom/serving/metrics.h"
#include "warploom/serving/time/sim_time.h"

namespace warploom {

struct WorkloadRequest {
  SimTime arrival;
  std::int32_t input_tokens = 1;
  std::int32_t output_tokens = 1;
  // A later turn: comes `delay` after request `after` (an earlier index) completes, or with `from_sending`
  // after it was sent; `arrival` is not read.
  std::int32_t after = -1;
  SimDuration delay{};  // in a closed loop also of first turns: how long the user thinks before this request
  bool from_sending = false;
  std::int32_t images = 0;           // part of the input: those of Workload::images_of
  std::int32_t priority = 0;         // lower is served first, by policies that look at it
  std::int32_t thinking_tokens = 0;  // of the output, before the answer, which has at least one token
  bool thinking_cut = false;         // by a budget
  bool rejected = false;  // too long for the engine, which turns it away on arrival; see length_limit.h
};

// A stretch of a prompt. Equal contents at equal places mean equal tokens; what a request generates goes on
// with the content of its last stretch.
struct ContentSegment {
  std::uint64_t content = 0;
  std::int32_t tokens = 0;
};

// A picture or video in a prompt. A later turn has those of the turns that its prompt goes on from.
struct PlacedImage {
  std::uint32_t identity = 0;  // equal: the same picture
  std::int32_t begin = 0;      // token of the prompt
  std::uint16_t shape = 0;     // place in Workload::image_shapes
  bool own = true;             // first seen in this prompt
};

// What a request is counted under; kNoGroup: nothing.
constexpr std::uint16_t kNoGroup = 0xFFFF;
struct RequestGroups {
  std::uint16_t slo_class = kNoGroup, tenant = kNoGroup;  // places in the workload's lists
};

// A request waits for another beside the one in `after`, both of one session, and is sent when the last of
// them lets it go.
struct FurtherParent {
  std::uint32_t request = 0, parent = 0;
  SimDuration delay{};
  bool from_sending = false;
};

struct Workload {
  std::string name;
  std::vector<WorkloadRequest> requests;  // in order of arrival
  std::vector<FurtherParent>
      further_parents;  // in order of `request`; sessions are trees where there is none
  // Closed loop: this many requests are kept in flight, in the order of `requests`, and arrival times are
  // ignored; with later turns, this many sessions.
  std::optional<std::int64_t> concurrency;
  // Arrival times hold, but a request is sent only when fewer than this many are in flight; its latencies
  // count from there. Not with later turns.
  std::optional<std::int64_t> most_in_flight;
  // What prompts hold, for prefix caches: the segments of request i are content[content_begin[i]] up to
  // content[content_begin[i + 1]]. Both empty when no two prompts share anything.
  std::vector<ContentSegment> content;
  std::vector<std::uint32_t> content_begin;
  std::span<const ContentSegment> content_of(std::size_t request) const {
    if (content_begin.empty()) return {};
    return std::span(content).subspan(content_begin[request],
                                      content_begin[request + 1] - content_begin[request]);
  }
  // For a part of a workload: where its requests stand in the whole. Empty: as they stand here. Draws depend
  // on it, so that a request fares alike whatever is simulated beside it.
  std::vector<std::uint32_t> origin;
  std::uint32_t origin_of(std::uint32_t request) const { return origin.empty() ? request : origin[request]; }
  // Pictures and videos: those of request i are images[images_begin[i]] up to images[images_begin[i + 1]], in
  // order of their places. Empty where there are none; one that was appended has none.
  std::vector<ImageShape> image_shapes;
  std::vector<PlacedImage> images;
  std::vector<std::uint32_t> images_begin;
  std::span<const PlacedImage> images_of(std::size_t request) const {
    if (request + 1 >= images_begin.size()) return {};
    return std::span(images).subspan(images_begin[request],
                                     images_begin[request + 1] - images_begin[request]);
  }
  std::int64_t tokens_of(const PlacedImage& image) const { return image_shapes[image.shape].tokens; }
  std::int64_t end_of(const PlacedImage& image) const { return image.begin + tokens_of(image); }
  // Classes with the limits of one request, tenants, and which each request has; all empty where nobody says.
  std::vector<std::string> classes, tenants;
  std::vector<Slo> class_limits;
  std::vector<RequestGroups> groups;
  bool timed = true;  // false: the source states no arrivals; all are zero until one of the below sets them
};

// Lengths above this are refused: no model reads them, and counters stay 32-bit.
constexpr std::int64_t kMaxRequestTokens = 100'000'000;

// Throws InvalidInput: no requests, lengths below 1 or above kMaxRequestTokens, negative arrivals, arrivals
// out of order, turns before what they wait for or of two sessions, concurrency below 1, contents that are
// not of the prompts. `name` and the request's index are in the message.
void check_workload(const Workload& workload);

// Replace the arrival times; requests keep their order, and later turns still follow the answers before them.
// Rates in requests (with turns: sessions) per second, finite and > 0.
void set_poisson_arrivals(Workload& workload, double rate, std::uint64_t seed);
// Gaps from a gamma distribution of shape `burstiness` (> 0), as `vllm bench serve --burstiness`: 1 is
// Poisson, below it requests come in bursts, above it more evenly.
void set_gamma_arrivals(Workload& workload, double rate, double burstiness, std::uint64_t seed);
void set_fixed_rate_arrivals(Workload& workload, double rate);
void set_closed_loop(Workload& workload, std::int64_t concurrency);
// A shape and how often it is drawn, over the sum of all shares.
struct ImageDraw {
  ImageShape shape;
  double share = 1;
};
// A request gets `images` images of its own with a chance of `request_share`; each is drawn by its share.
// They stand before its own words: at the start of a prompt of which nothing is known, else behind what it
// shares with other prompts, and in a later turn behind the turns before, with whose images it begins. No
// other picture is the same. Throws InvalidInput on fewer than one image, on tokens or shares out of range,
// on prompts that become too long and where no request gets any.
void add_images(Workload& workload, std::int64_t images, const std::vector<ImageDraw>& draws,
                double request_share, std::uint64_t seed);
// Thoughts before every answer: tokens drawn from a log-normal distribution of that mean and standard
// deviation (0: always the mean), cut at `budget` where there is one, and one token that ends them; on top of
// the output that the workload had. vLLM's thinking_token_budget counts the same: once so many tokens are
// thought, the end is forced (vllm/v1/sample/thinking_budget_state.py).
struct Thinking {
  double mean = 0, deviation = 0;
  std::optional<std::int64_t> budget;
};
// Throws InvalidInput on a mean below 1, a deviation or budget below 0, outputs that become too long.
void add_thinking(Workload& workload, const Thinking& thinking, std::uint64_t seed);
// In a closed loop, each user thinks before the next request, for an exponential time with this mean.
void set_think_time(Workload& workload, Seconds mean, std::uint64_t seed);
// Scales the times between arrivals so that the mean rate becomes `rate`.
void rescale_arrivals(Workload& workload, double rate);
// Requests per second between the first and the last arrival, later turns left out: they have no arrival. 0
// when the two do not differ.
double arrival_rate(const Workload& workload);

// Lengths drawn evenly from [floor(range_ratio * length), length], as InferenceX draws them; range_ratio 1
// gives fixed lengths (for `vllm bench` see benchmark_workload.h). Arrivals are zero: set them or close the
// loop.
struct SyntheticLengths {
  std::int64_t requests = 100;
  std::int64_t input_tokens = 1024;
  std::int64_t output_tokens = 1024;
  double range_ratio = 1.0;  // in (0, 1]
};
Workload synthetic_workload(const SyntheticLengths& lengths, std::uint64_t seed);

}  // namespace warploom
