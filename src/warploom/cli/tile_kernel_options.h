// Options of the kernel that `tune` measures or fits, and which of them bear on what is asked.
#pragma once

#include <memory>
#include <string_view>

#include "warploom/app/tune/tune_fit.h"
#include "warploom/cli/field_options.h"

namespace warploom {

// Anchors depend on sizes alone, those at ends of waves on the rows of experts too; the second round's on a
// fit as well. A profile runs the reference kernels. Learning fits and has no table, whose key the name is.
// The published wave model sees tiles and steps alone.
enum class TileKernelUse { Anchors, BoundaryAnchors, SecondRound, Profile, Learning, Table, WaveTuneTable };

// Options for all fields but those that never bear on `use`.
std::shared_ptr<FieldOptionValues> add_tile_kernel_options(Command& command, TileKernelUse use);

// The kernel that the options describe. Throws InvalidInput that starts with `command` where an option was
// given that bears on another kind of kernel or on nothing that `use` asks, and where a value has no range.
TileKernel tile_kernel_of(const FieldOptionValues& options, TileKernelUse use, std::string_view command);

}  // namespace warploom
