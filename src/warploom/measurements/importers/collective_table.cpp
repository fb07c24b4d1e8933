// NCCL times by topology, as pipeweave and vidur publish them.
#include <fmt/format.h>

#include <string>

#include "warploom/measurements/internal/table_format.h"

namespace warploom {
namespace {

void read_collectives(Table& table, RowSink& sink) {
  constexpr std::int64_t kRuns = 3;
  const std::size_t gpu_column = table.column("gpu"), topology = table.column("topology"),
                    name = table.column("collective"), ranks = table.column("num_gpus"),
                    per_node = table.column("devices_per_node"), size = table.column("bytes"),
                    latency = table.column("latency_us_median");
  while (table.next()) {
    const GpuSpec* gpu = sink.gpu(table.text(gpu_column), table);
    if (gpu == nullptr) continue;
    Collective op{.kind = CollectiveKind::AllReduce,
                  .size = Bytes(double(table.positive(size))),
                  .ranks = table.positive(ranks)};
    if (table.text(name) == "send_recv")
      op.kind = CollectiveKind::SendRecv;
    else if (table.text(name) != "all_reduce")
      table.refuse(name, "all_reduce or send_recv");
    const std::int64_t devices = table.positive(per_node);
    if (devices < op.ranks) op.ranks_per_node = devices;
    if (!sink.wants(family_of(op))) {
      sink.skip_unwanted();
      continue;
    }
    // The median of the smallest sizes can read 0 on a timer of 1 us.
    if (table.real(latency) == 0) {
      sink.skip("shorter than the timer's step: reads 0 us", table);
      continue;
    }
    const std::string kernel = fmt::format("nccl:{}", table.text(topology));
    sink.add({.op = op,
              .gpu = *gpu,
              .context = {"pytorch", "", kernel},
              .latency = table.latency_us(latency),
              .n_samples = kRuns},
             table);
  }
}

}  // namespace

TableFormat collective_format() {
  return {.name = "collectives",
          .folder = {},
          .columns = {"gpu", "topology", "collective", "num_gpus", "devices_per_node", "bytes",
                      "latency_us_median"},
          .families = {Family::AllReduce, Family::SendRecv},
          .read = read_collectives,
          .skip_reason = {}};
}

}  // namespace warploom
