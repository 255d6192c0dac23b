// The next token of several sequences in one pass. Matrix products batch all of them, so that weights are read once;
// attention uses each sequence's own cache. Each sequence gets the numbers of DecodeTask alone, bit for bit: every sum
// of a product runs over one row of weights in a fixed order, for any batch size. So several tokens of one sequence can
// be verified together (speculation): each gets the numbers that it gets after those before it were decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/kv/kv_cache.h"
#include "core/model/transformer.h"

namespace kvantage::inline model {

/// Appends `token` at `position` to `cache`, which must outlive the task. Consecutive sequences may have one cache:
/// they are its next tokens in order, without hooks, and each attends to those before it. truncate() undoes the last
/// ones.
struct DecodeSequence {
  KvCache* cache = nullptr;
  std::int32_t token = 0;
  std::int32_t position = 0;
  DecodeHooks* hooks = nullptr;  // of this sequence alone (decode_hooks.h); must outlive the task. Null: none
};

class BatchDecodeTask {
 public:
  BatchDecodeTask(Transformer& model, std::vector<DecodeSequence> sequences);
  ~BatchDecodeTask();
  BatchDecodeTask(BatchDecodeTask&&) noexcept;
  BatchDecodeTask& operator=(BatchDecodeTask&&) noexcept;

  /// One layer of all sequences; all layers where a device computes, which may call no hooks (internal error).
  /// rejected_input: as PrefillTask, before any compute. no_space: the pool is full; once blocks are free, or a
  /// sequence has left, step() resumes where it stopped. An error of a hook is reported as it is; the hooks of earlier
  /// sequences are not called again for this layer.
  Status step();
  Status run();
  bool done() const;
  int next_layer() const;
  std::size_t size() const;
  /// Cancels this sequence: its cache is no longer touched; the results of the others do not change. Later ones of the
  /// same cache must leave, too.
  void leave(std::size_t sequence);
  /// After done(): [vocab_size] of a sequence that has not left.
  std::span<const float> logits(std::size_t sequence) const;

 private:
  friend class DecodeTask;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kvantage::inline model
