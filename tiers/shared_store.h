// What stores on servers, shared by several workbenches, have in common, whatever their protocol.
#pragma once

#include <string>

#include "core/base/clock.h"
#include "core/ports/entry_store.h"

namespace kvantage::inline tiers {

/// A new name for this workbench: 32 hexadecimal digits.
std::string random_workbench();

/// Collects the entries that the first poll of a store finds, for its recover().
class RecoveringEntries final : public StoreChanges {
 public:
  explicit RecoveringEntries(RecoveredEntries& recovered) : recovered_(recovered) {}
  void appeared(std::shared_ptr<StoredEntry> entry) override { recovered_.entries.push_back(std::move(entry)); }
  void vanished(const Digest128&, std::uint64_t) override {}
  void reachable_again() override {}

 private:
  RecoveredEntries& recovered_;
};

/// Reads an entry as one extent into memory of its own, which verifies it. `tier`: for errors. rejected above 1 GiB:
/// the length comes from the server.
TransferStatus verify_by_reading(EntryStore& store, const StoredEntry& entry, const std::string& tier,
                                 const Clock& clock);

}  // namespace kvantage::inline tiers
