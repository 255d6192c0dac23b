#include "tiers/remote/redis_versions.h"

namespace kvantage::inline remote {

void RedisVersions::set(const Digest128& key, std::uint64_t sequence, State state) {
  Known& known = known_[key];
  known.sequence = sequence;
  known.state = state;
  known.since = ++clock_;
}

void RedisVersions::putting(const Digest128& key) {
  const std::lock_guard lock(mutex_);
  ++known_[key].puts;
}

void RedisVersions::put_done(const Digest128& key, std::optional<std::uint64_t> sequence) {
  const std::lock_guard lock(mutex_);
  --known_[key].puts;
  if (sequence)
    set(key, *sequence, State::held);
  else
    known_[key].since = ++clock_;
}

void RedisVersions::synced(const Digest128& key, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  if (const auto found = known_.find(key); found == known_.end() || found->second.sequence < sequence)
    set(key, sequence, State::held);
}

std::optional<std::uint64_t> RedisVersions::ignored(const Digest128& key, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  const Known before = known_[key];
  if (before.sequence >= sequence) return std::nullopt;
  set(key, sequence, State::left);
  return before.state == State::held && before.sequence != 0 ? std::optional(before.sequence) : std::nullopt;
}

void RedisVersions::retired(const Digest128& key, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  if (const auto found = known_.find(key); found != known_.end() && found->second.sequence == sequence)
    set(key, sequence, State::retired);
}

void RedisVersions::left_to_others(const Digest128& key, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  if (const auto found = known_.find(key); found != known_.end() && found->second.sequence == sequence)
    set(key, sequence, State::left);
}

bool RedisVersions::holds(const Digest128& key, std::uint64_t sequence) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  return found != known_.end() && found->second.sequence == sequence && found->second.state != State::left;
}

bool RedisVersions::is_retired(const Digest128& key, std::uint64_t sequence) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  return found != known_.end() && found->second.sequence == sequence && found->second.state == State::retired;
}

bool RedisVersions::is_news(const Digest128& key, std::uint64_t sequence) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  return found == known_.end() || (found->second.puts == 0 && found->second.sequence < sequence);
}

std::uint64_t RedisVersions::now() {
  const std::lock_guard lock(mutex_);
  return ++clock_;
}

RedisVersions::Difference RedisVersions::compare(std::uint64_t before,
                                                 const std::unordered_map<Digest128, RedisVersion>& index) {
  const std::lock_guard lock(mutex_);
  Difference difference;
  for (const auto& [key, version] : index) {
    const auto found = known_.find(key);
    if (found != known_.end() && found->second.sequence >= version.sequence) continue;
    if (found == known_.end() || found->second.puts == 0)
      difference.appeared.emplace_back(key, version);
    else
      difference.is_whole = false;
  }
  for (auto at = known_.begin(); at != known_.end();) {
    const Known& known = at->second;
    // Local changes after the index was read are newer than its content.
    if (index.contains(at->first) || known.puts > 0 || known.since > before) {
      ++at;
      continue;
    }
    if (known.state == State::held && known.sequence != 0) difference.vanished.emplace_back(at->first, known.sequence);
    at = known_.erase(at);
  }
  return difference;
}

}  // namespace kvantage::inline remote
