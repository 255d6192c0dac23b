// What this process knows of the versions in a remote store, so that a fresh look at the shared index tells what others
// did from what it did itself. Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tiers/remote/redis_keys.h"

namespace kvantage {

class RedisVersions {
 public:
  /// From here to put_done() a look at the index says nothing about this key.
  void putting(const Digest128& key);
  /// The version that is visible now; none when the write failed.
  void put_done(const Digest128& key, std::optional<std::uint64_t> sequence);
  /// A version of another process, now in this one's index.
  void taken_in(const Digest128& key, std::uint64_t sequence);
  /// Erased here, or found bad: it does not come back, whatever a look at the index says.
  void retired(const Digest128& key, std::uint64_t sequence);
  /// Erased here, but others keep it.
  void left_to_others(const Digest128& key, std::uint64_t sequence);
  bool holds(const Digest128& key, std::uint64_t sequence) const;
  bool is_retired(const Digest128& key, std::uint64_t sequence) const;
  /// Whether a version of another, visible now, is later than all that is known here and written from here.
  bool is_news(const Digest128& key, std::uint64_t sequence) const;

  /// Taken before the index is read; goes into compare().
  std::uint64_t now();
  struct Difference {
    std::vector<std::pair<Digest128, RedisVersion>> appeared;
    std::vector<std::pair<Digest128, std::uint64_t>> vanished;
  };
  /// What others did until the index was read. What vanished is forgotten here as well.
  Difference compare(std::uint64_t before, const std::unordered_map<Digest128, RedisVersion>& index);

 private:
  enum class State : std::uint8_t { held, retired, left };
  struct Known {
    std::uint64_t sequence = 0;
    State state = State::held;
    std::uint64_t since = 0;  // clock_ when it came to be so
    int puts = 0;             // under way
  };
  void set(const Digest128& key, std::uint64_t sequence, State state);

  mutable std::mutex mutex_;
  std::unordered_map<Digest128, Known> known_;
  std::uint64_t clock_ = 0;
};

/// Versions to take out of the store when there is time and a connection.
class RedisTrash {
 public:
  struct Item {
    Digest128 key;
    std::uint64_t sequence = 0;
    std::uint64_t chunks = 0;
    bool forced = false;  // though others hold it: its bytes are bad
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

}  // namespace kvantage
