// Use case `calibrate-host`, with what it can fit to: steps (app/serving/calibrate_host.h) or whole runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warploom/app/serving/calibrate_host.h"

namespace warploom {

// predicted / measured - 1 of a run's latencies.
struct RunErrors {
  double tpot_mean = 0, ttft_mean = 0, ttft_p50 = 0, ttft_p90 = 0;
};
struct CalibratedRun {
  std::string run, model;  // the file without its folder and ending
  RunErrors before;
  std::optional<RunErrors> unseen;  // by a fit to the other runs; absent where there is one run
  RunErrors after;
};
struct HostCalibration {
  CalibrateHostResult host;         // of runs: without errors of steps; HostFit::steps counts latencies
  std::vector<CalibratedRun> runs;  // empty where steps were given
};

// The host at which the simulated runs have the latencies of the measured ones, run by run: TPOT and the
// mean, 50th and 90th percentile of TTFT. Steps where `request.runs` is empty. Throws what open_run throws,
// and InvalidInput: neither steps nor runs, or both; runs and requests that do not pair; runs of several
// engines; fields that the runs state themselves.
HostCalibration calibrate_host_to(const CalibrateHostRequest& request,
                                  const std::shared_ptr<const LatencyModel>& latency);
HostCalibration calibrate_host_to(const CalibrateHostRequest& request);  // opens request.predictor

}  // namespace warploom
