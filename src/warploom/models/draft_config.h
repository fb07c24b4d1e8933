// A drafter's own config.json: the layers it has, and how they hang on the model it drafts for. Published
// heads, the format of `speculators`, and the records of data/drafts, each the facts of a published
// config.json with its names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/file_scope.h"
#include "warploom/models/architecture.h"

namespace warploom {

// A class of drafter in config.json: the class whose layers it has, or why none is modelled.
struct DraftClass {
  std::string_view name;
  std::string_view layers;     // "Qwen3ForCausalLM"
  std::string_view refused{};  // not empty: the reason
};

// The text of a config.json, and how to call it.
struct DraftDocument {
  std::string name, where, text;
};

struct DraftConfig {
  std::string name;
  ModelArchitecture model;           // its layers; the vocabulary is that of its lm_head
  std::int64_t read_vocabulary = 0;  // tokens that it can read
  std::int64_t target_hidden = 0;    // width of the states that it is given; 0: its own
  std::int64_t target_states = 0;    // layers of the target that it is given; 0: not said
  std::int64_t block = 0;            // positions of a block that it was trained on; 0: not said
  std::int64_t tokens = 0;           // that it is meant to propose (`speculators`); 0: not said
  std::int64_t markov_rank = 0;
  bool joins_states = true;    // by a product before its layers
  bool samples_anchor = true;  // of a block the first token predicts too
  bool confidence = false;     // a head says how sure each draft is
};

// The names of data/drafts, sorted.
std::vector<std::string> draft_names();

// The config.json of a path, of a record of data/drafts (with or without the part before '/') or of a
// downloaded repository; nothing where there is none of them. What `files` does not hold is a name. Throws
// IoError of a path that cannot be read.
std::optional<DraftDocument> find_draft_document(const std::string& name_or_path,
                                                 const FileScope& files = {});

// The class that the document names, as `speculators` would call it; empty: none.
std::string draft_class(const DraftDocument& document);
// The method of a document in the format of `speculators`; empty: it is in another.
std::string speculators_method(const DraftDocument& document);

// Reads a document whose class is one of `classes`, or is one behind `prefix`, which engines put before the
// class of an ordinary model ("Eagle3" and LlamaForCausalLM). Throws Unsupported by the name of the class,
// InvalidInput as architecture_from_config.
DraftConfig read_draft_config(const DraftDocument& document, std::span<const DraftClass> classes,
                              std::string_view prefix);

}  // namespace warploom
