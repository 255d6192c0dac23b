// What a remote store knows of one of its buckets: all of a single server's store, or one slot's part in a cluster.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "tiers/remote/redis_keys.h"
#include "tiers/remote/redis_memory.h"
#include "tiers/remote/redis_versions.h"

namespace kvantage::inline remote {

struct RedisBucket {
  RedisBucket(std::size_t at, const std::string& tag, const std::string& scope) : number(at), keys(tag, scope) {}

  const std::size_t number;
  const RedisKeys keys;
  const std::shared_ptr<RedisVersions> versions = std::make_shared<RedisVersions>();
  const std::shared_ptr<RedisTrash> trash = std::make_shared<RedisTrash>();
  std::atomic<bool> recheck{false};
  RedisMemory memory{};
  // The watch's; before it runs, recover()'s.
  std::string last_changes{};
  std::string scan_cursor = "0";
  bool scanned = false;  // all keys of its node, for orphaned chunks
  std::int64_t lease_due_ns = 0, sweep_due_ns = 0;
};

}  // namespace kvantage::inline remote
