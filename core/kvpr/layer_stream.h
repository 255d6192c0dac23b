// Layers on their way from a tier: for each, layer inputs of its first tokens, then keys and values of the others, block by block
// in order of position. The caller asks for the next layer before it computes on this one: two layers are under way or held at
// most (double buffering), and their buffers are lent.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/kvpr/offloaded_prompt.h"

namespace kvantage {

/// A block that arrived: layer inputs, or keys and then values.
struct StreamedBlock {
  std::int32_t first = 0;
  int tokens = 0;
  bool is_inputs = false;
  std::unique_ptr<LeasedBuffer> buffer;
  std::size_t bytes = 0;  // without padding
  std::span<const std::byte> rows() const { return buffer->bytes().first(bytes); }
};

class LayerStream {
 public:
  LayerStream(StorageTier& tier, BufferLender& lender, std::size_t input_row_bytes, std::size_t kv_row_bytes);
  /// Cancels what is under way and waits until every buffer is back.
  ~LayerStream();
  LayerStream(const LayerStream&) = delete;
  LayerStream& operator=(const LayerStream&) = delete;

  /// Asks for a layer behind those asked for before: layer inputs of blocks that begin before `recomputed_tokens`, keys and values of all
  /// others, and of the later pages. no_space: the lender's limit.
  Status request(const OffloadedLayer& prompt, const std::vector<OffloadedLayer>& pages, int recomputed_tokens);
  /// Blocks of the oldest layer that are still to be taken.
  std::size_t blocks_left() const;
  /// The next block of the oldest layer, waited for. Errors: the tier's, and then the stream is of no more use.
  Expected<StreamedBlock> take();
  /// The oldest layer is done with: after its last block.
  void next_layer() { layers_.pop_front(); }
  std::size_t layers_under_way() const { return layers_.size(); }

  std::uint64_t input_bytes() const { return input_bytes_; }  // asked for so far, padding included
  std::uint64_t kv_bytes() const { return kv_bytes_; }
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
  Status submit(const OffloadedLayer& from, int recomputed_tokens, Layer& layer);
  void receive(double seconds);

  StorageTier& tier_;
  BufferLender& lender_;
  std::size_t input_row_bytes_, kv_row_bytes_;
  CompletionQueue completions_;
  std::deque<Layer> layers_;
  std::vector<Ticket> under_way_;
  std::uint64_t input_bytes_ = 0, kv_bytes_ = 0;
  double device_seconds_ = 0, waited_seconds_ = 0;
};

}  // namespace kvantage
