// Requests that decode over one tier in column order (KVPR, paper 004, section 3.3, after FlexGen): they go through
// each layer together, so that a layer's matrices are read once for all of them. A request joins between two of their
// passes and leaves at any time. One thread uses it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/kvpr/offloaded_weights.h"
#include "core/policy/partial_recompute.h"

namespace kvantage::inline kvpr {

/// A layer's matrices while they are read and as long as a request needs them.
struct MatrixRead {
  struct Part {
    std::unique_ptr<LeasedBuffer> buffer;
    std::size_t bytes = 0;  // without padding
    Ticket ticket = 0;      // 0: not requested yet
    bool arrived = false;   // or failed
    bool noted = false;     // in somebody's timeline
    Status status;
    double arrived_seconds = 0, device_seconds = 0;  // tier completion time, by its clock, and duration
    std::span<const std::byte> rows() const { return buffer->bytes().first(bytes); }
  };
  Part keys_values, others;
  int layer = 0;
  Part& part(WeightPart which) { return which == WeightPart::keys_values ? keys_values : others; }
};

class OffloadedColumn : public std::enable_shared_from_this<OffloadedColumn> {
 public:
  /// weights: on `tier`, which must outlive this; null: not streamed.
  OffloadedColumn(StorageTier& tier, std::shared_ptr<OffloadedWeights> weights, WeightLoading loading, int layers)
      : tier_(tier), weights_(std::move(weights)), loading_(loading), layers_(layers), completions_(tier.clock()) {}

  /// One request. Leaves when destroyed; `lender`, for the buffers of reads that it begins, must outlive it.
  class Member {
   public:
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

    /// Nobody is behind it. It may then compute its next layer. Of all members, one always may.
    bool may_compute() const;
    void computed_layer() { ++computed_; }
    std::size_t members() const { return column_->members_.size(); }
    /// Of its newest pass, alone; and the sum over all members: they take turns.
    void predict(double seconds) { predicted_seconds_ = seconds; }
    double predicted_seconds_of_all() const;

    /// Null where no weights are streamed. Begins to read the matrices of the layer after those requested before,
    /// unless another member did: before the layer's rows are requested. no_space: the lender's limit.
    Expected<std::shared_ptr<MatrixRead>> request();
    /// After them: the rest of the matrices.
    Status complete(const std::shared_ptr<MatrixRead>& read);
    /// Whether all of it has arrived, or failed; waits up to `seconds` for some of it.
    bool arrived(const MatrixRead& read, double seconds);
    /// Waits for a part. Errors: the tier's.
    Status wait(const MatrixRead::Part& part);
    /// Bytes of the reads that it began, padding included, and the time that arrived() and wait() blocked it.
    std::uint64_t weight_bytes() const { return weight_bytes_; }
    double waited_seconds() const { return waited_seconds_; }

   private:
    friend class OffloadedColumn;
    Member(std::shared_ptr<OffloadedColumn> column, BufferLender& lender, std::uint64_t first)
        : column_(std::move(column)), lender_(lender), computed_(first), requested_(first) {}
    Status read(const std::shared_ptr<MatrixRead>& read, WeightPart part);

    std::shared_ptr<OffloadedColumn> column_;
    BufferLender& lender_;
    std::uint64_t computed_, requested_;  // layers, since the column began
    double predicted_seconds_ = 0;
    std::uint64_t weight_bytes_ = 0;
    double waited_seconds_ = 0;
  };
  /// Its first layer is the model's first of the next pass that nobody has begun.
  std::unique_ptr<Member> join(BufferLender& lender);

 private:
  void leave(const Member& member);
  void receive(std::vector<Completion> completions);

  StorageTier& tier_;
  std::shared_ptr<OffloadedWeights> weights_;
  WeightLoading loading_;
  int layers_;
  CompletionQueue completions_;
  std::vector<Member*> members_;
  std::map<std::uint64_t, std::weak_ptr<MatrixRead>> reads_;  // by layer, since the column began
  std::map<Ticket, std::weak_ptr<MatrixRead>> in_flight_;
};

}  // namespace kvantage::inline kvpr
