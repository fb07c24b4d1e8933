// The user's browser, where there is one.
#pragma once

#include <string>

namespace warploom {

// Asks the desktop (xdg-open) to show the address; does nothing without a desktop or without that program,
// and does not wait for it.
void start_browser(const std::string& url);

}  // namespace warploom
