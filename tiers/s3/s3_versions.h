// This process's knowledge of the objects of a store, to tell changes by others from its own. A version is an object's
// ETag; its number is of this process alone, and later ones are higher. Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/digest.h"

namespace kvantage::inline s3 {

/// An object as a listing has it.
struct ListedVersion {
  std::string etag;
  std::uint64_t bytes = 0;
};
using Listing = std::unordered_map<Digest128, ListedVersion>;

class S3Versions {
 public:
  /// From here to put_done() listings are ignored for this key.
  void putting(const Digest128& key);
  /// Its number. `etag` empty: the write failed, and what was known stays; `lost`: it may have arrived all the same, as
  /// this version.
  std::uint64_t put_done(const Digest128& key, const std::string& etag, const std::string& lost = {});
  /// A version of another process, now in the local index; its number, 0 if there is no news in it.
  std::uint64_t synced(const Digest128& key, const std::string& etag);
  /// Erased here, or found corrupt: it does not return, whatever a listing says.
  void retired(const Digest128& key, std::uint64_t number);
  /// A version that may not be used here; the number of the one held until now, which it replaced, or 0.
  std::uint64_t ignored(const Digest128& key, const std::string& etag);
  /// Whether this is the object as this process knows it, in use here or not.
  bool knows(const Digest128& key, const std::string& etag) const;
  /// The version that a write may replace; empty: none is known. And one that is there if a write that failed arrived.
  struct Replaceable {
    std::string known, lost;
  };
  Replaceable replaceable(const Digest128& key) const;
  /// Whether another handle than `number` uses an equal object.
  bool used_again(const Digest128& key, std::uint64_t number, const std::string& etag) const;

  /// Call before a listing is asked for; passed to compare().
  std::uint64_t now();
  struct Difference {
    std::vector<std::pair<Digest128, ListedVersion>> appeared;
    std::vector<std::pair<Digest128, std::uint64_t>> vanished;
  };
  /// Changes by others up to the listing. Vanished versions are forgotten here as well.
  Difference compare(std::uint64_t before, const Listing& listing);

 private:
  struct Known {
    std::string etag = {};
    std::uint64_t number = 0;
    bool held = false;        // else it is not used here
    std::uint64_t since = 0;  // clock_ at the last change
    int puts = 0;             // in flight
    std::string lost = {};    // of a write that failed; empty: none did since the last that did not
  };
  std::uint64_t set(const Digest128& key, const std::string& etag, bool held);

  mutable std::mutex mutex_;
  std::unordered_map<Digest128, Known> known_;
  std::uint64_t clock_ = 0;
};

/// Versions to delete when there is time and the server answers. Thread-safe.
class S3Trash {
 public:
  struct Item {
    Digest128 key;
    std::uint64_t number = 0;  // 0: of a write that failed
    std::string etag;
    bool forced = false;  // even while other workbenches use the store: its bytes are corrupt
  };
  void add(Item item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
  }
  bool empty() const {
    const std::lock_guard lock(mutex_);
    return items_.empty();
  }
  /// At most `most` of them, which are gone from here.
  std::vector<Item> take(std::size_t most);

 private:
  mutable std::mutex mutex_;
  std::vector<Item> items_;
};

}  // namespace kvantage::inline s3
