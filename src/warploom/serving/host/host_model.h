// What the CPU of one engine process does for a step, and how much of it the GPU waits for.
//
// For each step the process chooses requests (schedule), makes the inputs (prepare), launches the kernels
// (launch) and, when the GPU is done, gives the tokens to the requests (finish). Without asynchronous
// scheduling these follow each other. With it the next step is chosen and launched while the GPU runs the
// one before, so the GPU waits only where the host is slower (StepTimeline).
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"

namespace warploom {

// How the kernels of a step are launched.
enum class LaunchMode {
  Graph,         // one CUDA graph
  Pieces,        // CUDA graphs of parts of the model, attention between them
  Kernels,       // one by one, in a step with parts of prompts
  DecodeKernels  // one by one, in a step without
};

// The host's part of one step, times in seconds.
struct HostStep {
  Seconds before;  // from the choice of the step to its first launch
  Seconds launch;  // from the first launch to the last, sampling included; kernels may start with the first
  Seconds finish;  // from the end of the GPU's work to the next choice
  Seconds gap;     // of the GPU after the step before, however early this one was launched
  // What the step's kernels take over the sum of their times; below 0: in a graph they overlap.
  Seconds pause{0.0};

  // The whole step, when the same step of `gpu` seconds runs again and again.
  Seconds whole(Seconds gpu, bool async) const;
  // How long kernels of `gpu` seconds keep the GPU busy, pauses and overlaps included.
  Seconds busy(Seconds gpu) const;
};

// How the hosts of a profile vary within a run, whatever by how much: their speed is one of `levels`, fastest
// first, and another one each period. Levels are in standard deviations of ln of the host's times.
struct HostPaces {
  Seconds period{0.0};
  std::vector<double> levels;
};

// One model on one engine; HostProfile has the constants that it is made of. All zero: a host that takes
// no time.
struct HostModel {
  Seconds schedule{0.0}, schedule_per_sequence{0.0};
  Seconds prepare{0.0}, prepare_per_sequence{0.0};
  Seconds launch_graph{0.0};
  Seconds launch_pieces{0.0};
  Seconds launch_kernels{0.0};
  // The part of launch_kernels that was fitted on steps of prompts and whose cause is not known, and what
  // stands in its place in steps without prompts. Those take between none and all of it.
  Seconds prompt_launch{0.0}, decode_launch{0.0};
  Seconds finish{0.0}, finish_per_sequence{0.0};
  Seconds gap{0.0}, gap_per_sequence{0.0};
  Seconds pause{0.0};
  Seconds frontend_latency{0.0};    // per request, from the client to the engine's queue
  Seconds frontend_per_token{0.0};  // tokenising and taking in, for each prompt token; requests share it
  // Standard deviation of ln of the host's times within a run, whose means stand above; 0: always the same.
  double pace_spread = 0;
  HostPaces paces;  // stated where pace_spread is

  // Throws InvalidInput on negative values.
  static FieldTable describe();

  // A `side` below 0 takes the least of what is not known, above 0 the most.
  Seconds launch(LaunchMode mode, int side = 0) const;
  HostStep step(std::int64_t sequences, LaunchMode mode, int side = 0) const;
  // What a step of `gpu` seconds takes more than that when the same step runs again and again.
  Seconds overhead(Seconds gpu, std::int64_t sequences, LaunchMode mode, bool async, int side = 0) const;
};

}  // namespace warploom
