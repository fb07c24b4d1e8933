// Kernels on rows that an onboarding timed one by one: rows.csv of its folder.
#pragma once

#include <filesystem>
#include <vector>

#include "warploom/app/runs/machine_fit.h"
#include "warploom/app/serving/serving_setup.h"

namespace warploom {

// What each is predicted to take and took; of one that also quantises what it writes, with what the price of
// a product holds of that. Rows that only launch are left out, since their price is not scaled, and those
// that are quantised in a scheme that the model has not. Empty: no such file. Throws InvalidInput naming file
// and line on what is no operator on rows, and on times that are not above zero.
std::vector<MeasuredSum> read_onboarded_rows(const std::filesystem::path& path, const ServingSetup& setup);

}  // namespace warploom
