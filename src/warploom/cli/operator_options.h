// Options that describe one operator: a sub-command per family, an option per field.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/predict/predict_operator.h"
#include "warploom/cli/field_options.h"

namespace warploom {

// Groups of alike requests from "COUNTxQUERY[+CONTEXT],...": "4x1024" is four prompts of 1,024 new tokens,
// "32x1+2047" is 32 decodes with 2,047 tokens cached; "COUNTx" may be left out. Throws InvalidInput that
// starts with `where`.
std::vector<RequestGroup> request_groups_from_text(std::string_view text, std::string_view where);

// The options of one family, collected while parsing.
class OperatorOptions {
 public:
  // Adds the options of `family` to its sub-command.
  OperatorOptions(Command& command, Family family);
  // Into the fields of `predict`, flat, with the family. Throws InvalidInput on values out of range.
  void write(Json& asked) const;

 private:
  // The requests of attention: alike ones, or a list of groups.
  struct Batch {
    std::string list;
    AlikeRequests alike;
  };

  Operator defaults_;
  std::shared_ptr<FieldOptionValues> fields_;
  std::shared_ptr<FieldOptionValues> mla_fields_;
  std::shared_ptr<Batch> batch_;  // of attention
};

}  // namespace warploom
