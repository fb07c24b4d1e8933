// A device without hardware: times follow a formula, with noise, drift, a clock that heavy work pulls down,
// and failures on demand.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "warploom/collector/device.h"
#include "warploom/collector/failure.h"

namespace warploom::collector {

struct Simulation {
  double noise = 0.003;       // standard deviation of a timing, relative
  double outlier_share = 0;   // timings that take three times as long
  double drift_per_case = 0;  // relative slow-down with each operator timed
  double clock_dip = 0;       // share of the clock lost after an operator of over 1 ms, until a rest
  std::size_t lose_device_after = ~std::size_t(0);  // operators
  std::function<void(std::size_t)> on_case;         // called with the number of operators prepared
};

class SimulatedDevice final : public MeasuringDevice {
 public:
  explicit SimulatedDevice(Simulation simulation = {}, std::string name = "Simulated GPU", int gpus = 1)
      : simulation_(std::move(simulation)), name_(std::move(name)), gpus_(gpus) {}

  DeviceFacts facts() override {
    return {.name = name_,
            .driver = "1.0",
            .libraries = "none",
            .compute_capability = 90,
            .sm_count = 100,
            .memory_bytes = 1 << 30,
            .free_bytes = 1 << 30,
            .l2_bytes = 1 << 25};
  }
  DeviceState state() override { return {.sm_clock_mhz = 2000 * clock_, .power_w = 300}; }
  void rest(double) override { clock_ = std::min(1.0, clock_ + 0.1); }
  std::vector<DeviceConstant> constants() override { return {{"dram_copy_gb_per_s", 1000}}; }
  std::vector<Kernel> kernels(const OperatorText& op) override {
    if (op.family() == "allreduce" || op.family() == "send_recv")
      return op.integer("ranks") <= gpus_ ? std::vector<Kernel>{{"nccl", "1"}} : std::vector<Kernel>{};
    if (op.family() != "gemm" && op.family() != "rmsnorm") return {};
    return {{"simulated", "1"}};
  }
  // Microseconds of a product: 2 + m n k / 1e6. Of an exchange: 5 and 1.5 for each rank, then 150 bytes a
  // nanosecond, at half that rate under 256 KB (another protocol).
  static double seconds_of(const OperatorText& op) {
    if (op.has("ranks")) {
      const double ranks = double(op.integer("ranks")), size = double(op.integer("size_bytes"));
      const double volume = op.family() == "allreduce" ? 2 * (ranks - 1) / ranks * size : size;
      return 5e-6 + 1.5e-6 * ranks + volume / (size < 262144 ? 75e9 : 150e9);
    }
    if (op.family() == "rmsnorm") return 2e-6 + double(op.integer("tokens") * op.integer("width")) * 1e-12;
    return 2e-6 + double(op.integer("m") * op.integer("n") * op.integer("k")) * 1e-12;
  }
  std::unique_ptr<PreparedCase> prepare(const OperatorText& op, const std::string&) override {
    ++cases_;
    if (simulation_.on_case) simulation_.on_case(cases_);
    if (cases_ > simulation_.lose_device_after) throw DeviceLost("the simulated device is gone");
    if (op.family() == "gemm" && op.integer("k") > 1000000) throw Unmeasurable("too long a product");
    const double seconds = seconds_of(op) * (1 + simulation_.drift_per_case * double(cases_)) / clock_;
    if (seconds > 1e-3) clock_ = 1 - simulation_.clock_dip;
    return std::make_unique<Case>(*this, seconds);
  }
  std::size_t cases() const { return cases_; }

 private:
  class Case final : public PreparedCase {
   public:
    Case(SimulatedDevice& device, double seconds) : device_(device), seconds_(seconds) {}
    double run() override {
      std::normal_distribution<double> noise;  // a deviation of 0 is none that it takes
      const bool outlier =
          std::uniform_real_distribution<double>()(device_.random_) < device_.simulation_.outlier_share;
      return seconds_ * (1 + device_.simulation_.noise * noise(device_.random_)) * (outlier ? 3 : 1);
    }
    std::string algorithm() const override { return "tile=64x64"; }

   private:
    SimulatedDevice& device_;
    double seconds_;
  };
  Simulation simulation_;
  std::string name_;
  int gpus_;  // of the node
  std::mt19937_64 random_{7};
  double clock_ = 1;
  std::size_t cases_ = 0;
};

}  // namespace warploom::collector
