#include "warploom/report/plan_views.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "warploom/app/emit/emit_plan.h"
#include "warploom/app/plan/check_plan.h"
#include "warploom/app/runs/measured_requests.h"
#include "warploom/base/error.h"
#include "warploom/report/plan_front.h"
#include "warploom/report/plan_report.h"

namespace warploom {
namespace {

Json made_or_error(const std::function<Json()>& make) {
  try {
    return make();
  } catch (const Error& error) {
    return {{"error", error.what()}};
  }
}

Json emitted_json(const PlanRequest& request, const PlanResult& result) {
  Json files = Json::array();
  for (const EmittedFile& file : emit_plan(request, result, request.emit))
    files.push_back({{"name", file.name}, {"contents", file.contents}});
  return files;
}

}  // namespace

void check_plan_views(const PlanRequest& request) {
  if (!request.emit.empty()) check_emit_format(request, request.emit);
  if (!request.check.empty() && request.crew == nullptr) (void)read_measured_requests(request.check);
}

void add_plan_views(const PlanRequest& request, const PlanResult& result, Json& document, std::string& text) {
  if (!request.check.empty())
    document["check"] = made_or_error([&] {
      const PlanCheck check = check_plan(result, request.check);
      text += "\n" + plan_check_text(check);
      return plan_check_json(check);
    });
  if (!request.emit.empty()) document["emit"] = made_or_error([&] { return emitted_json(request, result); });
  for (const std::string& view : request.views)
    document["views"][view] = plots_svg({speed_plot(result), cost_plot(result)});
}

}  // namespace warploom
