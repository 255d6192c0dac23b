// A kind of tier that the program does not come with, as somebody else would add it: this file, and one call.
#pragma once

#include <atomic>

#include "tiers/dram_tier.h"
#include "tiers/kinds/tier_place.h"
#include "tiers/queued_tier.h"

namespace kvantage::test {

/// Entries in memory, under a label that every tape must have.
class TapeStore final : public EntryStore {
 public:
  TapeStore(std::string name, std::string label) : name_(std::move(name)), label_(std::move(label)), memory_(name_) {}

  TierDescription describe() const override { return {name_, "tape", false, "label " + label_}; }
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                             const std::atomic<bool>& cancelled) override {
    ++writes;
    return memory_.put(info, bytes, cancelled);
  }
  TransferStatus read(const StoredEntry& entry, ReadSink& sink) override {
    ++reads;
    return memory_.read(entry, sink);
  }
  TransferStatus verify(const StoredEntry& entry) override { return memory_.verify(entry); }

  static inline std::atomic<int> writes{0}, reads{0};

 private:
  std::string name_, label_;
  DramStore memory_;
};

inline Status register_tape_kind() {
  return register_tier_kind(
      {.id = "tape",
       .noun = "a tape",
       .place = "a tape",
       .summary = "a tape with a label, empty at each start",
       .medium = TierMedium::host_memory,
       .color = 4,
       .options = {{.key = "label", .form = "label=TEXT", .meaning = "what it is called", .implies_kind = true}}},
      {.open = [](const TierConfig& config, const OpenTierOptions& options) -> OpenedTier {
         return QueuedTier::open(std::make_unique<TapeStore>(config.name, config.option("label")),
                                 config.budget.capacity_bytes(), options.scrub_seconds, options.executor);
       },
       .check = [](const TierConfig& config) -> Status {
         if (!config.option("label").empty()) return {};
         return fail(ErrorCode::usage, "a tape needs a label; add label=TEXT");
       }});
}

}  // namespace kvantage::test
