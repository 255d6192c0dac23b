// A device that computes a model's passes instead of the CPU. A Transformer with a device delegates PrefillTask and
// BatchDecodeTask to it, transparently for their users. Single decode steps with hooks (DecodeTask) stay on the CPU.
//
// KvCache remains the cache: rows of a context are copied back to it. Layers loaded into it are copied to the device
// when a pass needs them and stay there until the cache changes (KvCache::device_rows()). Rows of questions and of
// decoded tokens stay on the device alone where PrefillOptions::rows_may_stay allows it; the next change of the cache
// drops them, as truncate() after an answer does. A context that is stored in the device's memory never passes through
// the host: attach().
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/batch_decode.h"
#include "core/model/transformer.h"
#include "core/ports/device_gauges.h"
#include "core/ports/device_residency.h"

namespace kvantage::inline model {

class ModelDevice {
 public:
  virtual ~ModelDevice() = default;

  /// One prefill, in the steps of PrefillTask. Launched work may still be running when a step returns; the last step of
  /// a chunk waits for the chunk.
  class Prefill {
   public:
    virtual ~Prefill() = default;
    /// Layer `layer` of chunk `chunk`, in PrefillTask's order. Errors: as PrefillTask::step(); no_space: the device is
    /// full.
    virtual Status step(int layer, int chunk) = 0;
    /// After the last step: as PrefillTask.
    virtual std::vector<float> take_logits() = 0;
    virtual WindowQueries take_window_queries() = 0;
  };

  /// "bf16 on cuda:0, 14.96 GiB of weights, decode in graphs".
  virtual std::string description() const = 0;
  /// For CacheIdentity, as Transformer::numerics_version(); never equal to a CPU's.
  virtual int numerics_version() const = 0;
  /// Nothing is computed before the first step. `cache` must outlive it; options as for PrefillTask.
  virtual std::unique_ptr<Prefill> prefill(KvCache& cache, std::vector<std::int32_t> tokens,
                                           std::int32_t first_position, const PrefillOptions& options) = 0;
  /// A whole step of all sequences: logits [sequences, vocab_size]. The tokens' rows stay on the device; the caches'
  /// lengths include them.
  virtual Expected<std::vector<float>> decode(std::span<const DecodeSequence> sequences) = 0;
  /// Whether decode() calls the hooks of sequences, whose rows are then in the caches.
  virtual bool calls_hooks() const { return false; }
  /// Whether sequences may hold several tokens of one cache (batch_decode.h).
  virtual bool verifies_drafts() const { return false; }
  /// The blocks of its caches; nothing: attach() takes none.
  virtual std::optional<DeviceBlocks> blocks() const { return std::nullopt; }
  /// Makes a whole cache, in such blocks of the device's own memory, the rows of the empty `cache`: copied within that
  /// memory while this returns; a later pass waits for the copies. `stored` is held until `cache` drops them.
  /// rejected_input: other blocks. no_space: the device is full. Both leave `cache` unchanged.
  virtual Status attach(std::shared_ptr<const DeviceResidency> /*stored*/, KvCache& /*cache*/) {
    return fail(ErrorCode::rejected_input, "the device takes no caches in blocks; load their bytes");
  }
  /// Metrics of completed copies. From any thread; never waits for the device.
  virtual ModelDeviceGauges gauges() const = 0;
};

}  // namespace kvantage::inline model
