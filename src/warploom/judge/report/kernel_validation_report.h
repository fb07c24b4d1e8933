// What `validate kernels` found, whole or with something left out.
#pragma once

#include <string>

#include "warploom/base/json.h"
#include "warploom/judge/validate/validate_kernels.h"
#include "warploom/judge/validate/validate_leave_out.h"

namespace warploom {

std::string kernel_validation_text(const ValidateKernelsResult& result);
// {"overall": S, "families": {F: S}, "gpus": {G: S}, "tiers": {T: S}, "cells": [{"family", "gpu", "dtype",
// "framework", ...S}], "skipped": [{"reason", "rows"}], "rules": [{"rule", "of", "rows", "reason",
// "source"}], "measurement_noise", "split", "baselines": {NAME: {...S, "families", "gpus", "unanswered":
// {REASON: rows}, W, "answer_us"}}} with S of kernel_error_report.h and W of work_cost_report.h
Json kernel_validation_json(const ValidateKernelsResult& result);

std::string leave_out_text(const LeaveOutResult& result);
// {"families": {F: S}, "with_launch_bound": {F: S}, "rules", "left_out": [{"family", "left_out", "gpus",
// "tiers", "seconds", ...W, ...S, "with_launch_bound": S}], "protocol", "ablation": {F: {STEP: S}}}
Json leave_out_json(const LeaveOutResult& result);

}  // namespace warploom
