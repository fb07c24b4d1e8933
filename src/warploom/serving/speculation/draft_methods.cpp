#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/serving/speculation/draft_method.h"

namespace warploom {

// Each is defined in the file of its name.
extern const DraftMethod kDraftModelMethod, kEagleMethod, kEagle3Method, kMtpMethod, kNgramMethod,
    kDFlashMethod, kDSparkMethod;

namespace {

constexpr std::array<const DraftMethod*, 7> kMethods{&kDraftModelMethod, &kEagleMethod,  &kEagle3Method,
                                                     &kMtpMethod,        &kDFlashMethod, &kDSparkMethod,
                                                     &kNgramMethod};

}  // namespace

std::span<const DraftMethod* const> all_draft_methods() { return kMethods; }

const DraftMethod* find_draft_method(std::string_view spelling) {
  std::string name(spelling);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  for (const DraftMethod* method : kMethods)
    if (std::find(method->spellings.begin(), method->spellings.end(), name) != method->spellings.end())
      return method;
  return nullptr;
}

const DraftMethod& draft_method_named(std::string_view name) {
  std::vector<std::string> names;
  for (const DraftMethod* method : kMethods) {
    if (method->name == name) return *method;
    names.emplace_back(method->name);
  }
  throw NotFound(fmt::format("draft method '{}' is not known, expected one of: {}{}", name,
                             fmt::join(names, ", "), did_you_mean(name, names)));
}

const DraftMethod* draft_method_of_class(std::string_view architecture) {
  for (const DraftMethod* method : kMethods)
    for (const DraftClass& each : method->classes)
      if (each.name == architecture) return method;
  return nullptr;
}

std::optional<DraftConfig> load_draft(const DraftMethod& method, const std::string& model,
                                      const FileScope& files) {
  if (method.classes.empty()) return std::nullopt;
  if (const auto document = find_draft_document(model, files))
    return read_draft_config(*document, method.classes, method.class_prefix);
  if (method.in_blocks && !model.empty()) {
    const auto names = draft_names();
    throw NotFound(
        fmt::format("speculative decoding: the sizes of draft '{}' are not known{}, expected the path of its "
                    "config.json as 'model', or one of: {}",
                    model, did_you_mean(model, names), fmt::join(names, ", ")));
  }
  return std::nullopt;
}

}  // namespace warploom
