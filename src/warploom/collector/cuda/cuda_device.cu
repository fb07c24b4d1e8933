#include <array>
#include <chrono>
#include <map>
#include <thread>

#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/cuda_device.cuh"
#include "warploom/collector/cuda/families.cuh"
#include "warploom/collector/cuda/nvml_state.h"

namespace warploom::collector {
namespace {

constexpr int kOldestCapability = 70;
constexpr const char* kOwnVersion = "1";  // of the kernels in this folder; a faster kernel gets another

using Maker = Recipe (*)(const OperatorText&, Workbench&);
struct OwnKernel {
  const char* name;
  Maker make;
};
const std::map<std::string, OwnKernel>& own_kernels() {
  static const std::map<std::string, OwnKernel> kernels{
      {"attention_prefill", {"own_fa2_prefill", attention_prefill}},
      {"attention_decode", {"own_fa2_decode", attention_decode}},
      {"rmsnorm", {"own_rmsnorm", rmsnorm}},
      {"activation", {"own_silu_and_mul", activation}},
      {"rope", {"own_rope", rope}},
      {"kv_write", {"own_kv_write", kv_write}},
      {"quantize", {"own_quantize", quantize}},
      {"elementwise", {"own_add", elementwise}},
      {"moe", {"own_grouped_moe", grouped_moe}}};
  return kernels;
}

[[noreturn]] void refuse_start(cudaError_t status) {
  const std::string text = cudaGetErrorString(status);
  if (status == cudaErrorNoDevice)
    throw BadInput("no GPU is visible (" + text + "): check nvidia-smi and CUDA_VISIBLE_DEVICES");
  if (status == cudaErrorInsufficientDriver)
    throw BadInput("the driver is missing or older than this program's CUDA (" + text +
                   "): install a newer driver, or build with an older toolkit (12.0 or later)");
  throw BadInput("the GPU cannot be used (" + text + ")");
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

struct CudaDevice::State {
  cudaDeviceProp properties{};
  std::size_t free_bytes = 0;
  std::unique_ptr<NvmlState> nvml;
  std::unique_ptr<Arena> arena;
  std::unique_ptr<CublasLt> library;
  std::unique_ptr<Workbench> bench;
};

CudaDevice::CudaDevice(int ordinal) : state_(std::make_unique<State>()) {
  State& s = *state_;
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) refuse_start(status);
  if (ordinal >= count)
    throw BadInput("--device " + std::to_string(ordinal) + ": this machine shows " + std::to_string(count) +
                   " GPU(s), numbered from 0");
  if (const cudaError_t status = cudaSetDevice(ordinal); status != cudaSuccess) refuse_start(status);
  if (const cudaError_t status = cudaGetDeviceProperties(&s.properties, ordinal); status != cudaSuccess)
    refuse_start(status);
  const int capability = s.properties.major * 10 + s.properties.minor;
  if (capability < kOldestCapability)
    throw BadInput(std::string(s.properties.name) + " has compute capability " +
                   std::to_string(capability / 10) + "." + std::to_string(capability % 10) +
                   ", expected 7.0 or newer");
  std::size_t total = 0;
  if (const cudaError_t status = cudaMemGetInfo(&s.free_bytes, &total); status != cudaSuccess)
    refuse_start(status);
  std::array<char, 32> bus{};
  cudaDeviceGetPCIBusId(bus.data(), int(bus.size()), ordinal);
  s.nvml = std::make_unique<NvmlState>(bus.data());
  s.arena = std::make_unique<Arena>(s.free_bytes);
  s.library = std::make_unique<CublasLt>();
  s.bench = std::make_unique<Workbench>(Workbench{*s.arena, s.properties.multiProcessorCount, capability,
                                                  std::size_t(s.properties.l2CacheSize)});
}

CudaDevice::~CudaDevice() = default;

DeviceFacts CudaDevice::facts() {
  const State& s = *state_;
  int runtime = 0;
  cudaRuntimeGetVersion(&runtime);
  DeviceFacts facts;
  facts.name = s.properties.name;
  facts.driver = s.nvml->driver();
  facts.libraries = "CUDA " + version_text(runtime) + ", cublasLt " + s.library->version();
  facts.compute_capability = s.bench->compute_capability;
  facts.sm_count = s.bench->sm_count;
  facts.memory_bytes = std::int64_t(s.properties.totalGlobalMem);
  facts.free_bytes = std::int64_t(s.free_bytes);
  facts.l2_bytes = std::int64_t(s.bench->l2_bytes);
  return facts;
}

DeviceState CudaDevice::state() {
  DeviceState now = state_->nvml->read();
  now.other_processes = state_->nvml->other_processes();
  return now;
}

void CudaDevice::rest(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

std::vector<DeviceConstant> CudaDevice::constants() {
  return measure_constants(*state_->bench, *state_->library);
}

std::vector<MeasuringDevice::Kernel> CudaDevice::kernels(const OperatorText& op) {
  if (op.family() == "gemm") return {{"cublaslt", state_->library->version()}};
  const auto own = own_kernels().find(op.family());
  if (own == own_kernels().end()) return {};
  return {{own->second.name, kOwnVersion}};
}

std::unique_ptr<PreparedCase> CudaDevice::prepare(const OperatorText& op, const std::string&) {
  State& s = *state_;
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
