// The loader of compute-or-load: a thread that claims pieces of an entry from the back, keeps some of them in flight,
// verifies and parses arrivals, and sleeps in between. A piece is a range of chunks, so one range of bytes per layer.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/kv/serial_chunk.h"
#include "core/load/arrived_bytes.h"
#include "core/load/piece_arrival.h"
#include "core/load/split_queue.h"
#include "core/ports/storage_tier.h"

namespace kvantage::inline loading {

/// Chunks [first, last) of an entry.
struct ChunkSpan {
  int first = 0;
  int last = 0;
};

/// A verified piece.
struct LoadedPiece {
  std::vector<ArrivedBytes> arrived;           // [layers]
  std::vector<std::vector<ChunkRows>> layers;  // views of these
  std::uint64_t bytes = 0;
};

struct PieceSource {
  StorageTier* tier = nullptr;
  BufferLender* lender = nullptr;
  const EntryHeader* header = nullptr;
  std::vector<ChunkSpan> pieces;
  /// Whether pieces below a damaged one are still loaded. If not, it and all below it are returned to be computed.
  bool leaves_gaps = true;
};

class PieceLoader {
 public:
  /// Starts loading. All arguments must outlive this.
  PieceLoader(PieceSource source, SplitQueue& queue);
  /// Cancels transfers in flight and waits until every buffer is returned.
  ~PieceLoader();
  PieceLoader(const PieceLoader&) = delete;
  PieceLoader& operator=(const PieceLoader&) = delete;

  /// Joins the thread, which ends once the queue is over(). Call before any of the following.
  void join();
  /// Null: not loaded, or damaged.
  std::optional<LoadedPiece>& piece(int index) { return arrived_[static_cast<std::size_t>(index)]; }
  int damaged_pieces() const { return damaged_; }
  std::uint64_t dropped_bytes() const { return dropped_bytes_; }  // arrived, but unused
  double device_seconds() const { return device_seconds_; }
  /// Why the loader stopped early; no error otherwise.
  const Status& status() const { return status_; }
  /// As in TierStatistics::misses, or no_buffer; empty: malformed bytes.
  const std::string& miss_reason() const { return miss_reason_; }
  /// Of the first damaged piece, with its reason in TierStatistics::misses; no error if none is damaged.
  const Status& damage() const { return damage_; }
  const std::string& damage_reason() const { return damage_reason_; }
  /// All reads, in order of arrival.
  std::vector<PieceArrival> take_arrivals() { return std::move(arrivals_); }

 private:
  struct Read {
    int piece = 0;
    Ticket ticket = 0;
    std::vector<ArrivedBytes> arrived;  // [layers]
    std::int64_t submitted_ns = 0;
    Status status;
    std::string miss_reason = {};
    bool ended = false;
  };
  void run();
  Status submit(int piece);
  void take(Completion completion);
  void finish(Read read);
  void give_up(int piece, Error error, std::string miss_reason);
  Expected<LoadedPiece> take_apart(Read& read) const;

  PieceSource source_;
  SplitQueue& queue_;
  CompletionQueue completions_;
  std::deque<Read> in_flight_;
  std::vector<std::optional<LoadedPiece>> arrived_;
  int damaged_ = 0;
  std::uint64_t dropped_bytes_ = 0;
  double device_seconds_ = 0;
  int given_back_ = 0;  // pieces below were returned
  Status status_, damage_;
  std::string miss_reason_, damage_reason_;
  std::vector<PieceArrival> arrivals_;
  std::atomic<bool> stopping_{false};
  std::unique_ptr<Executor::Thread> thread_;
};

}  // namespace kvantage::inline loading
