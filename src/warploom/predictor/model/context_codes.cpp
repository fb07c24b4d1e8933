#include "warploom/predictor/model/context_codes.h"

#include <map>
#include <string>
#include <utility>

namespace warploom {
namespace {

// Numbers of names: as they came, until they are numbered by name.
template <typename Name>
class NameNumbers {
 public:
  void add(const Name& name) { numbers_.try_emplace(name, float(numbers_.size())); }
  void number_by_name() {
    float next = 0;
    for (auto& [name, number] : numbers_) number = next++;
  }
  float of(const Name& name) const { return numbers_.at(name); }

 private:
  std::map<Name, float> numbers_;
};

}  // namespace

std::vector<ContextCodes> context_codes(const FamilyModel& model) {
  const std::size_t trained = model.trained_contexts > 0 ? model.trained_contexts : model.contexts.size();
  NameNumbers<std::string> frameworks, versions;
  NameNumbers<std::pair<std::string, std::string>> kernels;
  for (std::size_t i = 0; i < model.contexts.size(); ++i) {
    const ContextRecord& context = model.contexts[i];
    frameworks.add(context.framework);
    versions.add(context.version);
    kernels.add({context.framework, context.kernel});
    if (i + 1 != trained) continue;
    frameworks.number_by_name();
    versions.number_by_name();
    kernels.number_by_name();
  }
  std::vector<ContextCodes> codes;
  for (const ContextRecord& context : model.contexts)
    codes.push_back({frameworks.of(context.framework), kernels.of({context.framework, context.kernel}),
                     versions.of(context.version)});
  return codes;
}

}  // namespace warploom
