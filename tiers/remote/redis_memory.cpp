#include "tiers/remote/redis_memory.h"

namespace kvantage::inline remote {
namespace {

constexpr std::size_t max_versions = std::size_t{1} << 16;

}  // namespace

void RedisMemory::forget_locked(const Known& known) {
  if (known.server_bytes == 0) return;
  totals_.entry_bytes -= known.version.bytes;
  totals_.server_bytes -= known.server_bytes;
}

void RedisMemory::add(const Version& version) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(version.key);
  if (found == known_.end() && known_.size() >= max_versions) return;
  if (found != known_.end()) {
    if (found->second.version.version.sequence == version.version.sequence) return;
    forget_locked(found->second);
  }
  known_[version.key] = {version, 0, ++adds_};
  if (waiting_.size() < max_versions) waiting_.push_back(version);  // a server may be slow, or not measure at all
}

std::uint64_t RedisMemory::now() const {
  const std::lock_guard lock(mutex_);
  return adds_;
}

void RedisMemory::keep(std::uint64_t before, const std::unordered_map<Digest128, RedisVersion>& index) {
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const auto& item) {
    if (item.second.added > before) return false;
    const auto found = index.find(item.first);
    if (found != index.end() && found->second.sequence == item.second.version.version.sequence) return false;
    forget_locked(item.second);
    return true;
  });
}

std::optional<RedisMemory::Version> RedisMemory::next() {
  const std::lock_guard lock(mutex_);
  while (!waiting_.empty()) {
    const Version version = waiting_.front();
    waiting_.pop_front();
    const auto found = known_.find(version.key);
    if (found != known_.end() && found->second.version.version.sequence == version.version.sequence) return version;
  }
  return std::nullopt;
}

void RedisMemory::measured(const Version& version, std::uint64_t first, std::uint64_t last) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(version.key);
  if (found == known_.end() || found->second.version.version.sequence != version.version.sequence) return;
  const std::uint64_t chunks = version.version.chunks;
  if (found->second.server_bytes != 0) forget_locked(found->second);
  found->second.server_bytes = first * (chunks - 1) + last;
  totals_.entry_bytes += version.bytes;
  totals_.server_bytes += found->second.server_bytes;
}

RedisMemory::Totals RedisMemory::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

}  // namespace kvantage::inline remote
