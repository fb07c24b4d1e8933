// Words inside emitted files. Every name that a user gave passes through one of these or through shell_line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warploom {

// A scalar that YAML reads as the same text.
std::string yaml_text(const std::string& word);
// Each word in quotes, as an entry of a list.
std::string yaml_words(const std::vector<std::string>& words, std::string_view indent);
// Behind a '#': without characters that would end the line.
std::string comment_text(std::string text);
// A name of Kubernetes: what follows the last '/', in small letters, digits and dashes; "model" where nothing
// is left. At most 40 characters, so that what is put behind it fits into a label.
std::string kubernetes_name(const std::string& model);
// Every line of `text` behind `indent`.
std::string indented(std::string_view text, std::string_view indent);

}  // namespace warploom
