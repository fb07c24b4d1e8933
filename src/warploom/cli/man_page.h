// The manual page, from the same tree of commands that is parsed and the same words that help shows.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace warploom {

// Text for man(7): one page with every command.
std::string man_page(const CLI::App& program, const std::string& version);

}  // namespace warploom
