// How long an instance takes to learn what a store or a peer has, before bytes are asked for:
// data/engines/kv_lookups.json.
#pragma once

#include <string_view>

#include "warploom/base/json.h"
#include "warploom/serving/kv/shared_kv.h"

namespace warploom {

struct KvLookups {
  LookupTime store, peer;
};

// Throws InvalidInput "<where>: ..." on what is missing or out of order, Unsupported on a newer version.
KvLookups parse_kv_lookups(const Json& document, std::string_view where);

// As shipped; read once.
const KvLookups& shipped_kv_lookups();

}  // namespace warploom
