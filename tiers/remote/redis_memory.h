// What a server's memory takes for entries, beside their own bytes: MEMORY USAGE of a first and a last part tells it
// for a version, as the parts between are as long as the first. Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "tiers/remote/redis_keys.h"

namespace kvantage::inline remote {

class RedisMemory {
 public:
  struct Version {
    Digest128 key;
    RedisVersion version;
    std::uint64_t bytes = 0;  // of the entry
  };
  /// Totals over the versions that were measured.
  struct Totals {
    std::uint64_t entry_bytes = 0;
    std::uint64_t server_bytes = 0;
  };

  /// A visible version; beyond 65,536 versions, or as many that wait, new ones are not measured.
  void add(const Version& version);
  /// Call before reading the index; passed to keep().
  std::uint64_t now() const;
  /// Of the versions added up to `before`, those that are not in `index` are gone.
  void keep(std::uint64_t before, const std::unordered_map<Digest128, RedisVersion>& index);
  /// One that waits for its measurement.
  std::optional<Version> next();
  /// `first`, `last`: of these parts, as MEMORY USAGE says.
  void measured(const Version& version, std::uint64_t first, std::uint64_t last);
  Totals totals() const;

 private:
  struct Known {
    Version version;
    std::uint64_t server_bytes = 0;  // 0: not measured yet
    std::uint64_t added = 0;         // adds_ then
  };
  void forget_locked(const Known& known);

  mutable std::mutex mutex_;
  std::unordered_map<Digest128, Known> known_;
  std::deque<Version> waiting_;
  Totals totals_;
  std::uint64_t adds_ = 0;
};

}  // namespace kvantage::inline remote
