// Instances that encode images and nothing else, before the engines that compute prompts: encode, prefill,
// decode (EPD). As vLLM's proxy and encoder instances do it, each image of a request goes to the next
// instance in turn, an instance encodes what waits in order of arrival within its budget, one step after the
// other, and sends each image's embeddings over its own link; a request goes on when its last ones are there.
// Images of a session's earlier turns are not encoded again: embeddings are kept by the picture's hash.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "warploom/serving/cluster/deployment.h"
#include "warploom/serving/pricing/cuda_graph.h"
#include "warploom/serving/simulation_options.h"
#include "warploom/serving/simulation_result.h"
#include "warploom/serving/time/event_queue.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

class EncoderPool {
 public:
  // All outlive this.
  EncoderPool(const EncoderPlan& plan, const Workload& workload, StepTime step_time);

  // A request with images comes; false: none of them is its own, so it waits for nothing. Steps start with
  // play().
  bool add(std::uint32_t request, SimTime now);
  // Its client left: it is not reported, its images are encoded all the same.
  void forget(std::uint32_t request) { pending_.erase(request); }
  // When something happens next; kNever where nothing will.
  SimTime next_time() const;
  // What happens at `now`: steps and transfers end, steps start. Returns the requests whose embeddings are
  // there, in order of time.
  std::vector<std::uint32_t> play(SimTime now);

  std::int64_t waiting() const { return std::int64_t(pending_.size()); }
  // Over all instances, up to `now`.
  EncoderTotals totals(SimTime now) const;
  std::vector<KernelTime> kernels() const { return pricer_->breakdown(); }

 private:
  struct Image {
    std::uint32_t request = 0;
    std::uint16_t shape = 0;
  };
  struct Instance {
    std::deque<Image> waiting;
    std::vector<Image> in_step;
    SimTime sending_until;
  };
  // The end of a step (`transfer` false) or of the transfer of one image.
  struct Event {
    bool transfer = false;
    std::uint32_t instance = 0, request = 0;
  };
  struct Pending {
    std::int64_t images = 0;
    SimTime since;
  };

  const ImageShape& shape_of(const Image& image) const { return workload_.image_shapes[image.shape]; }
  void start(std::uint32_t index, SimTime now);
  void end_step(std::uint32_t index, SimTime now);

  const EncoderPlan& plan_;
  const Workload& workload_;
  StepTime step_time_;
  std::unique_ptr<StepPricer> pricer_;
  std::int64_t budget_, most_images_;  // of a step
  std::vector<Instance> instances_;
  std::size_t next_instance_ = 0;
  std::unordered_map<std::uint32_t, Pending> pending_;
  EventQueue<Event> events_;
  EncoderTotals totals_;
};

}  // namespace warploom
