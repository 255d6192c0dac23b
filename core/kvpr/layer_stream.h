// Streams layers from a tier: for each, layer inputs of its first tokens, then keys and values of the others, block by
// block in order of position. Streamed weights: W_K and W_V come first, the others before or after. The caller requests
// the next layer before it computes on this one: at most two layers are in flight or held (double buffering), in leased
// buffers.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/kvpr/offloaded_prompt.h"
#include "core/kvpr/offloaded_weights.h"
#include "core/policy/partial_recompute.h"

namespace kvantage::inline kvpr {

/// An arrived block: layer inputs, keys and values as encoded for the prompt, or a part of the layer's weights.
struct StreamedBlock {
  enum class Kind { inputs, keys_values, key_value_weights, other_weights } kind = Kind::keys_values;
  bool decoded = false;  // layer inputs of tokens that decode steps computed
  std::int32_t first = 0;
  int tokens = 0;
  std::unique_ptr<LeasedBuffer> buffer;
  std::size_t bytes = 0;                           // without padding
  double arrived_seconds = 0, device_seconds = 0;  // tier completion time, by its clock, and duration
  std::span<const std::byte> rows() const { return buffer->bytes().first(bytes); }
};

/// Its keys and values: recomputed if it holds layer inputs, which adds to `recompute_seconds`, else as decoded by
/// `codec`. Valid as long as the block and until the next call.
Expected<RowCodec::Rows> keys_values_of(const StreamedBlock& block, int layer, KvRecompute& recompute, RowCodec& codec,
                                        const Clock& clock, double& recompute_seconds);

class LayerStream {
 public:
  LayerStream(StorageTier& tier, BufferLender& lender) : tier_(tier), lender_(lender), completions_(tier.clock()) {}
  /// Cancels everything in flight and waits until every buffer is returned.
  ~LayerStream();
  LayerStream(const LayerStream&) = delete;
  LayerStream& operator=(const LayerStream&) = delete;

  /// What of the blocks is read, by where they start: nothing before `from`, layer inputs before `recomputed`, keys and
  /// values of the others.
  struct Front {
    int recomputed = 0, from = 0;
  };
  /// Requests a layer after the earlier ones: of the prompt and of later pages what `front` says, and `weights` (null:
  /// none) in the order of `loading`. no_space: the lender's limit.
  Status request(const OffloadedLayer& prompt, const std::vector<OffloadedLayer>& pages, Front front,
                 const WeightEntry* weights = nullptr, WeightLoading loading = WeightLoading::resident);
  /// Whether all blocks of the oldest layer have arrived, or failed; waits up to `seconds` for some of them.
  bool layer_arrived(double seconds);
  /// Blocks of the oldest layer not taken yet.
  std::size_t blocks_left() const;
  /// Waits for the next block of the oldest layer. Errors: the tier's; afterwards the stream is unusable.
  Expected<StreamedBlock> take();
  /// Finishes the oldest layer, after its last block.
  void next_layer() { layers_.pop_front(); }

  std::uint64_t input_bytes() const { return input_bytes_; }  // requested so far, padding included
  std::uint64_t kv_bytes() const { return kv_bytes_; }
  std::uint64_t weight_bytes() const { return weight_bytes_; }
  double device_seconds() const { return device_seconds_; }  // of taken blocks, throttling included
  /// Time that take() and layer_arrived() blocked the caller.
  double waited_seconds() const { return waited_seconds_; }

 private:
  struct Item {
    StreamedBlock block;
    Ticket ticket = 0;
    std::size_t index = 0;  // within the ticket
    Status status;
    bool arrived = false;
  };
  struct Layer {
    std::vector<Item> items;
    std::size_t taken = 0;
  };
  struct Part {  // of an entry: the future content of a block
    StreamedBlock::Kind kind;
    std::int32_t first;
    int tokens;
    std::size_t bytes;
    ReadExtent extent;
    bool decoded;
  };
  Status submit(const Digest128& key, std::vector<Part> parts, Layer& layer);
  Status submit(const OffloadedLayer& from, Front front, Layer& layer);
  void receive(std::vector<Completion> completions);

  StorageTier& tier_;
  BufferLender& lender_;
  CompletionQueue completions_;
  std::deque<Layer> layers_;
  std::vector<Ticket> in_flight_;
  std::uint64_t input_bytes_ = 0, kv_bytes_ = 0, weight_bytes_ = 0;
  double device_seconds_ = 0, waited_seconds_ = 0;
};

}  // namespace kvantage::inline kvpr
