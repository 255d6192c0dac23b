// Layers on their way from a tier: for each, layer inputs of its first tokens, then keys and values of the others,
// block by block in order of position; where weights come along, W_K and W_V before them, the others before or behind.
// The caller asks for the next layer before it computes on this one: two layers are under way or held at most (double
// buffering), and their buffers are lent.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/kvpr/offloaded_prompt.h"
#include "core/kvpr/offloaded_weights.h"
#include "core/policy/partial_recompute.h"

namespace kvantage {

/// A block that arrived: layer inputs, keys and values as the prompt's codec wrote them, or a part of the layer's
/// weights.
struct StreamedBlock {
  enum class Kind { inputs, keys_values, key_value_weights, other_weights } kind = Kind::keys_values;
  std::int32_t first = 0;
  int tokens = 0;
  std::unique_ptr<LeasedBuffer> buffer;
  std::size_t bytes = 0;                           // without padding
  double arrived_seconds = 0, device_seconds = 0;  // when the tier was done with it, by its clock, and what it took
  std::span<const std::byte> rows() const { return buffer->bytes().first(bytes); }
};

/// Its keys and values: computed anew where it holds layer inputs, which `recompute_seconds` grows by, else as `codec`
/// reads them. Valid as long as the block and until the next call.
Expected<RowCodec::Rows> keys_values_of(const StreamedBlock& block, int layer, KvRecompute& recompute, RowCodec& codec,
                                        const Clock& clock, double& recompute_seconds);

class LayerStream {
 public:
  LayerStream(StorageTier& tier, BufferLender& lender) : tier_(tier), lender_(lender), completions_(tier.clock()) {}
  /// Cancels what is under way and waits until every buffer is back.
  ~LayerStream();
  LayerStream(const LayerStream&) = delete;
  LayerStream& operator=(const LayerStream&) = delete;

  /// Asks for a layer behind those asked for before: layer inputs of blocks that begin before `recomputed_tokens`, keys
  /// and values of all others, and of the later pages; `weights` (null: none) in the order of `loading`. no_space: the
  /// lender's limit.
  Status request(const OffloadedLayer& prompt, const std::vector<OffloadedLayer>& pages, int recomputed_tokens,
                 const WeightEntry* weights = nullptr, WeightLoading loading = WeightLoading::resident);
  /// Blocks of the oldest layer that are still to be taken.
  std::size_t blocks_left() const;
  /// The next block of the oldest layer, waited for. Errors: the tier's, and then the stream is of no more use.
  Expected<StreamedBlock> take();
  /// The oldest layer is done with: after its last block.
  void next_layer() { layers_.pop_front(); }
  std::size_t layers_under_way() const { return layers_.size(); }

  std::uint64_t input_bytes() const { return input_bytes_; }  // asked for so far, padding included
  std::uint64_t kv_bytes() const { return kv_bytes_; }
  std::uint64_t weight_bytes() const { return weight_bytes_; }
  double device_seconds() const { return device_seconds_; }  // of what was taken, shaping included
  double waited_seconds() const { return waited_seconds_; }  // that take() held the caller

 private:
  struct Item {
    StreamedBlock block;
    Ticket ticket = 0;
    std::size_t index = 0;  // of the ticket
    Status status;
    bool arrived = false;
  };
  struct Layer {
    std::vector<Item> items;
    std::size_t taken = 0;
  };
  struct Part {  // of an entry: what a block of it will be
    StreamedBlock::Kind kind;
    std::int32_t first;
    int tokens;
    std::size_t bytes;
    ReadExtent extent;
  };
  Status submit(const Digest128& key, std::vector<Part> parts, Layer& layer);
  Status submit(const OffloadedLayer& from, int recomputed_tokens, Layer& layer);
  void receive(double seconds);

  StorageTier& tier_;
  BufferLender& lender_;
  CompletionQueue completions_;
  std::deque<Layer> layers_;
  std::vector<Ticket> under_way_;
  std::uint64_t input_bytes_ = 0, kv_bytes_ = 0, weight_bytes_ = 0;
  double device_seconds_ = 0, waited_seconds_ = 0;
};

}  // namespace kvantage
