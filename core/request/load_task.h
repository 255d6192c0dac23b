// Reads one stored entry from a tier, layer by layer: the header first where it is not known yet, then all layers with
// one submission. The caller takes layers as they arrive (restore), so that a model can compute on layer 0 while the
// tier still reads layer 1. Whatever goes wrong is an error of this task, never wrong bytes. An entry that is still on
// its way to its tier is taken from the memory it is written from.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/kv/serial.h"
#include "core/ports/storage_tier.h"

namespace kvantage::inline requests {

/// Reasons of a miss that say nothing against the entry: its tier does not answer, another workbench put another
/// version in its place, or no memory could be lent for it.
inline constexpr const char* unavailable_reason = "unavailable";
inline constexpr const char* replaced_reason = "replaced";
inline constexpr const char* no_buffer_reason = "no_buffer";

struct ReadFailure {
  Error error;
  std::string miss_reason;  // as its tier counts it, or no_buffer; empty: what was read makes no sense
  /// The tier, or what was known of it here: the entry is forgotten, left where it is, and looked for again.
  bool may_be_found_again() const { return miss_reason == unavailable_reason || miss_reason == replaced_reason; }
  /// No memory for it, lent or of our pool, says nothing about the entry.
  bool lacked_room() const { return miss_reason == no_buffer_reason || error.code == ErrorCode::no_space; }
  /// Whether the entry is of no use any more.
  bool entry_is_lost() const { return !may_be_found_again() && !lacked_room(); }
};

class LoadTask {
 public:
  /// header: null when it is still to be read. with_queries: window queries too (originals of the archive).
  LoadTask(StorageTier& tier, EntryInfo info, std::shared_ptr<const EntryHeader> header, BufferLender& lender,
           bool with_queries);
  /// From memory: `entry` holds all bytes of the entry that `header` describes.
  LoadTask(std::shared_ptr<const std::vector<std::byte>> entry, std::shared_ptr<const EntryHeader> header,
           bool with_queries);
  /// Cancels what is in flight and waits until every buffer is back.
  ~LoadTask();
  LoadTask(const LoadTask&) = delete;
  LoadTask& operator=(const LoadTask&) = delete;

  /// Takes completions, waiting up to `seconds` for the first; submits what comes next.
  Status pump(double seconds);
  bool has_header() const { return header_ != nullptr; }
  const std::shared_ptr<const EntryHeader>& header() const { return header_; }
  bool layer_arrived(int layer) const;
  /// Unpacks an arrived layer into `cache` and gives its buffer back.
  Status restore(int layer, KvCache& cache);
  /// Pumps, and restores the next layer in turn if it is there. True once all layers are, and the window queries have
  /// arrived.
  Expected<bool> restore_in_turn(double seconds, KvCache& cache);
  /// Layers that are unpacked from now on stay coded where their codec allows it (restore_layer).
  void leave_coded() { leave_coded_ = true; }
  bool queries_arrived() const;
  Expected<WindowQueries> take_queries();

  std::uint64_t bytes() const { return bytes_; }             // read so far
  double device_seconds() const { return device_seconds_; }  // sum over reads, shaping included
  double verify_seconds() const { return verify_seconds_; }
  /// A piece that arrived, in order of arrival: when, by the clock of the tier, and what it took it.
  struct Arrival {
    int layer = -1;  // -1: the header, or window queries
    std::int64_t arrived_ns = 0, submitted_ns = 0;
    double device_seconds = 0;
    std::uint64_t bytes = 0;
  };
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  /// What arrivals are stamped by; only where there are any.
  const Clock& arrival_clock() const { return tier_->clock(); }
  std::uint64_t layer_bytes(int layer) const;
  /// After pump() or restore() failed with `error`.
  ReadFailure failure(const Error& error) const { return {error, miss_reason_}; }

 private:
  Status submit(std::vector<ReadExtent> extents);
  /// Of a layer or its window queries that arrived as number `index`.
  std::span<const std::byte> piece(std::size_t index, std::pair<std::uint64_t, std::uint64_t> range) const;
  Status submit_layers();

  StorageTier* tier_ = nullptr;  // null: from memory
  BufferLender* lender_ = nullptr;
  EntryInfo info_;
  std::shared_ptr<const EntryHeader> header_;
  std::shared_ptr<const std::vector<std::byte>> entry_;  // of what is taken from memory
  bool with_queries_;
  bool leave_coded_ = false;

  std::optional<CompletionQueue> completions_;  // none from memory
  Ticket ticket_ = 0;
  bool in_flight_ = false;
  bool reading_header_ = false;
  std::vector<std::unique_ptr<LeasedBuffer>> arrived_;  // [layers], then [layers] of window queries
  std::vector<std::uint64_t> extent_bytes_;
  std::vector<Arrival> arrivals_;
  std::int64_t submitted_ns_ = 0;
  std::uint64_t bytes_ = 0;
  double device_seconds_ = 0, verify_seconds_ = 0;
  std::string miss_reason_;
  int restored_in_turn_ = 0;  // layers
};

/// The whole entry at once: reads everything and restores it into `cache`; waits. Cancelled when `stop()` says so.
struct LoadedEntry {
  std::shared_ptr<const EntryHeader> header;
  WindowQueries queries;
  std::uint64_t bytes = 0;
};
tl::expected<LoadedEntry, ReadFailure> load_whole(LoadTask& task, KvCache& cache, bool with_queries);
tl::expected<LoadedEntry, ReadFailure> load_whole(StorageTier& tier, const EntryInfo& info, BufferLender& lender,
                                                  bool with_queries, KvCache& cache);

}  // namespace kvantage::inline requests
