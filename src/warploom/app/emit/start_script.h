// A deployment as a script that starts it on machines of one's own.
#pragma once

#include <vector>

#include "warploom/app/emit/emitted_file.h"
#include "warploom/app/emit/emitted_fleet.h"

namespace warploom {

// start.sh, and a file of options for each pool that needs one. One engine: the script is its command.
// Several: one argument names the engine or the router to start, and MACHINE_0, MACHINE_1, ... in the
// environment are the addresses of the machines, localhost by default. Throws Unsupported where an instance
// spans machines and the engine's start line does not say how.
std::vector<EmittedFile> start_script(const EmittedFleet& fleet);

}  // namespace warploom
