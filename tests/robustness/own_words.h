// Walks a document: every place with every wrong type, taken away and named otherwise.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "warploom/base/json.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {

using ReadDocument = std::function<void(const Json& document)>;

// Reads `sound`, which must be read, and then what it becomes with each of its values exchanged for one of
// each type, taken away and under another name. Fails on any other exception than an Error, on the words of a
// library, on an error of fewer than ten letters, and where hardly anything is refused.
void expect_own_words(const std::string& name, const Json& sound, const ReadDocument& read);

// A reader of files, by way of a file of the folder.
ReadDocument of_file(const ScratchFolder& folder, const std::string& name,
                     const std::function<void(const std::filesystem::path&)>& read);

// A file of tests/fixtures.
Json fixture(const std::string& name);

}  // namespace warploom
