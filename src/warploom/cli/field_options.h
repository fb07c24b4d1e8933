// Command-line options from a struct's field list: `max_num_seqs` becomes --max-num-seqs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "warploom/base/fields.h"

namespace CLI {
class App;
}

namespace warploom {

// The texts that a user gave for the options of one table, applied to an object after parsing.
class FieldOptionValues {
 public:
  // Sets the fields that were given; others keep their values. Numbers are checked against the fields'
  // ranges. Throws InvalidInput that names the option.
  void apply(void* object) const;
  bool given(std::string_view field_name) const;
  bool any_given() const;

 private:
  friend std::shared_ptr<FieldOptionValues> add_field_options(CLI::App& command, const FieldTable& table,
                                                              const std::vector<std::string>& skipped,
                                                              const std::string& prefix);
  struct Entry {
    const Field* field = nullptr;
    std::string option;
    std::string text;
    bool given = false;
  };
  std::vector<std::unique_ptr<Entry>> entries_;
};

// Adds one option per scalar or list field of `table` (which must outlive the command); nested objects and
// the names in `skipped` are left out. A Boolean field gives --name and --no-name. `prefix` (with
// underscores) stands before every name.
std::shared_ptr<FieldOptionValues> add_field_options(CLI::App& command, const FieldTable& table,
                                                     const std::vector<std::string>& skipped = {},
                                                     const std::string& prefix = {});

// "max_num_seqs" -> "--max-num-seqs"
std::string option_name(std::string_view field_name);

// The value that `text` spells for `field`; throws InvalidInput that starts with `where`. Lists are comma
// separated.
FieldValue field_value_from_text(const Field& field, std::string_view text, std::string_view where);

}  // namespace warploom
