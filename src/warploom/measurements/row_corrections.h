// Rows of published tables that were withdrawn, replaced or timed in another way than their table says.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warploom {

enum class CorrectionAction { Withdraw, LaunchBound };  // leave the row out; mark it as timed eagerly

// Applies to the rows of a table that meet every condition.
struct RowCorrection {
  std::string rule, reason, source;
  CorrectionAction action = CorrectionAction::Withdraw;
  std::vector<std::string> tables;  // folders of the layout
  std::vector<std::string> gpus;    // canonical names; empty: all
  // Columns and the texts that are meant; a table without the column holds no such row.
  std::vector<std::pair<std::string, std::vector<std::string>>> where;
  // Rows of this publication alone: a folder above the table has a name that begins so. Empty: of any.
  std::string published_in;
};

using RowCorrections = std::vector<RowCorrection>;

}  // namespace warploom
