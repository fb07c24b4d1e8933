// The largest operators that are described. Beyond them sums of structure leave 64-bit integers and single
// precision; every limit is a thousand times what runs anywhere.
#pragma once

#include <cstdint>

namespace warploom {

// Limit of any single count or size.
inline constexpr std::int64_t kLargestCount = 1'000'000'000'000;
// Rows, columns and depth of a product: its tiles are counted in 32 bits.
inline constexpr std::int64_t kLargestSide = 10'000'000'000;
// The loads of experts are listed one by one, and dealt choice by choice.
inline constexpr std::int64_t kMostExperts = 65'536;
inline constexpr double kMostExpertChoices = 1 << 22;  // experts x top_k
inline constexpr std::int64_t kMostRanks = 1'000'000;
inline constexpr std::int64_t kMostInputs = 16;   // of an element-wise kernel
inline constexpr double kMostWeightCopies = 1e6;  // that a benchmark rotates through
inline constexpr double kMostElements = 1e15;     // of one tensor
inline constexpr double kMostFlop = 1e24;         // of one operator: years on any GPU
// Limits of the network between nodes; NodeNetwork::describe has the same.
inline constexpr double kSlowestNic = 1e7, kFastestNic = 1e13;  // B/s
inline constexpr std::int64_t kMostNics = 1024;
inline constexpr double kMostOversubscription = 1000;
inline constexpr double kMostCollectiveBytes = 1e15, kMostTokenBytes = 1e9;

}  // namespace warploom
