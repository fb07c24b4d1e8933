// Kernels against their ceilings, ranked by the time that reaching them would save.
#pragma once

#include <string>

#include "warploom/app/tune/diagnosis.h"
#include "warploom/base/json.h"

namespace warploom {

std::string diagnosis_text(const Diagnosis& diagnosis);
// {"gpu","source","quantile","time_us","saved_us","groups":[...],"kernels":[...],"left_out":[...],
// "borrowed":{family:[gpus]},"changes":[...]}
Json diagnosis_json(const Diagnosis& diagnosis);
// One file without outside references: the tables, and a roofline for each pipeline that feeds the SMs.
std::string diagnosis_html(const Diagnosis& diagnosis);

}  // namespace warploom
