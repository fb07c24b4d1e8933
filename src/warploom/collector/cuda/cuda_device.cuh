// The MeasuringDevice of a CUDA GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warploom/collector/device.h"

namespace warploom::collector {

class CudaDevice final : public MeasuringDevice {
 public:
  // Throws BadInput as check_start (start_checks.h) does. With more than one of `gpus` also collectives over
  // that many; those throw as NodeCollectives does.
  explicit CudaDevice(int ordinal, int gpus = 1);
  ~CudaDevice() override;

  DeviceFacts facts() override;
  DeviceState state() override;
  void rest(double seconds) override;
  std::vector<DeviceConstant> constants() override;
  std::vector<Kernel> kernels(const OperatorText& op) override;
  std::unique_ptr<PreparedCase> prepare(const OperatorText& op, const std::string& kernel) override;

  // As check_kernels of families.cuh.
  bool check_own_kernels(std::vector<std::string>& lines);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warploom::collector
