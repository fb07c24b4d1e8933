#include "warploom/hardware/interconnect.h"

#include <fmt/format.h>

#include "warploom/base/error.h"

namespace warploom {

FieldTable InterconnectSpec::describe() {
  return FieldList<InterconnectSpec>("interconnect")
      .add("kind", &InterconnectSpec::kind, {.doc = "what carries the bytes"})
      .add("topology", &InterconnectSpec::topology, {.doc = "how the GPUs are joined"})
      .add("bandwidth_gb_per_s", &InterconnectSpec::bandwidth,
           {.unit = "GB/s", .doc = "per GPU, one direction", .min = 0, .max = 1e5, .scale = 1e9})
      .add("latency_us", &InterconnectSpec::latency,
           {.unit = "us",
            .doc = "one hop of a small message, without library or launch time",
            .min = 0,
            .max = 1e4,
            .scale = 1e-6})
      .add("domain_size", &InterconnectSpec::domain_size,
           {.doc = "GPUs joined by it, 0 = no limit", .min = 0, .max = 1e6})
      .add("in_network_reduction", &InterconnectSpec::in_network_reduction,
           {.doc = "whether the switch can add"})
      .table();
}

void InterconnectSpec::check(std::string_view where) const {
  if (!exists()) return;
  if (bandwidth.value() <= 0) {
    throw InvalidInput(fmt::format("{}: '{}' path has a bandwidth of 0 GB/s, expected more (or kind 'none')",
                                   where, name_of(kind)));
  }
  if (domain_size == 1) {
    throw InvalidInput(fmt::format("{}: '{}' path joins 1 GPU, expected at least 2, or 0 for no limit", where,
                                   name_of(kind)));
  }
}

}  // namespace warploom
