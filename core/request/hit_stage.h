// The stage that serves a request from a stored entry: it loads the entry (load_stage.h), or computes its front while
// its back loads (hybrid_prefill_stage.h). Further ways to use an entry, such as loading selected pages of it, are
// further implementations; begin_hit_stage() chooses between them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "core/request/cache_hit.h"
#include "core/request/request_state.h"

namespace kvantage::inline requests {

/// What the load of a hit took, for the tier's fit.
struct LoadSample {
  std::uint64_t bytes = 0;
  int kept_tokens = 0;
  double device_seconds = 0, decode_seconds = 0;
};

class HitStage {
 public:
  virtual ~HitStage() = default;

  /// What the request does next.
  enum class Next {
    this_stage,
    question,         // its prefill may compute every layer that has_layer()
    rest_of_context,  // to be computed from rest_from() on
    miss,             // failure() says why; nothing of the entry is used
  };
  Next next() const { return next_; }
  std::size_t rest_from() const { return rest_from_; }

  /// bytes or compute; valid until next() is another stage.
  virtual RequestNeed needs() const { return RequestNeed::bytes; }
  /// Takes bytes that arrived, waiting up to `wait_seconds` for the first, until `layers` layers of the cache are
  /// there. no_space: the block pool is full. A read that fails is no error: it makes this a miss.
  virtual Status poll(double wait_seconds, int layers) = 0;
  /// One layer of one chunk of what this stage computes itself. no_space as of poll().
  virtual Status compute() { return {}; }
  /// The question's prefill may compute this layer.
  virtual bool has_layer(int layer) const = 0;
  /// The entry is being read and may not move.
  virtual bool reading() const = 0;
  /// At the first token: what the record says of the entry. Gives back what it was read with.
  virtual void fill_in(CacheUse& use) = 0;

  const CacheHit& hit() const { return hit_; }
  /// Why the entry could not be read, or not all of it; nothing when it could.
  const std::optional<ReadFailure>& failure() const { return failure_; }
  /// From fill_in() on; nothing where the load says nothing about its tier.
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

/// begun_load: of the hit, reading already; it must be of the hit's entry. Null: none.
std::unique_ptr<HitStage> begin_hit_stage(RequestState& state, CacheHit hit, BufferLender& lender,
                                          std::unique_ptr<LoadTask> begun_load);

}  // namespace kvantage::inline requests
