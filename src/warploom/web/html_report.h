// One answer as one self-contained page: web/dist/report.html with the document in it.
#pragma once

#include <string>
#include <string_view>

#include "warploom/base/json.h"

namespace warploom {

// `request`: its name, as answers/answer.h has it. `asked`: its fields, null where they are not known.
// `answer`: the document. `command`: the line that was run. Where the build has no page, the document
// stands there as text.
std::string html_report(std::string_view request, const Json& asked, const Json& answer,
                        std::string_view command);

}  // namespace warploom
