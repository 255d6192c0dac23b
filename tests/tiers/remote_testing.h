// What tests of the remote tier share.
#pragma once

#include "tests/support/redis_server.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/remote/redis_store.h"

namespace kvantage::testing {

inline RedisStoreOptions options_at(const std::string& url, const std::string& scope = "test") {
  RedisStoreOptions options{.transport = {.executor = system_executor()}};
  options.url = *parse_redis_url(url);
  options.scope = scope;
  return options;
}

inline RedisStoreOptions options_for(const test::RedisServer& server, const std::string& scope = "test") {
  RedisStoreOptions options = options_at(server.url(), scope);
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

inline QStringList chunk_keys(const test::RedisServer& server) {
  QStringList keys = server.keys("*:c:*");
  keys.sort();
  return keys;
}

}  // namespace kvantage::testing
