// Options of the kernel that `tune` measures or fits.
#pragma once

#include <memory>

#include "warploom/app/tune/kernel_scope.h"
#include "warploom/cli/field_options.h"

namespace warploom {

// Options for all fields but those that never bear on `use`.
std::shared_ptr<FieldOptionValues> add_tile_kernel_options(Command& command, TileKernelUse use);

}  // namespace warploom
