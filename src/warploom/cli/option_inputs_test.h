// What learning and tuning are tried on by every_option_test, beside the files of option_cases_reader_test.
#pragma once

#include "warploom/base/scratch_folder_test.h"

namespace warploom {

// Rows by formulas (h200.csv: one GPU, gpus.csv: three, families.csv: gemm and moe), searches over expert
// layers, and programs that stand for Python: they time plans by formulas and note their words in *.words.
void write_learning_inputs(const ScratchFolder& folder);

}  // namespace warploom
