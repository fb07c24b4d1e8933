#include "warploom/cli/tile_kernel_options.h"

namespace warploom {

std::shared_ptr<FieldOptionValues> add_tile_kernel_options(Command& command, TileKernelUse use) {
  return add_fields_of<TileKernel>(command, {.skipped = fields_without_bearing(use)});
}

}  // namespace warploom
