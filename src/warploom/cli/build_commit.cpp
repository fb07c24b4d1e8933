#include "warploom/cli/build_commit.h"

#include "warploom_commit.h"

namespace warploom {

std::string_view build_commit() { return WARPLOOM_COMMIT; }

}  // namespace warploom
