// The kernel that an engine runs an operator with.
#pragma once

#include "warploom/serving/engines/kernel_names.h"

namespace warploom {

// Views into `names` and into constants. A framework that is no engine runs what was measured as its default.
// Throws as EngineSpec::kernel does.
KernelContext kernel_of(const KernelNames& names, const Operator& op, const GpuSpec& gpu);

}  // namespace warploom
