#include "warploom/serving/cluster/encoder_pool.h"

#include <algorithm>

#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/replica/run_end.h"

namespace warploom {

EncoderPool::EncoderPool(const EncoderPlan& plan, const Workload& workload, StepTime step_time)
    : plan_(plan),
      workload_(workload),
      step_time_(step_time),
      pricer_(plan.pool.pricer->clone()),
      budget_(std::max(max_num_batched_tokens_of(plan.pool.config), plan.pool.config.most_image_tokens)),
      most_images_(max_num_seqs_of(plan.pool.config)),
      instances_(std::size_t(plan.pool.config.instances)) {
  for (const ImageShape& shape : workload.image_shapes) budget_ = std::max(budget_, shape.tokens);
}

bool EncoderPool::add(std::uint32_t request, SimTime now) {
  std::int64_t own = 0;
  for (const PlacedImage& image : workload_.images_of(request)) {
    if (!image.own) continue;
    ++own;
    instances_[next_instance_].waiting.push_back({request, image.shape});
    next_instance_ = (next_instance_ + 1) % instances_.size();
  }
  if (own > 0) pending_[request] = {.images = own, .since = now};
  return own > 0;
}

SimTime EncoderPool::next_time() const { return events_.empty() ? kNever : events_.next_time(); }

void EncoderPool::start(std::uint32_t index, SimTime now) {
  Instance& instance = instances_[index];
  if (!instance.in_step.empty()) return;
  std::int64_t left = budget_;
  std::vector<ImageCount> counts;
  while (!instance.waiting.empty() && std::ssize(instance.in_step) < most_images_) {
    const ImageShape& shape = shape_of(instance.waiting.front());
    if (shape.tokens > left) break;
    left -= shape.tokens;
    instance.in_step.push_back(instance.waiting.front());
    instance.waiting.pop_front();
    const auto known = std::find_if(counts.begin(), counts.end(),
                                    [&](const ImageCount& each) { return each.shape == &shape; });
    if (known == counts.end())
      counts.push_back({&shape, 1});
    else
      ++known->count;
  }
  if (instance.in_step.empty()) return;
  StepBatch batch;
  batch.images = counts;
  const StepCost cost = pricer_->price(batch);
  const ServingConfig& config = plan_.pool.config;
  const StepAtEnd timed = step_at_end(cost, true, step_time_,
                                      {.host = config.host,
                                       .at_end = config.host_at_end ? &*config.host_at_end : nullptr,
                                       .sequences = std::ssize(instance.in_step),
                                       .mode = LaunchMode::Kernels,
                                       .async = false});
  const Seconds whole = timed.host.whole(timed.gpu, false);
  ++totals_.steps.steps;
  totals_.steps.tokens += budget_ - left;
  totals_.steps.gpu_p10 += cost.p10;
  totals_.steps.gpu_p50 += cost.p50;
  totals_.steps.gpu_p90 += cost.p90;
  totals_.steps.collectives += cost.collectives;
  totals_.steps.images_p10 += cost.images_p10;
  totals_.steps.images_p50 += cost.images_p50;
  totals_.steps.images_p90 += cost.images_p90;
  totals_.steps.host += whole - timed.gpu;
  totals_.steps.images += std::ssize(instance.in_step);
  events_.push(now + to_sim_duration(whole), {.transfer = false, .instance = index});
}

void EncoderPool::end_step(std::uint32_t index, SimTime now) {
  Instance& instance = instances_[index];
  for (const Image& image : instance.in_step) {
    const Bytes bytes = plan_.per_token * double(shape_of(image).tokens);
    const SimTime begin = std::max(now, instance.sending_until);
    instance.sending_until = begin + to_sim_duration(bytes / plan_.bandwidth);
    const SimTime end = instance.sending_until + to_sim_duration(plan_.latency);
    totals_.bytes += bytes;
    totals_.transfer_wait += (end - now).seconds();
    events_.push(end, {.transfer = true, .instance = index, .request = image.request});
  }
  instance.in_step.clear();
}

std::vector<std::uint32_t> EncoderPool::play(SimTime now) {
  std::vector<std::uint32_t> ready;
  while (!events_.empty() && events_.next_time() == now) {
    const Event event = events_.pop();
    if (!event.transfer) {
      end_step(event.instance, now);
      continue;
    }
    const auto found = pending_.find(event.request);
    if (found == pending_.end() || --found->second.images > 0) continue;
    ++totals_.requests;
    totals_.wait += (now - found->second.since).seconds();
    pending_.erase(found);
    ready.push_back(event.request);
  }
  for (std::uint32_t i = 0; i < instances_.size(); ++i) start(i, now);
  return ready;
}

EncoderTotals EncoderPool::totals(SimTime now) const {
  EncoderTotals totals = totals_;
  totals.instances = std::ssize(instances_);
  totals.gpus = totals.instances * plan_.pool.config.gpus_of(1);
  totals.gpu_time = now.seconds() * double(totals.gpus);
  return totals;
}

}  // namespace warploom
