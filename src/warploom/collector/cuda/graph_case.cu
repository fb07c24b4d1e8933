#include <algorithm>
#include <cmath>

#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/graph_case.cuh"

namespace warploom::collector {
namespace {

// A graph reads at least this many times the cache from fresh slices, so that its next run finds none of it.
constexpr double kCacheTurns = 2.5;
constexpr std::size_t kMostLaunches = 256;

struct Stream {
  Stream() { check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "making a stream"); }
  ~Stream() { cudaStreamDestroy(handle); }
  cudaStream_t handle = nullptr;
};

struct Events {
  Events() {
    check(cudaEventCreate(&start), "making an event");
    check(cudaEventCreate(&stop), "making an event");
  }
  ~Events() {
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
  }
  double seconds() const {
    check(cudaEventSynchronize(stop), "running a kernel");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, stop), "reading the timer");
    return double(milliseconds) * 1e-3;
  }
  cudaEvent_t start = nullptr, stop = nullptr;
};

class GraphCase final : public PreparedCase {
 public:
  GraphCase(const Launch& launch, const GraphNeeds& needs, std::string algorithm, std::shared_ptr<void> hold)
      : algorithm_(std::move(algorithm)), hold_(std::move(hold)) {
    launches_ = launches_for(launch, needs);
    check(cudaStreamBeginCapture(stream_.handle, cudaStreamCaptureModeThreadLocal), "capturing a graph");
    try {
      record(events_.start);
      for (std::size_t i = 0; i < launches_; ++i) launch(stream_.handle);
      record(events_.stop);
    } catch (...) {
      cudaGraph_t unfinished = nullptr;
      cudaStreamEndCapture(stream_.handle, &unfinished);
      cudaGraphDestroy(unfinished);
      cudaGetLastError();
      throw;
    }
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream_.handle, &graph), "capturing a graph");
    const cudaError_t made = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    check(made, "making a graph");
  }
  ~GraphCase() override { cudaGraphExecDestroy(executable_); }
  GraphCase(const GraphCase&) = delete;
  GraphCase& operator=(const GraphCase&) = delete;

  double run() override {
    check(cudaGraphLaunch(executable_, stream_.handle), "launching a graph");
    return events_.seconds() / double(launches_);
  }
  std::string algorithm() const override { return algorithm_; }

 private:
  void record(cudaEvent_t event) {
    check(cudaEventRecordWithFlags(event, stream_.handle, cudaEventRecordExternal), "recording an event");
  }

  // Also the first run: what fails, fails here, outside of a capture.
  std::size_t launches_for(const Launch& launch, const GraphNeeds& needs) {
    launch(stream_.handle);
    check(cudaGetLastError(), "launching a kernel");
    check(cudaEventRecord(events_.start, stream_.handle), "recording an event");
    launch(stream_.handle);
    check(cudaEventRecord(events_.stop, stream_.handle), "recording an event");
    const double seconds = std::max(events_.seconds(), 1e-6);
    double wanted = std::max(2.0, std::ceil(needs.graph_seconds / seconds));
    if (needs.cold_bytes > 0)
      wanted = std::max(wanted, std::ceil(kCacheTurns * double(needs.l2_bytes) / double(needs.cold_bytes)));
    return std::min(kMostLaunches, std::size_t(wanted));
  }

  std::string algorithm_;
  std::shared_ptr<void> hold_;
  Stream stream_;
  Events events_;
  std::size_t launches_ = 1;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace

std::unique_ptr<PreparedCase> make_graph_case(const Launch& launch, const GraphNeeds& needs,
                                              std::string algorithm, std::shared_ptr<void> hold) {
  return std::make_unique<GraphCase>(launch, needs, std::move(algorithm), std::move(hold));
}

}  // namespace warploom::collector
