#include "warploom/report/run_views.h"

#include <nlohmann/json.hpp>

#include "warploom/report/aiperf.h"
#include "warploom/report/run_trace.h"

namespace warploom {

Json run_views_json(std::span<const std::string> views, const SimulateResult& result) {
  Json texts = Json::object();
  for (const std::string& view : views)
    texts[view] =
        view == kPerfettoView ? run_trace_json(result.run, result.traced) : aiperf_jsonl(result.run.requests);
  return texts;
}

}  // namespace warploom
