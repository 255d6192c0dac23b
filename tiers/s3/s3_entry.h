// A version of an entry in a bucket.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "core/ports/entry_store.h"
#include "tiers/remote/entry_seal.h"
#include "tiers/s3/s3_versions.h"
#include "tiers/store_header.h"

namespace kvantage::inline s3 {

/// What an object holds, from its first bytes.
struct S3Object {
  std::string etag;
  StoreHeader header;
  std::shared_ptr<const EntrySeal> seal;  // null in a store without a key
  std::uint64_t data_offset = 0;          // of the entry's bytes
};

class S3Entry final : public StoredEntry {
 public:
  S3Entry(S3Object object, std::uint64_t number, std::shared_ptr<S3Versions> versions, std::shared_ptr<S3Trash> trash)
      : StoredEntry(object.header.info),
        object_(std::move(object)),
        number_(number),
        versions_(std::move(versions)),
        trash_(std::move(trash)) {
    std::string().swap(object_.header.info.label);  // info() has it; labels may be long
  }
  ~S3Entry() override {
    if (retired_) trash_->add({info().key, number_, object_.etag, bad_});
  }

  std::uint64_t sequence() const override { return number_; }
  std::uint64_t overhead_bytes() const override { return object_.data_offset; }
  bool same_version(const StoredEntry& other) const override {
    return other.info().key == info().key && static_cast<const S3Entry&>(other).object_.etag == object_.etag;
  }
  void retire() override {
    versions_->retired(info().key, number_);
    retired_ = true;
  }
  /// Its bytes are corrupt: it is deleted, even if others use the store.
  void condemn() const {
    versions_->retired(info().key, number_);
    bad_ = true;
  }
  /// Without the label.
  const S3Object& object() const { return object_; }

 private:
  S3Object object_;
  std::uint64_t number_;
  std::shared_ptr<S3Versions> versions_;
  std::shared_ptr<S3Trash> trash_;
  std::atomic<bool> retired_{false};
  mutable std::atomic<bool> bad_{false};
};

}  // namespace kvantage::inline s3
