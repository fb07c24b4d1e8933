// What the fields of an engine's configuration are about: FieldOptions::topic of ServingConfig and HostModel.
#pragma once

#include <string_view>

namespace warploom {

inline constexpr std::string_view kParallelTopic = "parallelism";  // how many GPUs hold the model, and how
inline constexpr std::string_view kReplicaTopic = "replicas";      // how many copies, and who is sent where
inline constexpr std::string_view kQueueTopic = "queue";           // who waits and who is admitted
inline constexpr std::string_view kPromptTopic = "prompts";        // how prompts are split over steps
inline constexpr std::string_view kBatchTopic = "batch";           // how much one step may hold
inline constexpr std::string_view kMemoryTopic = "kv_memory";      // how much the KV cache holds
inline constexpr std::string_view kTierTopic = "kv_tiers";         // where evicted prefixes go
inline constexpr std::string_view kAdapterTopic = "adapters";
inline constexpr std::string_view kImageTopic = "images";  // how GPUs share their encoder
inline constexpr std::string_view kDraftTopic = "drafts";
inline constexpr std::string_view kGraphTopic = "graphs";  // which steps run as CUDA graphs

}  // namespace warploom
