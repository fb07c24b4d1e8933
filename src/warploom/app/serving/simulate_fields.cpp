// The fields of what `simulate` is asked.
#include <algorithm>

#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/request_fields.h"

namespace warploom {

std::size_t SimulateRequest::recorded_steps() const {
  const bool drawn = std::find(views.begin(), views.end(), kPerfettoView) != views.end();
  return drawn ? traced_steps.value_or(kTracedSteps) : 0;
}

FieldTable WorkloadRequestSource::describe() {
  using R = WorkloadRequestSource;
  return RequestFields<R>("workload_source")
      .add("trace", &R::trace, {.doc = "a recorded trace (CSV or JSONL); or"})
      .add("workload", &R::workload,
           {.doc = "by name: conversation, code, summarising, rag, agents, reasoning or long_context; or"})
      .add("sessions", &R::sessions, {.doc = "conversations of several turns; or"})
      .add("clients", &R::clients, {.doc = "a file of clients: classes, tenants, arrivals, windows; or"})
      .add("random", &R::random, {.doc = "the random data set of `vllm bench serve`"})
      .add("requests", &R::requests, {.doc = "how many requests; default 1000, or the whole trace", .min = 1})
      .add("rate", &R::rate, {.unit = "requests/s", .doc = "in place of the recorded ones", .min = 0})
      .add("concurrency", &R::concurrency, {.doc = "closed loop with this many requests in flight", .min = 1})
      .add("request_rate", &R::request_rate,
           {.unit = "requests/s", .doc = "as `vllm bench serve` sends them", .min = 0})
      .add("max_concurrency", &R::max_concurrency,
           {.doc = "most requests in flight; without a rate a closed loop", .min = 1})
      .add("images_per_request", &R::images, {.doc = "images before every prompt"})
      .add("image_tokens", &R::image_tokens, {.doc = "tokens of an image"})
      .add("burstiness", &R::burstiness,
           {.doc = "with a rate: shape of gamma gaps, 1 Poisson, below it bursts"})
      .add("user_think_time_s", &R::think_time,
           {.unit = "s", .doc = "with `concurrency`: mean time before a user's next request", .min = 0})
      .add("seed", &R::seed, {.doc = "of what is drawn"})
      .table();
}

FieldTable DisaggregationRequest::describe() {
  using R = DisaggregationRequest;
  return RequestFields<R>("disaggregation")
      .add("prefill", &R::prefill, {.doc = "the pool that computes prompts"})
      .add("decode", &R::decode, {.doc = "the pool that produces tokens"})
      .add("transfer", &R::transfer, {.doc = "of keys and values between them"})
      .table();
}

FieldTable FailureRequest::describe() {
  using R = FailureRequest;
  return RequestFields<R>("failure")
      .add("pool", &R::pool, {.doc = "engine, or prefill and decode; absent: the only one"})
      .add("instance", &R::instance, {.doc = "which of the pool"})
      .add("at_s", &R::at, {.unit = "s", .doc = "when it fails", .min = 0})
      .add("down_s", &R::down, {.unit = "s", .doc = "how long; absent: for good", .min = 0})
      .table();
}

FieldTable SimulateRequest::describe() {
  using R = SimulateRequest;
  return RequestFields<R>("simulate")
      .add("setup", &R::setup, {.doc = "model, GPU and engine"})
      .add("disaggregation", &R::disaggregation, {.doc = "prefill and decode apart, in place of `setup`"})
      .add("autoscaling", &R::autoscaling, {.doc = "of every pool"})
      .add("fleet", &R::fleet, {.doc = "what the router in front knows and refuses"})
      .add("shared_kv", &R::shared_kv, {.doc = "a store of all instances, and instances that read of others"})
      .add("failures", &R::failures, {.doc = "instances that fail"})
      .add("source", &R::source, {.doc = "what the requests are and when they come"})
      .add("threads", &R::threads,
           {.doc = "for replicas that never meet; 0: as many as the machine has. No effect on results"})
      .add("intervals", &R::intervals, {.doc = "also runs at p10 and p90 of the kernels"})
      .add("tuned", &R::tuned,
           {.doc =
                "the .warploom.json of `moe-config` or a .wlt of `tune fit`: a run with it, and the change"})
      .add("views", &R::views,
           {.doc = "also the run as other programs show it: perfetto, aiperf", .choices = kRunViews})
      .add("traced_steps", &R::traced_steps,
           {.doc = "steps in the view `perfetto`; default 50", .min = 1, .max = 10000})
      .add("trace_from_s", &R::trace_from,
           {.unit = "s", .doc = "first of them at this time of the run", .min = 0})
      .add("goodput", &R::goodput, {.doc = "limits, and which share of the requests meets them"})
      .add("details", &R::details, {.doc = "also arrays with one entry per request"})
      .table();
}

}  // namespace warploom
