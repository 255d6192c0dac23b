// A version of an entry in a remote store.
#pragma once

#include <atomic>
#include <memory>

#include "core/ports/entry_store.h"
#include "tiers/remote/entry_seal.h"
#include "tiers/remote/redis_versions.h"
#include "tiers/store_header.h"

namespace kvantage::inline remote {

/// Whether `header` belongs to this version of `key`.
inline bool describes(const StoreHeader& header, const Digest128& key, const RedisVersion& version) {
  return header.info.key == key && header.sequence == version.sequence &&
         (header.info.bytes + version.chunk_bytes - 1) / version.chunk_bytes == version.chunks;
}

class RedisEntry final : public StoredEntry {
 public:
  /// `seal`: null in a store without a key.
  RedisEntry(StoreHeader header, std::shared_ptr<const EntrySeal> seal, const RedisVersion& version,
             std::shared_ptr<RedisVersions> versions, std::shared_ptr<RedisTrash> trash)
      : StoredEntry(header.info),
        header_(std::move(header)),
        seal_(std::move(seal)),
        version_(version),
        versions_(std::move(versions)),
        trash_(std::move(trash)) {
    std::string().swap(header_.info.label);  // info() has it; labels may be long
  }
  ~RedisEntry() override {
    if (retired_) trash_->add({info().key, version_.sequence, version_.chunks, bad_});
  }

  std::uint64_t sequence() const override { return version_.sequence; }
  std::uint64_t overhead_bytes() const override {
    return store_header_bytes(info().label.size()) + (seal_ ? seal_->bytes() : 0);
  }
  bool same_version(const StoredEntry& other) const override {
    return other.info().key == info().key && other.sequence() == sequence();
  }
  void retire() override {
    versions_->retired(info().key, version_.sequence);
    retired_ = true;
  }
  /// Its bytes are missing or corrupt: it is removed, even if others hold it.
  void condemn() const {
    versions_->retired(info().key, version_.sequence);
    bad_ = true;
  }

  /// Without the label.
  const StoreHeader& header() const { return header_; }
  const EntrySeal* seal() const { return seal_.get(); }
  const RedisVersion& version() const { return version_; }

 private:
  StoreHeader header_;
  std::shared_ptr<const EntrySeal> seal_;
  RedisVersion version_;
  std::shared_ptr<RedisVersions> versions_;
  std::shared_ptr<RedisTrash> trash_;
  std::atomic<bool> retired_{false};
  mutable std::atomic<bool> bad_{false};
};

}  // namespace kvantage::inline remote
