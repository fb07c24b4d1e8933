#include "warploom/planner/run_figures.h"

namespace warploom {

FieldTable RunLength::describe() {
  using R = RunLength;
  return FieldList<R>("run_length")
      .add("steadiness", &R::steadiness, {.doc = "whether what is in the system grows"})
      .add("finite", &R::finite, {.doc = "the stated load from begin to end, not a part of an endless one"})
      .add("requests", &R::requests, {.doc = "that came to the fleet in the run"})
      .add("simulated", &R::simulated, {.doc = "of them, those of the instances that were simulated"})
      .add("window_s", &R::window, {.unit = "s", .doc = "what is judged, after the warm-up"})
      .add("lives", &R::lives, {.doc = "mean times in the system that fit in there"})
      .add("growth", &R::growth, {.doc = "share of the arrivals that pile up"})
      .add("growth_low", &R::growth_low, {.doc = "lower end of its 90 % interval"})
      .add("growth_high", &R::growth_high, {.doc = "upper end"})
      .table();
}

FieldTable RunFigures::describe() {
  using R = RunFigures;
  return FieldList<R>("run_figures")
      .add("refused", &R::refused, {.doc = "why it could not be run"})
      .add("goodput_share", &R::goodput_share, {.doc = "of the requests that meet the limits"})
      .add("class_shares", &R::class_shares, {.doc = "the same of each class"})
      .add("over", &R::over, {.doc = "requests beyond each limit"})
      .add("missed_goodput", &R::missed_goodput, {.doc = "requests that miss the limits of one request"})
      .add("queue_share", &R::queue_share, {.doc = "of the mean TTFT, spent waiting"})
      .add("energy_j", &R::energy_j, {.unit = "J", .doc = "of all GPUs"})
      .add("preemptions", &R::preemptions, {.doc = "requests that were stopped"})
      .add(
          "held", &R::held,
          {.doc =
               "of the time in each hour of the day, the share in which at least one instance of a pool that "
               "scales was held; then at least two, and so on"})
      .add("held_decode", &R::held_decode, {.doc = "the same of the pool that produces tokens"})
      .add("errors", &R::errors, {.doc = "standard errors of the figures of each limit, in s or shares"})
      .add("batches", &R::batches, {.doc = "of the run, that they are from"})
      .table();
}

}  // namespace warploom
