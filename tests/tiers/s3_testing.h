// What tests of tiers in buckets share.
#pragma once

#include "tests/support/s3_server.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/s3/s3_store.h"

namespace kvantage::testing {

inline S3StoreOptions bucket_options(const std::string& url, const std::string& scope = "test") {
  S3StoreOptions options{.executor = system_executor(),
                         .access = {*parse_s3_url(url, {}), {"AKIDEXAMPLE", "secret/KEY+example", {}}, {2, 3}}};
  options.scope = scope;
  options.poll_seconds = 0.05;
  options.first_pause_seconds = 0.05;
  options.longest_pause_seconds = 0.2;
  return options;
}

inline std::unique_ptr<StorageTier> open_bucket_tier(const S3StoreOptions& options, std::uint64_t capacity = 0) {
  auto tier = QueuedTier::open(std::make_unique<S3Store>("s3", options), capacity, 0, system_executor());
  if (!tier) qFatal("%s", tier.error().message.c_str());
  return std::move(*tier);
}

}  // namespace kvantage::testing
