// Which sources the program was built from.
#pragma once

#include <string_view>

namespace warploom {

// The commit of the checkout at the last build, with "-dirty" behind it where tracked files were changed.
// Empty where it was built from no checkout.
std::string_view build_commit();

}  // namespace warploom
