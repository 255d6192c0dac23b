// The next token of several sequences in one pass: products take all of them together, so that weights are read once,
// attention goes over each one's own cache. Each sequence gets the numbers that DecodeTask gives it alone, bit for bit:
// every sum of a product runs over one row of weights in a fixed order, however many vectors are taken together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/kv/kv_cache.h"
#include "core/model/transformer.h"

namespace kvantage {

/// `token` is appended at `position` to `cache`, which outlives the task and serves no other sequence of it.
struct DecodeSequence {
  KvCache* cache = nullptr;
  std::int32_t token = 0;
  std::int32_t position = 0;
};

class BatchDecodeTask {
 public:
  BatchDecodeTask(Transformer& model, std::vector<DecodeSequence> sequences);
  ~BatchDecodeTask();
  BatchDecodeTask(BatchDecodeTask&&) noexcept;
  BatchDecodeTask& operator=(BatchDecodeTask&&) noexcept;

  /// One layer of all sequences; all layers where a device computes. rejected_input: as PrefillTask, before anything is
  /// computed. no_space: the pool is full; once blocks are free, or a sequence has left, step() goes on where it
  /// stopped.
  Status step();
  Status run();
  bool done() const;
  int next_layer() const;
  std::size_t size() const;
  /// This sequence is given up: its cache is not touched any more, the others' numbers stay what they are.
  void leave(std::size_t sequence);
  /// After done(): [vocab_size] of a sequence that has not left.
  std::span<const float> logits(std::size_t sequence) const;

 private:
  friend class DecodeTask;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kvantage
