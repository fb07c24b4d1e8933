#include "warploom/planner/run_figures.h"

namespace warploom {

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
      .add("held", &R::held, {.doc = "GPU time by hour of the day, of each pool that scales"})
      .add("backlog_growth", &R::backlog_growth,
           {.doc = "mean TTFT of the last third over the first third's"})
      .table();
}

}  // namespace warploom
