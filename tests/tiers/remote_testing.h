// What tests of the remote tier share.
#pragma once

#include <QElapsedTimer>
#include <functional>

#include "tests/support/redis_server.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/remote/redis_store.h"

namespace kvantage::testing {

/// Waits until it holds; generous, for machines are noisy.
inline bool eventually(const std::function<bool()>& holds, int milliseconds = 60000) {
  QElapsedTimer timer;
  for (timer.start(); timer.elapsed() < milliseconds; QTest::qSleep(2))
    if (holds()) return true;
  return holds();
}

inline RedisStoreOptions options_for(const test::RedisServer& server, const std::string& scope = "test") {
  RedisStoreOptions options{.transport = {.executor = system_executor()}};
  options.url = *parse_redis_url(server.url());
  options.scope = scope;
  options.chunk_bytes = std::uint64_t{1} << 20;  // tests count the chunks of an entry
  options.poll_seconds = 0.01;
  options.longest_pause_seconds = 0.2;
  return options;
}

inline std::unique_ptr<StorageTier> open_remote(const RedisStoreOptions& options, std::uint64_t capacity = 0) {
  auto tier = QueuedTier::open(std::make_unique<RedisStore>("remote", options), capacity, 0, system_executor());
  if (!tier) qFatal("%s", tier.error().message.c_str());
  return std::move(*tier);
}

inline std::uint64_t misses(const StorageTier& tier, const char* reason) {
  const auto counted = tier.statistics().misses;
  const auto found = counted.find(reason);
  return found == counted.end() ? 0 : found->second;
}

inline QStringList chunk_keys(const test::RedisServer& server) {
  QStringList keys = server.keys("*:c:*");
  keys.sort();
  return keys;
}

}  // namespace kvantage::testing
