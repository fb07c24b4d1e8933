#include "warploom/app/emit/emit_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "warploom/app/emit/bench_script.h"
#include "warploom/app/emit/emitted_fleet.h"
#include "warploom/app/emit/kubernetes_manifest.h"
#include "warploom/app/emit/llm_d_values.h"
#include "warploom/app/emit/start_script.h"
#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {
namespace {

constexpr std::string_view kAutomatic = "auto";

bool is_engine(const std::string& format) {
  const std::vector<std::string> engines = engine_names();
  return std::find(engines.begin(), engines.end(), format) != engines.end();
}

// The engine that files of this format start; empty: any.
std::string engine_of_format(const std::string& format) {
  if (is_engine(format)) return format;
  return format == "llm-d" ? std::string(default_engine()) : std::string();
}

// Ranks of the deployments that are written, best first.
std::vector<std::size_t> chosen_points(const PlanRequest& request, const PlanResult& plan,
                                       const std::string& format) {
  const auto& points = plan.search.points;
  const std::string engine = engine_of_format(format);
  std::vector<std::size_t> chosen;
  const auto add = [&](std::size_t point) {
    const bool served = engine.empty() || plan.labels[point].engine == engine;
    const bool known = std::any_of(chosen.begin(), chosen.end(), [&](std::size_t other) {
      return points[other].configuration == points[point].configuration;
    });
    if (served && !known && std::int64_t(chosen.size()) < request.top) chosen.push_back(point);
  };
  add(*plan.search.best);
  for (std::size_t point = 0; point < points.size(); ++point) add(point);
  if (chosen.empty())
    throw InvalidInput(fmt::format(
        "emit: no deployment that {} serves was kept, the best runs {}, expected the format auto or "
        "`engines` {}",
        engine, plan.labels[*plan.search.best].engine, engine));
  return chosen;
}

// A folder of files, which do without one of options unless they can hold it.
std::vector<EmittedFile> files_of(const PlanRequest& request, const PlanResult& plan, std::size_t point,
                                  const std::string& format) {
  EmittedFleet fleet = emitted_fleet(request, plan, point);
  std::vector<EmittedFile> files;
  if (format == "dynamo") {
    files.push_back({"dynamo.yaml", dynamo_graph(fleet)});
  } else {
    add_pool_roles(fleet);
    if (format == "k8s")
      files.push_back({"deployment.yaml", kubernetes_manifest(fleet)});
    else if (format == "llm-d")
      files.push_back({"values.yaml", llm_d_values(fleet)});
    else
      files = start_script(fleet);
  }
  for (EmittedFile& file : bench_script(request, plan, fleet)) files.push_back(std::move(file));
  return files;
}

}  // namespace

std::vector<std::string> emit_formats() {
  std::vector<std::string> formats = engine_names();
  formats.insert(formats.end(), {"k8s", "llm-d", "dynamo", std::string(kAutomatic)});
  return formats;
}

void check_emit_format(const PlanRequest& request, const std::string& format) {
  const std::vector<std::string> formats = emit_formats();
  if (std::find(formats.begin(), formats.end(), format) == formats.end())
    throw NotFound(fmt::format("emit: '{}' is no format{}, expected one of: {}", format,
                               did_you_mean(format, formats), fmt::join(formats, ", ")));
  const std::string engine = engine_of_format(format);
  if (engine.empty()) return;
  std::vector<std::string> chosen;
  for (const std::string& entry : request.space.engines) chosen.push_back(engine_and_version(entry).first);
  if (chosen.empty()) chosen.push_back(default_engine());
  if (std::find(chosen.begin(), chosen.end(), engine) != chosen.end()) return;
  if (!is_engine(format))
    throw InvalidInput(fmt::format("emit: {} serves with {}, expected `engines` {}", format, engine, engine));
  throw InvalidInput(
      fmt::format("emit: {} is not among the engines to choose from, expected `engines` {}", format, format));
}

std::vector<EmittedFile> emit_plan(const PlanRequest& request, const PlanResult& plan,
                                   const std::string& format) {
  check_emit_format(request, format);
  if (!plan.search.best)
    throw InvalidInput("emit: no deployment meets the limits, expected limits that some deployment meets");
  const std::vector<std::size_t> points = chosen_points(request, plan, format);
  if (request.top <= 1) return files_of(request, plan, points.front(), format);
  std::vector<EmittedFile> all;
  for (std::size_t rank = 0; rank < points.size(); ++rank)
    for (EmittedFile& file : files_of(request, plan, points[rank], format))
      all.push_back({fmt::format("{}/{}", rank + 1, file.name), std::move(file.contents)});
  return all;
}

}  // namespace warploom
