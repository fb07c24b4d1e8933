// The built page (web/dist), compressed inside the program.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "warploom/web/http_message.h"

namespace warploom {

// The file of a GET; "/" is index.html. Throws NotFound.
HttpResponse page_file(const HttpRequest& request);

// A file of web/dist by its path in there, not compressed; nothing where the build has no such file.
std::optional<std::string> page_text(std::string_view path);

}  // namespace warploom
