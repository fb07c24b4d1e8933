// What a Prometheus server reads of simulated engines, under the names of vLLM (vllm/v1/metrics/loggers.py).
#pragma once

#include <string>

#include "warploom/app/serving/paced_engines.h"

namespace warploom {

std::string mock_metrics_text(const PacedFigures& figures, const std::string& model);

}  // namespace warploom
