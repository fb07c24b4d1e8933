// A view of an answer, written to a file.
#pragma once

#include <string>

namespace warploom {

class RequestCommand;

// Adds an option that asks for the view and takes the path of its file. Returns nothing; the file is written
// whole or not at all, and the view does not stand in what is printed.
void add_view_file(RequestCommand& command, const std::string& option, const std::string& view,
                   const std::string& description);

}  // namespace warploom
