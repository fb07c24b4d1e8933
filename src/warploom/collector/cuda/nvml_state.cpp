#include "warploom/collector/cuda/nvml_state.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <utility>
#include <vector>

namespace warploom::collector {
namespace {

// Numbers of nvml.h, which is not needed to build.
constexpr int kSuccess = 0;
constexpr unsigned kSmClock = 1, kMemoryClock = 2, kGpuSensor = 0;
constexpr std::array<std::pair<unsigned long long, const char*>, 5> kThrottleReasons{{{0x4, "power_cap"},
                                                                                      {0x8, "hw_slowdown"},
                                                                                      {0x20, "sw_thermal"},
                                                                                      {0x40, "hw_thermal"},
                                                                                      {0x80, "power_brake"}}};

using Device = void*;

}  // namespace

struct NvmlState::Library {
  struct ProcessInfo {  // nvmlProcessInfo_v2_t
    unsigned pid;
    unsigned long long used_memory;
    unsigned gpu_instance, compute_instance;
  };

  void* handle = nullptr;
  Device device = nullptr;
  int (*clock)(Device, unsigned, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;
  int (*temperature)(Device, unsigned, unsigned*) = nullptr;
  int (*throttle)(Device, unsigned long long*) = nullptr;
  int (*processes)(Device, unsigned*, ProcessInfo*) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;

  template <class F>
  void find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(handle, name));
  }
  ~Library() {
    if (handle != nullptr) dlclose(handle);
  }
};

NvmlState::NvmlState(const std::string& bus) : library_(std::make_unique<Library>()) {
  Library& l = *library_;
  l.handle = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (l.handle == nullptr) return;
  int (*init)() = nullptr;
  int (*by_bus)(const char*, Device*) = nullptr;
  l.find(init, "nvmlInit_v2");
  l.find(by_bus, "nvmlDeviceGetHandleByPciBusId_v2");
  if (init == nullptr || by_bus == nullptr || init() != kSuccess ||
      by_bus(bus.c_str(), &l.device) != kSuccess) {
    l.device = nullptr;
    return;
  }
  l.find(l.clock, "nvmlDeviceGetClockInfo");
  l.find(l.power, "nvmlDeviceGetPowerUsage");
  l.find(l.temperature, "nvmlDeviceGetTemperature");
  l.find(l.throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
  l.find(l.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  l.find(l.driver, "nvmlSystemGetDriverVersion");
}

NvmlState::~NvmlState() = default;

DeviceState NvmlState::read() const {
  const Library& l = *library_;
  DeviceState state;
  if (l.device == nullptr) return state;
  unsigned value = 0;
  if (l.clock != nullptr && l.clock(l.device, kSmClock, &value) == kSuccess) state.sm_clock_mhz = value;
  if (l.clock != nullptr && l.clock(l.device, kMemoryClock, &value) == kSuccess)
    state.memory_clock_mhz = value;
  if (l.power != nullptr && l.power(l.device, &value) == kSuccess) state.power_w = value / 1000.0;
  if (l.temperature != nullptr && l.temperature(l.device, kGpuSensor, &value) == kSuccess)
    state.temperature_c = value;
  unsigned long long reasons = 0;
  if (l.throttle != nullptr && l.throttle(l.device, &reasons) == kSuccess)
    for (const auto& [bit, word] : kThrottleReasons)
      if ((reasons & bit) != 0) {
        if (!state.throttle.empty()) state.throttle += "+";
        state.throttle += word;
      }
  return state;
}

int NvmlState::other_processes() const {
  const Library& l = *library_;
  if (l.device == nullptr || l.processes == nullptr) return 0;
  std::vector<Library::ProcessInfo> infos(256);
  unsigned count = unsigned(infos.size());
  if (l.processes(l.device, &count, infos.data()) != kSuccess) return 0;
  int others = 0;
  for (unsigned i = 0; i < count && i < infos.size(); ++i)
    others += infos[i].pid != unsigned(getpid()) ? 1 : 0;
  return others;
}

std::string NvmlState::driver() const {
  std::array<char, 96> text{};
  if (library_->driver == nullptr || library_->driver(text.data(), unsigned(text.size())) != kSuccess)
    return "";
  return text.data();
}

}  // namespace warploom::collector
