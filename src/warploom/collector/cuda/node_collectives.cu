#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "warploom/collector/cuda/arena.cuh"
#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/nccl_library.h"
#include "warploom/collector/cuda/node_collectives.cuh"

namespace warploom::collector {
namespace {

constexpr std::size_t kElement = 2;                           // bf16
constexpr std::size_t kLargestBuffer = std::size_t(1) << 30;  // of one rank
constexpr std::size_t kMostLaunches = 64;
constexpr double kGraphSeconds = 1.5e-3;

constexpr std::array<const char*, 5> kFamilies{"allreduce", "allgather", "reduce_scatter", "alltoall",
                                               "send_recv"};

// The current device is of the thread; whoever comes next expects the one that was set.
class DeviceScope {
 public:
  DeviceScope() { check(cudaGetDevice(&before_), "asking for the current GPU"); }
  ~DeviceScope() { cudaSetDevice(before_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  static void use(int device) { check(cudaSetDevice(device), "choosing a GPU"); }

 private:
  int before_ = 0;
};

// A stream, its timer and its part of every buffer, on one GPU.
struct Rank {
  int device = 0;
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  Pool sent, received;
};

struct Communicators {
  std::shared_ptr<const NcclLibrary> library;
  std::vector<NcclLibrary::Comm> of_rank;
  // As a group, since ranks of one thread may wait for each other.
  ~Communicators() {
    if (of_rank.empty()) return;
    library->group_start();
    for (NcclLibrary::Comm comm : of_rank) library->destroy(comm);
    library->group_end();
  }
};

struct Call {
  std::string family;
  std::size_t elements = 0;  // of the size that the operator gives
};

// One call of every rank, as a group.
class Exchange {
 public:
  Exchange(const NcclLibrary& nccl, const Communicators& comms, std::vector<Rank>& ranks, Call call)
      : nccl_(nccl), comms_(comms), ranks_(ranks), call_(std::move(call)) {}

  std::size_t size() const { return comms_.of_rank.size(); }
  Rank& rank(std::size_t r) const { return ranks_[r]; }

  void run() const {
    grouped([&](std::size_t r, NcclLibrary::Comm comm) { start(r, comm); });
  }
  // Ends on no rank before it has begun on all.
  void meet() const {
    grouped([&](std::size_t r, NcclLibrary::Comm comm) {
      nccl_.check(nccl_.all_reduce(memory(ranks_[r].sent), memory(ranks_[r].received), 1,
                                   NcclLibrary::kBfloat16, NcclLibrary::kSum, comm, ranks_[r].stream),
                  "meeting");
    });
  }

 private:
  template <class Each>
  void grouped(const Each& each) const {
    nccl_.check(nccl_.group_start(), "beginning a group");
    for (std::size_t r = 0; r < size(); ++r) {
      DeviceScope::use(ranks_[r].device);
      each(r, comms_.of_rank[r]);
    }
    nccl_.check(nccl_.group_end(), "ending a group");
  }
  static char* memory(Pool& pool) { return static_cast<char*>(pool.take(pool.size())); }

  void start(std::size_t r, NcclLibrary::Comm comm) const {
    constexpr int kType = NcclLibrary::kBfloat16, kSum = NcclLibrary::kSum;
    char *from = memory(ranks_[r].sent), *to = memory(ranks_[r].received);
    const cudaStream_t stream = ranks_[r].stream;
    const std::size_t all = call_.elements, share = all / size();
    if (call_.family == "allreduce") {
      nccl_.check(nccl_.all_reduce(from, to, all, kType, kSum, comm, stream), "all-reduce");
    } else if (call_.family == "allgather") {
      nccl_.check(nccl_.all_gather(from, to, share, kType, comm, stream), "all-gather");
    } else if (call_.family == "reduce_scatter") {
      nccl_.check(nccl_.reduce_scatter(from, to, share, kType, kSum, comm, stream), "reduce-scatter");
    } else if (call_.family == "alltoall") {
      for (std::size_t peer = 0; peer < size(); ++peer)
        pass(from + peer * share * kElement, int(peer), to + peer * share * kElement, int(peer), share, comm,
             stream);
    } else {
      const int next = int((r + 1) % size()), previous = int((r + size() - 1) % size());
      pass(from, next, to, previous, all, comm, stream);
    }
  }
  void pass(const void* from, int next, void* to, int previous, std::size_t count, NcclLibrary::Comm comm,
            cudaStream_t stream) const {
    nccl_.check(nccl_.send(from, count, NcclLibrary::kBfloat16, next, comm, stream), "sending");
    nccl_.check(nccl_.receive(to, count, NcclLibrary::kBfloat16, previous, comm, stream), "receiving");
  }

  const NcclLibrary& nccl_;
  const Communicators& comms_;
  std::vector<Rank>& ranks_;
  Call call_;
};

// Streams of all ranks that are being captured. Whatever happens, none stays open: NCCL would wait for ever
// for the unfinished work when its communicators go.
class OpenCaptures {
 public:
  explicit OpenCaptures(const Exchange& exchange) : exchange_(exchange), graphs_(exchange.size(), nullptr) {
    try {
      for (; open_ < exchange_.size(); ++open_) {
        DeviceScope::use(exchange_.rank(open_).device);
        check(cudaStreamBeginCapture(exchange_.rank(open_).stream, cudaStreamCaptureModeThreadLocal),
              "capturing a graph");
      }
    } catch (...) {
      close();
      throw;
    }
  }
  ~OpenCaptures() { close(); }
  OpenCaptures(const OpenCaptures&) = delete;
  OpenCaptures& operator=(const OpenCaptures&) = delete;

  // The graphs, valid as long as this.
  const std::vector<cudaGraph_t>& end() {
    check(end_all(), "capturing a graph");
    return graphs_;
  }

 private:
  cudaError_t end_all() {
    cudaError_t first = cudaSuccess;
    for (std::size_t r = 0; r < open_; ++r) {
      cudaSetDevice(exchange_.rank(r).device);
      const cudaError_t status = cudaStreamEndCapture(exchange_.rank(r).stream, &graphs_[r]);
      if (first == cudaSuccess) first = status;
    }
    open_ = 0;
    return first;
  }
  void close() {
    if (end_all() != cudaSuccess) cudaGetLastError();
    for (cudaGraph_t& graph : graphs_)
      if (graph != nullptr) cudaGraphDestroy(std::exchange(graph, nullptr));
  }

  const Exchange& exchange_;
  std::vector<cudaGraph_t> graphs_;
  std::size_t open_ = 0;
};

struct Graphs {
  explicit Graphs(std::size_t ranks) : of_rank(ranks, nullptr) {}
  ~Graphs() {
    for (cudaGraphExec_t graph : of_rank)
      if (graph != nullptr) cudaGraphExecDestroy(graph);
  }
  Graphs(const Graphs&) = delete;
  Graphs& operator=(const Graphs&) = delete;
  std::vector<cudaGraphExec_t> of_rank;
};

// The same graph on every rank: the ranks meet, then the timed calls.
class CollectiveCase final : public PreparedCase {
 public:
  explicit CollectiveCase(Exchange exchange) : exchange_(std::move(exchange)), graphs_(exchange_.size()) {
    const DeviceScope scope;
    launches_ = launches_for_graph();
    capture();
  }

  double run() override {
    const DeviceScope scope;
    for (std::size_t r = 0; r < exchange_.size(); ++r) {
      DeviceScope::use(exchange_.rank(r).device);
      check(cudaGraphLaunch(graphs_.of_rank[r], exchange_.rank(r).stream), "launching a graph");
    }
    return slowest() / double(launches_);
  }

 private:
  double slowest() const {
    double seconds = 0;
    for (std::size_t r = 0; r < exchange_.size(); ++r) {
      const Rank& rank = exchange_.rank(r);
      check(cudaEventSynchronize(rank.stop), "running a collective");
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, rank.start, rank.stop), "reading the timer");
      seconds = std::max(seconds, double(milliseconds) * 1e-3);
    }
    return seconds;
  }
  void record(cudaEvent_t Rank::*event, unsigned flags) const {
    for (std::size_t r = 0; r < exchange_.size(); ++r) {
      DeviceScope::use(exchange_.rank(r).device);
      check(cudaEventRecordWithFlags(exchange_.rank(r).*event, exchange_.rank(r).stream, flags),
            "recording an event");
    }
  }

  // Also the first runs, which connect the ranks: what fails, fails here, outside of a capture.
  std::size_t launches_for_graph() const {
    exchange_.run();
    exchange_.meet();
    record(&Rank::start, cudaEventRecordDefault);
    exchange_.run();
    record(&Rank::stop, cudaEventRecordDefault);
    const double seconds = std::max(slowest(), 1e-6);
    return std::min(kMostLaunches, std::size_t(std::max(2.0, std::ceil(kGraphSeconds / seconds))));
  }

  // All ranks are captured before the first of them becomes a graph: making one is refused while a stream
  // that this thread began to capture is still open.
  void capture() {
    OpenCaptures captures(exchange_);
    exchange_.meet();
    record(&Rank::start, cudaEventRecordExternal);
    for (std::size_t i = 0; i < launches_; ++i) exchange_.run();
    record(&Rank::stop, cudaEventRecordExternal);
    const std::vector<cudaGraph_t>& drawn = captures.end();
    for (std::size_t r = 0; r < exchange_.size(); ++r) {
      DeviceScope::use(exchange_.rank(r).device);
      check(cudaGraphInstantiate(&graphs_.of_rank[r], drawn[r], 0), "making a graph");
    }
    // A first launch reserves memory, which may wait for a peer that already runs and waits for this rank.
    for (std::size_t r = 0; r < exchange_.size(); ++r) {
      DeviceScope::use(exchange_.rank(r).device);
      check(cudaGraphUpload(graphs_.of_rank[r], exchange_.rank(r).stream), "uploading a graph");
      check(cudaStreamSynchronize(exchange_.rank(r).stream), "uploading a graph");
    }
  }

  Exchange exchange_;
  Graphs graphs_;
  std::size_t launches_ = 1;
};

}  // namespace

struct NodeCollectives::State {
  std::shared_ptr<const NcclLibrary> library;
  std::vector<Rank> ranks;
  std::map<std::size_t, Communicators> communicators;  // by the number of ranks

  ~State() {
    communicators.clear();
    const DeviceScope scope;
    for (Rank& rank : ranks) {
      cudaSetDevice(rank.device);
      if (rank.start != nullptr) cudaEventDestroy(rank.start);
      if (rank.stop != nullptr) cudaEventDestroy(rank.stop);
      if (rank.stream != nullptr) cudaStreamDestroy(rank.stream);
      rank.sent = Pool();
      rank.received = Pool();
    }
  }

  void reserve() {
    for (Rank& rank : ranks) {
      if (rank.received.size() > 0) continue;
      DeviceScope::use(rank.device);
      Pool sent(kLargestBuffer), received(kLargestBuffer);
      sent.fill(Content::Bf16, std::uint64_t(rank.device) + 1);
      check(cudaStreamCreateWithFlags(&rank.stream, cudaStreamNonBlocking), "making a stream");
      check(cudaEventCreate(&rank.start), "making an event");
      check(cudaEventCreate(&rank.stop), "making an event");
      rank.sent = std::move(sent);
      rank.received = std::move(received);
    }
  }

  const Communicators& over(std::size_t count) {
    Communicators& comms = communicators[count];
    if (!comms.of_rank.empty()) return comms;
    std::vector<int> devices;
    for (std::size_t r = 0; r < count; ++r) devices.push_back(ranks[r].device);
    std::vector<NcclLibrary::Comm> made(count, nullptr);
    library->check(library->init_all(made.data(), int(count), devices.data()), "connecting the GPUs");
    comms.library = library;
    comms.of_rank = std::move(made);
    return comms;
  }
};

NodeCollectives::NodeCollectives(int device, int gpus) : state_(std::make_unique<State>()) {
  int count = 0;
  check(cudaGetDeviceCount(&count), "counting the GPUs");
  if (device + gpus > count)
    throw BadInput("--gpus " + std::to_string(gpus) + ": this machine shows " + std::to_string(count) +
                   " GPU(s), of which " + std::to_string(count - device) + " from --device " +
                   std::to_string(device) + " on");
  cudaDeviceProp first{};
  for (int g = device; g < device + gpus; ++g) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, g), "asking a GPU for its name");
    if (g == device) first = properties;
    if (std::strcmp(first.name, properties.name) != 0)
      throw BadInput("--gpus " + std::to_string(gpus) + ": GPU " + std::to_string(g) + " is " +
                     properties.name + ", GPU " + std::to_string(device) + " is " + first.name +
                     ": collectives are timed over GPUs of one kind (CUDA_VISIBLE_DEVICES chooses them)");
    state_->ranks.emplace_back().device = g;
  }
  state_->library = NcclLibrary::open();
  if (state_->library == nullptr)
    throw BadInput("--gpus " + std::to_string(gpus) +
                   ": collectives need NCCL 2.10 or newer, but libnccl.so.2 is not where the loader looks: "
                   "install it or add its folder to LD_LIBRARY_PATH");
}

NodeCollectives::~NodeCollectives() = default;

std::string NodeCollectives::version() const { return state_->library->version; }

bool NodeCollectives::takes(const OperatorText& op) const {
  const bool known =
      std::any_of(kFamilies.begin(), kFamilies.end(), [&](const char* name) { return op.family() == name; });
  if (!known) return false;
  const std::int64_t ranks = op.integer("ranks", 2), node = op.integer("ranks_per_node", 0);
  return ranks >= 2 && ranks <= std::int64_t(state_->ranks.size()) && (node == 0 || node == ranks);
}

std::unique_ptr<PreparedCase> NodeCollectives::prepare(const OperatorText& op) {
  const DeviceScope scope;
  const std::size_t ranks = std::size_t(op.integer("ranks", 2)),
                    bytes = std::size_t(op.integer("size_bytes"));
  if (bytes == 0 || bytes % (kElement * ranks) != 0)
    throw Unmeasurable("a buffer that bf16 elements and ranks do not divide");
  if (bytes > kLargestBuffer) throw Unmeasurable("a buffer over 1 GiB");
  state_->reserve();
  const Communicators& comms = state_->over(ranks);
  return std::make_unique<CollectiveCase>(
      Exchange(*state_->library, comms, state_->ranks, {op.family(), bytes / kElement}));
}

}  // namespace warploom::collector
