#include "warploom/cli/view_file.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/base/file.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"

namespace warploom {
namespace {

constexpr const char* kViews = "views";

}  // namespace

void add_view_file(RequestCommand& command, const std::string& option, const std::string& view,
                   const std::string& description) {
  const auto path = std::make_shared<std::string>();
  command.command().add_option_function<std::string>(
      option, [path](const std::string& text) { *path = text; }, description);
  command.write([path, view](Json& asked, GivenNames&) {
    if (!path->empty()) asked[kViews].push_back(view);
  });
  command.see([path, view](const Json&, Json& document, std::string&) {
    if (path->empty()) return;
    Json& views = document[kViews];
    write_file_atomically(*path, views[view].get<std::string>());
    views.erase(view);
    if (views.empty()) document.erase(kViews);
  });
}

}  // namespace warploom
