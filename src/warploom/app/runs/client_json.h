// Values of a load generator's JSON, checked as they are read. Errors: InvalidInput "<where>: '<key>' ...".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"

namespace warploom {

// The member of that name; nullptr when `object` is no object, has none or it is null.
const Json* client_member(const Json& object, std::string_view key);
// The same along a path of keys.
const Json* client_member(const Json& object, std::initializer_list<std::string_view> path);
// The list of that name.
const Json& client_list(const Json& object, std::string_view key, const std::string& where);

double client_number(const Json& value, std::string_view key, const std::string& where);
// A time from 0 to 1e10 s (Unix times of this century included); the value is in units of `unit` s.
double client_time(const Json& value, std::string_view key, const std::string& where, double unit = 1.0);
std::int64_t client_count(const Json& value, std::string_view key, const std::string& where);
// A length of 0 to kMaxRequestTokens.
std::int32_t client_tokens(const Json& value, std::string_view key, const std::string& where);
// Absent when `object` has no such member.
std::optional<std::int64_t> client_count_if(const Json& object, std::string_view key,
                                            const std::string& where);

}  // namespace warploom
