// Command-line options from a struct's field list: `max_num_seqs` becomes --max-num-seqs; of a request what
// flag_names.h says.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/json.h"
#include "warploom/cli/flag_names.h"

namespace warploom {

class Command;

// The texts that a user gave for the options of one table, applied to an object after parsing.
class FieldOptionValues {
 public:
  // Sets the fields that were given; others keep their values. Numbers are checked against the fields'
  // ranges. Throws InvalidInput that names the option.
  void apply(void* object) const;
  // The same as JSON, into the object of the table's fields: what was given and no more.
  void write(Json& fields) const;
  bool given(std::string_view field_name) const;
  bool any_given() const;
  // The options that were given, with the names of their fields, in the order of the table.
  std::vector<std::pair<std::string, std::string>> given_options() const;

 private:
  friend class FieldOptionsAdder;
  struct Entry {
    const Field* field = nullptr;
    std::vector<const Field*> inside;  // the objects that hold it, outermost first
    std::string option;
    std::string text;
    std::vector<std::string> words;  // of a request's list, in place of `text`
    bool given = false;
    bool request = false;
    FieldValue value() const;  // checked
  };
  std::vector<std::unique_ptr<Entry>> entries_;
};

// How the options of a table are named and shown.
struct FieldOptionStyle {
  std::vector<std::string> skipped;  // names of fields that get no option
  std::string prefix;                // with underscores, before every name
  const void* defaults = nullptr;    // an object of the table's type whose values help shows; may be absent
  std::vector<std::string> shown;    // names of the fields that help shows; empty: all
  std::string group;                 // heading in help; empty: the general one
  std::function<std::string(std::string_view field)> group_of;  // in place of `group`; may be absent
  // A request: options have the names of flag_names.h, lists take several words, fields of nested objects
  // have options beside the others (an absent object is made when one of them is given), required ones must
  // be given.
  bool request = false;
  std::vector<std::string> elsewhere;  // required fields of a request that another option may also say
  std::vector<std::pair<std::string, std::string>> positionals;  // field -> NAME, in place of an option
};

// Adds one option per scalar or list field of `table` (which must outlive the command); nested objects are
// left out unless it is a request's. A Boolean field gives --name and --no-name; help shows that which is not
// the default.
std::shared_ptr<FieldOptionValues> add_field_options(Command& command, const FieldTable& table,
                                                     const FieldOptionStyle& style = {});

// The same, with the defaults of T in help.
template <Described T>
std::shared_ptr<FieldOptionValues> add_fields_of(Command& command, FieldOptionStyle style = {}) {
  const T defaults{};
  style.defaults = &defaults;
  return add_field_options(command, fields_of<T>(), style);
}

// The options of a request, with its defaults in help.
template <Described T>
std::shared_ptr<FieldOptionValues> add_request_options(Command& command, FieldOptionStyle style = {}) {
  const T defaults{};
  style.defaults = &defaults;
  style.request = true;
  return add_field_options(command, fields_of<T>(), style);
}

}  // namespace warploom
