// A prefilled prompt on a slower tier, layer by layer: the input of each layer and its keys and values, so that a
// reader may request either (KVPR, paper 004).
//
// One entry per layer, in blocks of the prompt's prefill chunks, since only a whole chunk reproduces the same bits:
//   [layer inputs of chunk 0][of chunk 1] ...   rows [tokens, hidden] in the compute type
//   [keys, values of chunk 0][of chunk 1] ...   each [tokens, kv_heads, head_dim] in the cache's type, or encoded
//   (row_codec.h)
// Every block is 4 KiB-aligned and has its XXH3. Padding is read and counted with its block.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/digest.h"
#include "core/kv/kv_cache.h"
#include "core/kv/serial_inputs.h"
#include "core/kvpr/row_codec.h"
#include "core/model/recompute.h"
#include "core/ports/storage_tier.h"

namespace kvantage::inline kvpr {

/// Records the layer inputs of one prefill. Holds 2 or 4 bytes x hidden x layers per token until they are written.
class LayerInputs final : public LayerInputSink, public LayerInputRows {
 public:
  LayerInputs(const Transformer& model, int tokens);
  void take(int layer, std::int32_t first_position, int tokens, std::span<const std::byte> rows) override;
  std::size_t row_bytes() const override { return row_bytes_; }
  int tokens() const override { return tokens_; }
  std::span<const std::byte> rows(int layer, int first, int count) const override;

 private:
  std::size_t row_bytes_;
  int tokens_;
  std::vector<std::vector<std::byte>> layers_;
};

/// Tokens [first, first + tokens) of one layer, and their location in its entry.
struct OffloadedBlock {
  std::int32_t first = 0;
  int tokens = 0;
  ReadExtent inputs;  // bytes 0: none
  ReadExtent keys_values;
  std::size_t input_bytes = 0, kv_bytes = 0;  // without padding
  bool decoded = false;                       // by decode steps; else all of them by one chunk of a prefill
};

/// One entry and its blocks.
struct OffloadedLayer {
  Digest128 key;
  std::vector<OffloadedBlock> blocks;
};

/// An entry before it is written.
struct PackedLayer {
  OffloadedLayer layer;
  std::shared_ptr<std::vector<std::byte>> bytes;
};

/// The first `tokens` tokens of one layer, all heads, in blocks of `block_tokens`. Each head must hold them without
/// holes. Errors: the codec's.
Expected<PackedLayer> pack_layer(const KvCache& cache, int layer, int tokens, int block_tokens,
                                 const LayerInputs& inputs, const Transformer& model, const RowCodec& codec,
                                 const Digest128& key);

/// Keys and values of a run of tokens: [tokens, kv_heads, head_dim]; their layer inputs: [tokens, hidden], or empty.
struct RunRows {
  std::span<const std::byte> keys, values, inputs;
};

/// An entry of one block: layer inputs, where there are any, then keys and values. Errors: the codec's.
Expected<PackedLayer> pack_rows(int layer, const RunRows& rows, std::int32_t first, int tokens, const RowCodec& codec,
                                const Digest128& key);

/// Appends a 4 KiB-aligned block of `count` bytes and returns it; seal() adds its checksum once it is filled.
std::span<std::byte> add_block(std::vector<std::byte>& bytes, std::size_t count, ReadExtent& extent);
void seal(const std::vector<std::byte>& bytes, ReadExtent& extent);

/// Writes an entry and waits for completion. Errors: the tier's.
Status write_and_wait(StorageTier& tier, const PackedLayer& packed);

/// A whole prompt on the tier; the destructor erases its entries.
class OffloadedPrompt {
 public:
  /// Empty: its layers follow by add_layer(), in order. `name` determines the keys: two prompts on one tier need
  /// different names.
  OffloadedPrompt(StorageTier& tier, int tokens, int chunk_tokens, const RowCodec& codec, std::string_view name)
      : tier_(tier), tokens_(tokens), chunk_tokens_(chunk_tokens), codec_(codec), name_(name), done_(tier.clock()) {}
  /// All layers, written and waited for.
  static Expected<std::unique_ptr<OffloadedPrompt>> write(const Transformer& model, const KvCache& cache,
                                                          const LayerInputs& inputs, int tokens, int chunk_tokens,
                                                          const RowCodec& codec, StorageTier& tier,
                                                          std::string_view name);
  ~OffloadedPrompt();
  OffloadedPrompt(const OffloadedPrompt&) = delete;
  OffloadedPrompt& operator=(const OffloadedPrompt&) = delete;

  /// Begins to write the next layer. cache: holds tokens [0, tokens) of every layer and head, as recorded in `inputs`.
  Status add_layer(const Transformer& model, const KvCache& cache, const LayerInputs& inputs);
  /// Takes completed writes, waiting up to `seconds` for the first. Errors: the tier's; afterwards it is unusable.
  Status poll(double seconds);
  std::size_t writes_left() const { return writes_.size(); }
  int layers() const { return static_cast<int>(layers_.size()); }

  int tokens() const { return tokens_; }
  int chunk_tokens() const { return chunk_tokens_; }
  const RowCodec& codec() const { return codec_; }
  StorageTier& tier() const { return tier_; }
  const OffloadedLayer& layer(int layer) const { return layers_[static_cast<std::size_t>(layer)]; }
  /// Bytes on the tier, padding included.
  std::uint64_t bytes() const { return bytes_; }

 private:
  StorageTier& tier_;
  int tokens_;
  int chunk_tokens_;
  RowCodec codec_;
  std::string name_;
  CompletionQueue done_;
  std::vector<Ticket> writes_;  // in flight
  std::vector<OffloadedLayer> layers_;
  std::uint64_t bytes_ = 0;
};

}  // namespace kvantage::inline kvpr
