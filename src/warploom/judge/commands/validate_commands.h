// Sub-commands of `validate`.
#pragma once

namespace warploom {

class Command;

// `static`, `serving` and `concurrency`.
void add_validate_serving_runs(Command& validate);

}  // namespace warploom
