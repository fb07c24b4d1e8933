// Requests whose fields are named without the objects around them: {"model": ..., "max_num_seqs": ...} for
// {"setup": {"model": ..., "config": {"max_num_seqs": ...}}}.
#pragma once

#include <string_view>

#include "warploom/base/json.h"

namespace warploom {

// Each key that the table does not have goes to the objects nearest to the top that have it; into optional
// objects only where no other has it. A required field that an object lacks is taken from one around it
// that has it (the GPU of `diagnose` is also that of its batch). Names that the command line has and a
// request lacks (`tp`, `gpus`, `isl`, `input_tokens`) are those of its fields. Throws InvalidInput
// "<where>: ..." on a document that is no object and on a key that is nowhere, with the nearest name.
Json nested_request(const Json& flat, const FieldTable& table, std::string_view where);

}  // namespace warploom
