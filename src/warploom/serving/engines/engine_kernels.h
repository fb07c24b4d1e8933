// Whose kernels an operator is priced with.
#pragma once

#include <string>

#include "warploom/serving/pricing/kernel_names.h"

namespace warploom {

// The kernels of an engine, by its rule; of any other framework whatever was measured as the default.
KernelNames kernels_of(const std::string& framework, const std::string& version);

}  // namespace warploom
