// Self-contained: the positive case of the header check.
#pragma once

#include <string>

inline std::string name() { return "x"; }
