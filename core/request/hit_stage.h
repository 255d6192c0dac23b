// The stage that serves a request from a stored entry: loads it (load_stage.h), takes it where it is
// (resident_hit_stage.h), computes its front while its back loads (hybrid_prefill_stage.h), or reads the chunks that
// the question needs (important_reads_stage.h). begin_hit_stage() chooses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "core/request/cache_hit.h"
#include "core/request/request_state.h"

namespace kvantage::inline requests {

/// A measured load, for the tier's fit.
struct LoadSample {
  std::uint64_t bytes = 0;
  int kept_tokens = 0;
  double device_seconds = 0, decode_seconds = 0;
};

class HitStage {
 public:
  virtual ~HitStage() = default;

  /// The request's next stage.
  enum class Next {
    this_stage,
    question,         // its prefill may compute every layer with has_layer()
    rest_of_context,  // to be computed from rest_from() on
    miss,             // nothing of the entry is used; the reason is failure()
  };
  Next next() const { return next_; }
  std::size_t rest_from() const { return rest_from_; }

  /// bytes or compute; valid while next() is this stage.
  virtual RequestNeed needs() const { return RequestNeed::bytes; }
  /// Takes arrived bytes, waiting up to `wait_seconds` for the first, until `layers` layers of the cache are complete.
  /// no_space: the block pool is full. A failed read is not an error: it makes this a miss.
  virtual Status poll(double wait_seconds, int layers) = 0;
  /// One step of this stage's own compute, such as one layer of one chunk. no_space as in poll().
  virtual Status compute() { return {}; }
  /// Whether the question's prefill may compute this layer.
  virtual bool has_layer(int layer) const = 0;
  /// Whether it chooses what to read of each layer by the question's queries.
  virtual bool takes_queries() const { return false; }
  /// Whether the queries of this layer are what it waits for.
  virtual bool wants_queries(int /*layer*/) const { return false; }
  /// While wants_queries(): as PrefillTask::next_queries() gives them. no_space as in poll().
  virtual Status take_queries(int /*layer*/, std::span<const float> /*queries*/) { return {}; }
  /// The entry is being read and must not move.
  virtual bool reading() const = 0;
  /// At the first token: fills in the record of the entry and returns the read buffers.
  virtual void fill_in(CacheUse& use) = 0;

  const CacheHit& hit() const { return hit_; }
  /// Why the entry, or a part of it, could not be read; nothing on success.
  const std::optional<ReadFailure>& failure() const { return failure_; }
  /// After fill_in(); nothing if the load does not characterize its tier.
  const std::optional<LoadSample>& load_sample() const { return load_sample_; }

 protected:
  explicit HitStage(CacheHit hit) : hit_(std::move(hit)) {}
  void miss(ReadFailure failure) {
    failure_ = std::move(failure);
    next_ = Next::miss;
  }

  CacheHit hit_;
  Next next_ = Next::this_stage;
  std::size_t rest_from_ = 0;
  std::optional<ReadFailure> failure_;
  std::optional<LoadSample> load_sample_;
};

/// begun_load: a load of the hit's entry in progress; null: none.
std::unique_ptr<HitStage> begin_hit_stage(RequestState& state, CacheHit hit, BufferLender& lender,
                                          std::unique_ptr<LoadTask> begun_load);

}  // namespace kvantage::inline requests
