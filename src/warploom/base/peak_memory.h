// The most memory that this process held since a moment, as Linux counts it.
#pragma once

#include <cstdint>

namespace warploom {

// Forgets earlier peaks. False where the system keeps no such count; peaks then begin with the process.
bool reset_peak_memory();
// Bytes resident at most since then; 0 where the system does not say.
std::uint64_t peak_memory();
std::uint64_t resident_memory();  // now
// Gives what this process freed back to the system, where the allocator can.
void release_free_memory();

}  // namespace warploom
