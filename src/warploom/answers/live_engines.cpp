#include "warploom/answers/live_engines.h"

#include "warploom/answers/internal/setup_reading.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/error.h"

namespace warploom {

ServingEngines live_engines(const Session& session, const Json& asked, const AnswerWatch& watch) {
  auto request = read_setup_request<SimulateRequest>(session, asked, SetupUse::Run, watch);
  WorkloadRequestSource named = request.source;
  if (!name_default_workload(named))
    throw InvalidInput("source: clients send the requests here, expected no workload");
  return open_engines(request, session.model_of(predictor_of(request)));
}

}  // namespace warploom
