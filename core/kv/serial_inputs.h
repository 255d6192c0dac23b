// Entries that hold the inputs of their layers in place of the keys and values of their first tokens, as KVPR (paper
// 004) ships them: whoever reads the entry recomputes those from the inputs (core/kvpr/stored_inputs.h). This pays
// where an input is shorter than key and value, as with multi-head attention. The codec "layer_inputs" marks them; they
// keep all tokens. One pair of extents per layer:
//
//   keys:   [u32 tokens n as inputs][u32 bytes of an input][inputs of tokens 0 ... n-1][keys of the others]
//   values: [values of the others]
//
// Keys and values are stored head by head, [tokens - n, head_dim]. n is a number of whole prefill chunks, or all
// tokens: only a whole chunk gives the same bits again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kv/serial.h"

namespace kvantage::inline kv {

/// The inputs of a context's layers, as a prefill computed them.
class LayerInputRows {
 public:
  virtual ~LayerInputRows() = default;
  virtual std::size_t row_bytes() const = 0;
  /// Tokens from the first one on.
  virtual int tokens() const = 0;
  virtual std::span<const std::byte> rows(int layer, int first, int count) const = 0;
};

/// How many of a context's tokens an entry with this share holds as inputs.
int tokens_as_inputs(double share, std::size_t context_tokens, int prefill_chunk_tokens);

/// Exact bytes of such an entry. text_bytes: of the names of method and codec.
std::uint64_t inputs_entry_bytes(const KvShape& shape, std::size_t context_tokens, int input_tokens,
                                 std::size_t input_row_bytes, std::size_t text_bytes);

/// One layer, as views of the read bytes.
struct InputsLayer {
  int input_tokens = 0;
  std::size_t input_row_bytes = 0;
  std::span<const std::byte> inputs;        // [input_tokens, hidden]
  std::span<const std::byte> keys, values;  // of the others, [kv_heads][tokens - input_tokens, head_dim]
};

/// `bytes` = the entry's layer_range(layer), which must outlive the result. corrupt: a checksum (with verify), a length
/// or a count does not match.
Expected<InputsLayer> read_inputs_layer(const EntryHeader& header, int layer, std::span<const std::byte> bytes,
                                        bool verify);

}  // namespace kvantage::inline kv

namespace kvantage::serial {

/// Fixed part of the keys' extent.
inline constexpr std::size_t inputs_frame_bytes = 2 * sizeof(std::uint32_t);

/// Appends one layer's extents to `entry`, starting at a 4 KiB boundary. internal: the cache does not hold all tokens,
/// or `inputs` has fewer than input_tokens.
Status write_inputs_layer(const KvCache& cache, int layer, const LayerInputRows& inputs, int input_tokens,
                          std::vector<std::byte>& entry, std::vector<Extent>& extents);

}  // namespace kvantage::serial
