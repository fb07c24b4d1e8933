// Not self-contained on purpose: the negative case of the header check.
#pragma once

inline std::string name() { return "x"; }
