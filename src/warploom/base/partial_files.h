// Names of files that are being written and will be renamed, and removal of those whose writer was killed.
//
// A writer holds a lock on its file from before it has a name until it has the right one. The kernel takes
// the lock back however the writer ends, so a file that can be locked is nobody's.
#pragma once

#include <filesystem>

namespace warploom {

// A path in `folder` that nobody can guess.
std::filesystem::path new_partial(const std::filesystem::path& folder);

// Locks a file that was just made, until it is closed. False when another writer has removed it meanwhile.
// On file systems without locks it stays unlocked, and nobody removes it.
bool lock_partial(int file);

// Removes the files of `folder` that killed writers left. What cannot be read or removed is left.
void remove_partial_files(const std::filesystem::path& folder);

}  // namespace warploom
