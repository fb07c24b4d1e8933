// What tests of emitted files share: a plan without a search, its files, and documents of YAML.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/emit/emit_plan.h"
#include "warploom/app/plan/plan_load.h"
#include "warploom/base/yaml.h"
#include "warploom/planner/load_profile.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {

using Files = std::map<std::string, std::string>;

inline PlanRequest request_for(const std::string& engine) {
  PlanRequest request;
  request.model = "Llama-3.1-70B-Instruct";
  request.space.gpus = {"H100-SXM"};
  request.space.engines = {engine};
  request.source.random = RandomPrompts{.input_len = 600, .output_len = 50};
  request.source.rate = 4;
  request.source.requests = 20;
  request.slo = {"ttft_p95_ms=400"};
  return request;
}

// A plan whose best is this, without a search.
inline PlanResult plan_with(const PlanRequest& request, const Configuration& configuration,
                            const Fleet& fleet) {
  PlanResult plan;
  plan.model = request.model;
  PlanPoint point;
  point.configuration = configuration;
  point.fleet = fleet;
  point.rate = 4;
  point.figures.length.requests = 20;
  plan.search.points = {point};
  plan.search.best = 0;
  plan.labels = {{.engine = engine_and_version(request.space.engines.at(0)).first}};
  plan.load = plan_profile(request, plan_workload(request), false);
  return plan;
}

inline Files emitted(const PlanRequest& request, const PlanResult& plan, const std::string& format) {
  Files files;
  for (const EmittedFile& file : emit_plan(request, plan, format)) files[file.name] = file.contents;
  return files;
}

inline Files emitted(const std::string& engine, const std::string& format,
                     const Configuration& configuration = {}, const Fleet& fleet = {}) {
  const PlanRequest request = request_for(engine);
  return emitted(request, plan_with(request, configuration, fleet), format);
}

inline Configuration pools_of(std::int64_t prefill, std::int64_t decode) {
  Configuration configuration;
  configuration.shape.tensor_parallel = prefill;
  configuration.decode = EngineShape{.tensor_parallel = decode};
  return configuration;
}

inline Json json_of_text(const std::string& text, std::string_view where) {
  return json_of(parse_yaml(text, where));
}

// Documents of a YAML text by kind, or by "" where they have none.
inline std::map<std::string, std::vector<Json>> documents_of(const std::string& text) {
  std::map<std::string, std::vector<Json>> documents;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find("\n---\n", begin), text.size());
    const Json document = json_of_text(text.substr(begin, end - begin), "manifest");
    documents[document.value("kind", "")].push_back(document);
    begin = end + 5;
  }
  return documents;
}

inline const std::vector<std::string> kEngines{"vllm", "sglang", "trtllm"};

}  // namespace warploom
