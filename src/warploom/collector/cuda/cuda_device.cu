#include <array>
#include <chrono>
#include <map>
#include <thread>

#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/cuda_device.cuh"
#include "warploom/collector/cuda/families.cuh"
#include "warploom/collector/cuda/node_collectives.cuh"
#include "warploom/collector/cuda/nvml_state.h"
#include "warploom/collector/cuda/sm_clock.cuh"
#include "warploom/collector/start_checks.h"

namespace warploom::collector {
namespace {

constexpr const char* kNccl = "nccl";
constexpr const char* kOwnVersion = "1";  // of the kernels in this folder; a faster kernel gets another

using Maker = Recipe (*)(const OperatorText&, Workbench&);
struct OwnKernel {
  const char* name;
  Maker make;
};
const std::map<std::string, OwnKernel>& own_kernels() {
  static const std::map<std::string, OwnKernel> kernels{
      {"attention_prefill", {"own_prefill_fa2", attention_prefill}},
      {"attention_decode", {"own_decode_fa2", attention_decode}},
      {"rmsnorm", {"own_rmsnorm", rmsnorm}},
      {"activation", {"own_silu_and_mul", activation}},
      {"rope", {"own_rope", rope}},
      {"kv_write", {"own_kv_write", kv_write}},
      {"quantize", {"own_quantize", quantize}},
      {"elementwise", {"own_add", elementwise}},
      {"moe", {"own_grouped_moe", grouped_moe}}};
  return kernels;
}

// Facts about the machine and the GPU to sweep, which becomes the current one.
StartFacts start_facts(int ordinal, cudaDeviceProp& properties) {
  StartFacts facts;
  facts.ordinal = ordinal;
  cudaDriverGetVersion(&facts.driver_version);
  cudaRuntimeGetVersion(&facts.runtime_version);
  const auto fine = [&](cudaError_t status) {
    if (status == cudaSuccess) return true;
    facts.failure = cudaGetErrorString(status);
    return false;
  };
  if (!fine(cudaGetDeviceCount(&facts.gpus)) || ordinal < 0 || ordinal >= facts.gpus) return facts;
  std::size_t free_bytes = 0, total = 0;
  if (!fine(cudaSetDevice(ordinal)) || !fine(cudaGetDeviceProperties(&properties, ordinal)) ||
      !fine(cudaMemGetInfo(&free_bytes, &total)))
    return facts;
  facts.name = properties.name;
  facts.compute_capability = properties.major * 10 + properties.minor;
  facts.free_bytes = std::int64_t(free_bytes);
  return facts;
}

}  // namespace

struct CudaDevice::State {
  cudaDeviceProp properties{};
  std::size_t free_bytes = 0;
  std::unique_ptr<NvmlState> nvml;
  std::unique_ptr<SmClock> clock;
  std::unique_ptr<Arena> arena;
  std::unique_ptr<CublasLt> library;
  std::unique_ptr<Workbench> bench;
  std::unique_ptr<NodeCollectives> node;  // nullptr: one GPU alone
};

CudaDevice::CudaDevice(int ordinal, int gpus) : state_(std::make_unique<State>()) {
  State& s = *state_;
  const StartFacts facts = start_facts(ordinal, s.properties);
  check_start(facts);
  s.free_bytes = std::size_t(facts.free_bytes);
  std::array<char, 32> bus{};
  cudaDeviceGetPCIBusId(bus.data(), int(bus.size()), ordinal);
  s.nvml = std::make_unique<NvmlState>(bus.data());
  s.clock = std::make_unique<SmClock>();
  if (gpus > 1) s.node = std::make_unique<NodeCollectives>(ordinal, gpus);
  s.arena = std::make_unique<Arena>(s.free_bytes);
  s.library = std::make_unique<CublasLt>();
  s.bench =
      std::make_unique<Workbench>(Workbench{*s.arena, s.properties.multiProcessorCount,
                                            facts.compute_capability, std::size_t(s.properties.l2CacheSize)});
}

CudaDevice::~CudaDevice() = default;

DeviceFacts CudaDevice::facts() {
  const State& s = *state_;
  int runtime = 0;
  cudaRuntimeGetVersion(&runtime);
  DeviceFacts facts;
  facts.name = s.properties.name;
  facts.driver = s.nvml->driver();
  facts.libraries = "CUDA " + cuda_version_text(runtime) + ", cublasLt " + s.library->version();
  if (s.node) facts.libraries += ", NCCL " + s.node->version();
  facts.compute_capability = s.bench->compute_capability;
  facts.sm_count = s.bench->sm_count;
  facts.memory_bytes = std::int64_t(s.properties.totalGlobalMem);
  facts.free_bytes = std::int64_t(s.free_bytes);
  facts.l2_bytes = std::int64_t(s.bench->l2_bytes);
  return facts;
}

DeviceState CudaDevice::state() {
  DeviceState now = state_->nvml->read();
  now.sm_clock_mhz = state_->clock->megahertz();
  now.other_processes = state_->nvml->other_processes();
  return now;
}

void CudaDevice::rest(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

std::vector<DeviceConstant> CudaDevice::constants() {
  return measure_constants(*state_->bench, *state_->library);
}

std::vector<MeasuringDevice::Kernel> CudaDevice::kernels(const OperatorText& op) {
  if (op.family() == "gemm") return {{"cublaslt", state_->library->version()}};
  if (state_->node && state_->node->takes(op)) return {{kNccl, state_->node->version()}};
  const auto own = own_kernels().find(op.family());
  if (own == own_kernels().end()) return {};
  return {{own->second.name, kOwnVersion}};
}

std::unique_ptr<PreparedCase> CudaDevice::prepare(const OperatorText& op, const std::string& kernel) {
  State& s = *state_;
  if (kernel == kNccl) return s.node->prepare(op);
  const Recipe recipe = op.family() == "gemm" ? s.library->gemm(op, *s.bench)
                                              : own_kernels().at(op.family()).make(op, *s.bench);
  GraphNeeds needs;
  needs.cold_bytes = recipe.cold_bytes;
  needs.l2_bytes = s.bench->l2_bytes;
  return make_graph_case(recipe.launch, needs, recipe.algorithm, recipe.hold);
}

bool CudaDevice::check_own_kernels(std::vector<std::string>& lines) {
  return check_kernels(*state_->bench, lines);
}

}  // namespace warploom::collector
