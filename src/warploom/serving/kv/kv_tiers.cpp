#include "warploom/serving/kv/kv_tiers.h"

namespace warploom {

bool LruHashes::touch(std::uint64_t hash) {
  const auto place = order_.find(hash);
  if (place == order_.kNone) return false;
  order_.touch(place);
  return true;
}

bool LruHashes::add(std::uint64_t hash) {
  if (touch(hash)) return false;
  if (order_.capacity() <= 0) return true;
  if (order_.full()) order_.drop_oldest();
  order_.add(hash, {});
  return true;
}

KvTiers::KvTiers(const KvTierConfig& config, std::int64_t unit_tokens)
    : config_(config), cpu_(config.cpu_tokens / unit_tokens), disk_(config.disk_tokens / unit_tokens) {}

void KvTiers::store(std::uint64_t hash) {
  const bool new_to_cpu = cpu_.add(hash), new_to_disk = disk_.add(hash);
  if (config_.exists() && new_to_cpu && new_to_disk) ++stored_;
}

void KvTiers::touch(std::uint64_t hash) {
  cpu_.touch(hash);
  disk_.touch(hash);
}

KvTier KvTiers::find(std::uint64_t hash) {
  if (cpu_.touch(hash)) return KvTier::Cpu;
  return disk_.touch(hash) ? KvTier::Disk : KvTier::None;
}

Seconds KvTiers::fetch_time(std::int64_t cpu_tokens, std::int64_t disk_tokens) const {
  Seconds time = double(cpu_tokens) * config_.cpu_per_token + double(disk_tokens) * config_.disk_per_token;
  if (cpu_tokens > 0) time += config_.cpu_latency;
  if (disk_tokens > 0) time += config_.disk_latency;
  return time;
}

bool KvTiers::fetches(std::int64_t cpu_tokens, std::int64_t disk_tokens) const {
  const std::int64_t tokens = cpu_tokens + disk_tokens;
  if (tokens == 0) return false;
  if (prompt_tokens_ == 0 || config_.fetch == KvFetchRule::Always) return true;
  return fetch_time(cpu_tokens, disk_tokens) < *computing_time(tokens);
}

std::optional<Seconds> KvTiers::computing_time(std::int64_t tokens) const {
  if (prompt_tokens_ == 0) return std::nullopt;
  return prompt_time_ * (double(tokens) / double(prompt_tokens_));
}

void KvTiers::see_prompt_step(Seconds gpu, std::int64_t tokens) {
  prompt_time_ += gpu;
  prompt_tokens_ += tokens;
}

}  // namespace warploom
