// A model for itself, that knows nothing of the target.
#include <array>

#include "warploom/serving/speculation/draft_method.h"

namespace warploom {
namespace {

constexpr std::array<std::string_view, 4> kSpellings{"draft_model", "draft_target", "standalone",
                                                     "drafttarget"};

}  // namespace

extern constinit const DraftMethod kDraftModelMethod{
    .name = "draft_model", .spellings = kSpellings, .engine = DraftEngine::AnyModel};

}  // namespace warploom
