// Host memory that never lends, as a tier whose entries are elsewhere: every read is copied into a leased buffer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "tiers/dram_tier.h"

namespace kvantage::test {

class CopyingStore final : public EntryStore {
 public:
  TierDescription describe() const override { return store_.describe(); }
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                             const std::atomic<bool>& cancelled) override {
    return store_.put(info, bytes, cancelled);
  }
  TransferStatus read(const StoredEntry& entry, ReadSink& sink) override { return store_.read(entry, sink); }
  std::uint64_t quick_read_bytes() const override { return store_.quick_read_bytes(); }
  TransferStatus verify(const StoredEntry& entry) override { return store_.verify(entry); }

 private:
  DramStore store_{"copying"};
};

}  // namespace kvantage::test
