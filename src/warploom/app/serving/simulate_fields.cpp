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
      .add("image_size", &R::image_size,
           {.doc = "in place of image_tokens: WIDTHxHEIGHT[xFRAMES][:SHARE], several of them between commas"})
      .add("image_request_share", &R::image_share,
           {.doc = "of the requests have images", .min = 1e-6, .max = 1})
      .add("thinking_tokens", &R::thinking_tokens,
           {.doc = "mean of the tokens that are thought before every answer, on top of its own", .min = 1})
      .add("thinking_std_dev", &R::thinking_std_dev,
           {.doc = "of those: drawn from a log-normal distribution", .min = 0})
      .add("thinking_token_budget", &R::thinking_token_budget,
           {.doc = "where the engine ends a thought", .min = 0})
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

FieldTable EncoderPoolRequest::describe() {
  using R = EncoderPoolRequest;
  return FieldList<R>("encoder_pool")
      .add(
          "encoder_instances", &R::instances,
          {.doc = "engines that encode images alone; 0: those that compute prompts do", .min = 0, .max = 1e5})
      .add("encoder_gpu", &R::gpu, {.doc = "their GPU; absent: that of the prompts"})
      .add("encoder_tensor_parallel_size", &R::tensor_parallel_size,
           {.doc = "GPUs of one of them", .min = 1, .max = 1024})
      .add("encoder_max_num_batched_tokens", &R::max_num_batched_tokens,
           {.doc = "tokens of images that one encodes in a step", .min = 1, .max = 1e8})
      .add("encoder_bandwidth_gb_per_s", &R::bandwidth,
           {.unit = "GB/s",
            .doc = "of one of their GPUs to the prompts' engines, in place of the node record's",
            .min = 0.001,
            .max = 1e5,
            .scale = 1e9})
      .add("encoder_latency_us", &R::latency,
           {.unit = "us",
            .doc = "of one transfer of embeddings, in place of the node record's",
            .min = 0,
            .max = 1e7,
            .scale = 1e-6})
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
      .add("encoder", &R::encoder, {.doc = "instances that encode images and nothing else"})
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
