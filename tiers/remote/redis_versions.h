// This process's knowledge of the versions in a remote store, to distinguish others' changes in the shared index from
// its own. Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tiers/remote/redis_keys.h"

namespace kvantage::inline remote {

class RedisVersions {
 public:
  /// From here to put_done() the index is ignored for this key.
  void putting(const Digest128& key);
  /// The version that is visible now; nothing when the write failed.
  void put_done(const Digest128& key, std::optional<std::uint64_t> sequence);
  /// A version of another process, now in the local index.
  void synced(const Digest128& key, std::uint64_t sequence);
  /// A version of another process that may not be used here; returns the one held until now, which it replaced.
  std::optional<std::uint64_t> ignored(const Digest128& key, std::uint64_t sequence);
  /// Erased here, or found corrupt: it does not return, whatever the index contains.
  void retired(const Digest128& key, std::uint64_t sequence);
  /// Erased here, but still held by others.
  void left_to_others(const Digest128& key, std::uint64_t sequence);
  bool holds(const Digest128& key, std::uint64_t sequence) const;
  bool is_retired(const Digest128& key, std::uint64_t sequence) const;
  /// Whether a visible version of another process is newer than everything known or being written here.
  bool is_news(const Digest128& key, std::uint64_t sequence) const;

  /// Call before reading the index; passed to compare().
  std::uint64_t now();
  struct Difference {
    std::vector<std::pair<Digest128, RedisVersion>> appeared;
    std::vector<std::pair<Digest128, std::uint64_t>> vanished;
    bool is_whole = true;  // false: a newer version of a key that is being written here was left out
  };
  /// Changes by others up to the reading of the index. Vanished versions are forgotten here as well.
  Difference compare(std::uint64_t before, const std::unordered_map<Digest128, RedisVersion>& index);

 private:
  enum class State : std::uint8_t { held, retired, left };
  struct Known {
    std::uint64_t sequence = 0;
    State state = State::held;
    std::uint64_t since = 0;  // clock_ at the last change
    int puts = 0;             // in flight
  };
  void set(const Digest128& key, std::uint64_t sequence, State state);

  mutable std::mutex mutex_;
  std::unordered_map<Digest128, Known> known_;
  std::uint64_t clock_ = 0;
};

/// Versions to remove from the store when there is time and a connection.
class RedisTrash {
 public:
  struct Item {
    Digest128 key;
    std::uint64_t sequence = 0;
    std::uint64_t chunks = 0;
    bool forced = false;  // even if others hold it: its bytes are corrupt
  };
  void add(const Item& item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(item);
  }
  bool empty() const {
    const std::lock_guard lock(mutex_);
    return items_.empty();
  }
  std::optional<Item> take() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return std::nullopt;
    const Item item = items_.front();
    items_.pop_front();
    return item;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<Item> items_;
};

}  // namespace kvantage::inline remote
