// What a trace file holds.
#pragma once

#include <string>

#include "warploom/serving/workload/workload.h"

namespace warploom {

struct RecordedTrace {
  Workload workload;
  std::string layout;  // by the names of trace_file.h
};

}  // namespace warploom
