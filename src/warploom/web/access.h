// Who may ask, and what browsers are told.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/web/error_answer.h"
#include "warploom/web/http_message.h"

namespace warploom {

struct AccessRules {
  std::string address = "127.0.0.1";
  std::vector<std::string> host_names;  // under which clients may call the machine beside its addresses
  std::string token;                    // empty: none is asked for
};

// 127.0.0.0/8, ::1 and localhost.
bool is_loopback(std::string_view address);

// Why the request is refused: 403 where its Host is no name of this server (a page elsewhere whose name was
// pointed here), or its Origin or Sec-Fetch-Site is another page's; 401 where a path under /api asks without
// the token.
std::optional<ErrorAnswer> refused_access(const AccessRules& rules, const HttpRequest& request);

// Header fields of every response: no script but the page's own, no frames, no guesses of types, no referrer.
const std::vector<std::pair<std::string, std::string>>& safety_headers();

}  // namespace warploom
