// Reads one stored entry from a tier, layer by layer: first the header if it is not known yet, then all layers with one
// submission. The caller takes layers as they arrive (restore), so that a model can compute layer 0 while the tier
// reads layer 1. Any failure is an error of this task, never wrong bytes. An entry whose write is in flight is read
// from the memory that it is written from.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/kv/serial.h"
#include "core/kvpr/stored_inputs.h"
#include "core/load/arrived_bytes.h"
#include "core/ports/storage_tier.h"

namespace kvantage::inline requests {

/// Miss reasons that do not invalidate the entry: its tier is unavailable, another workbench replaced it with another
/// version, or no buffer could be leased.
inline constexpr const char* unavailable_reason = "unavailable";
inline constexpr const char* replaced_reason = "replaced";
inline constexpr const char* no_buffer_reason = "no_buffer";
inline constexpr const char* cancelled_reason = "cancelled";

struct ReadFailure {
  Error error;
  std::string miss_reason;  // as in TierStatistics::misses, or no_buffer; empty: malformed bytes
  /// The tier is unavailable or the local index is outdated: the entry is forgotten locally, kept on the tier, and
  /// looked up again.
  bool may_be_found_again() const { return miss_reason == unavailable_reason || miss_reason == replaced_reason; }
  /// No buffer or no blocks: not a fault of the entry.
  bool lacked_room() const { return miss_reason == no_buffer_reason || error.code == ErrorCode::no_space; }
  /// Whether the entry is unusable.
  bool entry_is_lost() const { return !may_be_found_again() && !lacked_room(); }
};

class LoadTask {
 public:
  /// header: null if it must be read first. with_queries: also window queries (originals in the archive).
  LoadTask(StorageTier& tier, EntryInfo info, std::shared_ptr<const EntryHeader> header, BufferLender& lender,
           bool with_queries);
  /// From memory: `entry` holds all bytes of the entry that `header` describes.
  LoadTask(std::shared_ptr<const std::vector<std::byte>> entry, std::shared_ptr<const EntryHeader> header,
           bool with_queries);
  /// Cancels transfers in flight and waits until every buffer is returned.
  ~LoadTask();
  /// Called by the destructor if the read that it cancels has failed by then, and the entry is lost: the tier has
  /// dropped it, and nobody else is told.
  void on_loss(std::function<void(const ReadFailure&)> told) { on_loss_ = std::move(told); }
  LoadTask(const LoadTask&) = delete;
  LoadTask& operator=(const LoadTask&) = delete;

  /// Takes completions, waiting up to `seconds` for the first; submits the next reads.
  Status pump(double seconds);
  bool has_header() const { return header_ != nullptr; }
  const std::shared_ptr<const EntryHeader>& header() const { return header_; }
  bool layer_arrived(int layer) const;
  /// Unpacks an arrived layer into `cache` and returns its buffer, or what was lent: straight from the tier's memory
  /// into the cache's blocks, on the compute threads of the calling thread where that is worth it.
  Status restore(int layer, KvCache& cache);
  /// The bytes of an arrived layer, as stored: valid until restore(). Those of window queries follow the layers.
  std::span<const std::byte> stored(int index) const;
  /// Pumps, and restores the next layer if it has arrived. True once all layers are restored and the window queries
  /// have arrived.
  Expected<bool> restore_in_turn(double seconds, KvCache& cache);
  /// Recomputes the rows of entries that hold layer inputs; it must outlive this. Without it they cannot be restored.
  void recompute_with(InputsReader& reader) { inputs_ = &reader; }
  /// From now on layers are unpacked without decoding where their codec allows it (restore_layer).
  void leave_encoded() { leave_encoded_ = true; }
  bool queries_arrived() const;
  Expected<WindowQueries> take_queries();

  std::uint64_t bytes() const { return totals_.bytes; }             // read so far
  double device_seconds() const { return totals_.device_seconds; }  // sum over reads, throttling included
  double verify_seconds() const { return totals_.verify_seconds; }
  /// An arrived piece: time by the tier's clock, and duration on the device.
  struct Arrival {
    int layer = -1;  // -1: the header, or window queries
    std::int64_t arrived_ns = 0, submitted_ns = 0;
    double device_seconds = 0;
    std::uint64_t bytes = 0;
  };
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  /// The clock of arrivals; only valid with arrivals.
  const Clock& arrival_clock() const { return tier_->clock(); }
  /// After pump() or restore() failed with `error`.
  ReadFailure failure(const Error& error) const { return {error, miss_reason_.value_or("")}; }

 private:
  Status submit(std::vector<ReadExtent> extents);
  Status submit_layers();

  StorageTier* tier_ = nullptr;  // null: from memory
  BufferLender* lender_ = nullptr;
  EntryInfo info_;
  std::shared_ptr<const EntryHeader> header_;
  std::shared_ptr<const std::vector<std::byte>> entry_;  // only when reading from memory
  bool with_queries_;
  bool leave_encoded_ = false;
  InputsReader* inputs_ = nullptr;

  std::optional<CompletionQueue> completions_;  // none when reading from memory
  Ticket ticket_ = 0;
  bool in_flight_ = false;
  bool reading_header_ = false;
  std::vector<ArrivedBytes> arrived_;        // [layers], then [layers] of window queries
  std::vector<std::uint64_t> extent_bytes_;  // of the present read; 0: arrived
  std::vector<Arrival> arrivals_;
  std::int64_t submitted_ns_ = 0;
  struct Totals {
    std::uint64_t bytes = 0;
    double device_seconds = 0, verify_seconds = 0;
  } totals_;
  std::optional<std::string> miss_reason_;  // once a read has failed and pump() has said so
  std::function<void(const ReadFailure&)> on_loss_;
  int restored_in_turn_ = 0;  // layers
};

struct LoadedBytes {
  std::shared_ptr<const EntryHeader> header;
  std::shared_ptr<const std::vector<std::byte>> bytes;
};
struct LoadedEntry {
  std::shared_ptr<const EntryHeader> header;
  WindowQueries queries;
  std::uint64_t bytes = 0;
};
/// Reads a whole entry without window queries, as its bytes. Errors as load_whole().
tl::expected<LoadedBytes, ReadFailure> copy_whole(LoadTask& task, const std::function<bool()>& stop = {});
/// Reads a whole entry, restores it into `cache`, and waits. `cancelled` within 50 ms once stop() returns true; the
/// entry is then as good as before.
tl::expected<LoadedEntry, ReadFailure> load_whole(LoadTask& task, KvCache& cache, bool with_queries,
                                                  const std::function<bool()>& stop = {});
tl::expected<LoadedEntry, ReadFailure> load_whole(StorageTier& tier, const EntryInfo& info, BufferLender& lender,
                                                  bool with_queries, KvCache& cache,
                                                  const std::function<bool()>& stop = {});

}  // namespace kvantage::inline requests
