// What the files of features share.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "warploom/kernels/matrix_rate.h"
#include "warploom/kernels/structural_terms.h"
#include "warploom/predictor/features/feature_source.h"
