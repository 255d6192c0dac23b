// Reads ranges of stored entries: several batches in flight, each one submission to a tier. Bytes of an entry whose
// write is in flight come from the memory that it is written from. What arrives is not verified here, because a range
// may be a part of what the entry has a checksum of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/load/arrived_bytes.h"
#include "core/ports/storage_tier.h"
#include "core/request/load_task.h"

namespace kvantage::inline requests {

class RangeReads {
 public:
  /// Bytes [begin, end) of an entry.
  struct Range {
    std::uint64_t begin = 0, end = 0;
    std::uint64_t bytes() const { return end - begin; }
  };
  /// Where an entry is.
  struct Source {
    StorageTier* tier = nullptr;
    Digest128 key;
    std::shared_ptr<const std::vector<std::byte>> in_memory = {};  // set: read from here instead
    bool is_copy = false;  // of a part of another entry, whose loss nobody needs to be told
  };
  /// Of a range that arrived, by the tier's clock.
  struct Arrival {
    int layer = -1;
    std::int64_t submitted_ns = 0, arrived_ns = 0;
    double device_seconds = 0;
    std::uint64_t bytes = 0;
  };

  /// clock: of the tiers.
  RangeReads(BufferLender& lender, const Clock& clock) : lender_(lender), completions_(clock) {}
  /// Cancels transfers in flight and waits until every buffer is returned.
  ~RangeReads();
  RangeReads(const RangeReads&) = delete;
  RangeReads& operator=(const RangeReads&) = delete;
  /// As LoadTask::on_loss(), for the reads that the destructor cancels.
  void on_loss(std::function<void(const ReadFailure&)> told) { on_loss_ = std::move(told); }

  /// Starts reading; layer: for arrivals. Returns the number of the batch. Without buffers the batch ends at once.
  int begin(const Source& source, std::vector<Range> ranges, int layer);
  /// Takes completions, waiting up to `seconds` for the first.
  void pump(double seconds);
  /// Whether nothing of the batch is in flight.
  bool ended(int batch) const { return batches_.at(batch).left == 0; }
  /// Why an ended batch has not all of its bytes; nothing: it has.
  const std::optional<ReadFailure>& failure(int batch) const { return batches_.at(batch).failure; }
  /// Of a batch that ended without a failure, until it is released.
  std::span<const std::byte> bytes(int batch, std::size_t range) const;
  void release(int batch) { batches_.erase(batch); }

  std::uint64_t bytes_read() const { return bytes_read_; }
  double device_seconds() const { return device_seconds_; }
  const std::vector<Arrival>& arrivals() const { return arrivals_; }

 private:
  struct Batch {
    std::vector<Range> ranges;
    std::vector<std::size_t> order;     // by offset, as tiers combine neighbors: indices of ranges
    std::vector<ArrivedBytes> arrived;  // [ranges]; none: not here
    std::shared_ptr<const std::vector<std::byte>> in_memory;
    int layer = -1;
    std::int64_t submitted_ns = 0;
    std::size_t left = 0;                     // ranges without a completion
    std::optional<ReadFailure> failure = {};  // the first one
  };
  struct InFlight {
    StorageTier* tier = nullptr;
    int batch = 0;
    bool is_copy = false;
  };
  void take(Batch& batch, Completion& completion);

  BufferLender& lender_;
  CompletionQueue completions_;
  std::map<int, Batch> batches_;
  std::map<Ticket, InFlight> in_flight_;
  int next_batch_ = 0;
  std::uint64_t bytes_read_ = 0;
  double device_seconds_ = 0;
  std::vector<Arrival> arrivals_;
  std::function<void(const ReadFailure&)> on_loss_;
};

}  // namespace kvantage::inline requests
