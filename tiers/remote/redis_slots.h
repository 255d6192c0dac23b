// Slots of a Redis Cluster, and how a store spreads over them. A script may only access keys of one slot, so a store is
// divided into buckets: each is complete in itself, has a hash tag of its own, and with it one slot. The first
// hexadecimal digit of an entry's key is the number of its bucket.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/digest.h"
#include "tiers/remote/redis_url.h"

namespace kvantage::inline remote {

inline constexpr int slot_count = 16384;
inline constexpr std::size_t cluster_buckets = 16;

/// The slot of a key, by the specification of Redis Cluster: CRC16 of its hash tag, or of all of it, modulo 16384.
int slot_of(std::string_view key);

/// The hash tags of a store's buckets. A server that holds all has one, PREFIX. In a cluster, bucket I has PREFIX#N: N
/// is the smallest number that gives it a slot from 1024 * I to 1024 * I + 1023. So nodes that share the slots evenly
/// share the buckets evenly.
std::vector<std::string> bucket_tags(const std::string& prefix, RedisKind kind);

/// Which of so many buckets, 1 or cluster_buckets, holds an entry.
inline std::size_t bucket_of(const Digest128& key, std::size_t buckets) {
  constexpr int bits_of_other_digits = 60;
  return buckets == 1 ? 0 : static_cast<std::size_t>(key.high >> bits_of_other_digits);
}

}  // namespace kvantage::inline remote
