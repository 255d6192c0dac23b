#include "core/kv/serial_inputs.h"

#include <algorithm>
#include <string>

#include "core/kv/serial_encoded.h"

namespace kvantage::inline kv {

using namespace serial;

int tokens_as_inputs(double share, std::size_t context_tokens, int prefill_chunk_tokens) {
  const auto all = static_cast<int>(context_tokens);
  if (share >= 1) return all;
  if (share <= 0 || prefill_chunk_tokens <= 0) return 0;
  return static_cast<int>(share * all) / prefill_chunk_tokens * prefill_chunk_tokens;
}

std::uint64_t inputs_entry_bytes(const KvShape& shape, std::size_t context_tokens, int input_tokens,
                                 std::size_t input_row_bytes, std::size_t text_bytes) {
  const auto layers = static_cast<std::uint64_t>(shape.layers);
  const auto inputs = static_cast<std::uint64_t>(input_tokens);
  const std::uint64_t layer =
      inputs_frame_bytes + inputs * input_row_bytes +
      (context_tokens - inputs) * static_cast<std::uint64_t>(shape.kv_heads) * shape.bytes_per_head_token();
  return header_bytes(text_bytes, context_tokens, 2 * static_cast<std::size_t>(layers)) + layers * padded(layer);
}

Expected<InputsLayer> read_inputs_layer(const EntryHeader& header, int layer, std::span<const std::byte> bytes,
                                        bool verify) {
  const auto corrupt = [layer](const char* what) {
    return fail(ErrorCode::corrupt,
                "cache entry: layer " + std::to_string(layer) + ": " + what + "; the entry is dropped and recomputed");
  };
  const auto extents = header.layer_extents(layer);
  const auto [begin, end] = header.layer_range(layer);
  if (!header.holds_layer_inputs() || extents.size() != 2 || bytes.size() != end - begin)
    return corrupt("some of its bytes are missing");
  const auto first = bytes.subspan(extents[0].offset - begin, extents[0].bytes),
             second = bytes.subspan(extents[1].offset - begin, extents[1].bytes);
  if (verify && (checksum_of(first) != extents[0].checksum || checksum_of(second) != extents[1].checksum))
    return corrupt("checksum does not match");
  if (first.size() < inputs_frame_bytes) return corrupt("its counts are missing");
  Reader reader(first);
  const auto tokens = reader.get<std::uint32_t>(), row = reader.get<std::uint32_t>();
  const std::uint64_t all = header.token_ids.size();
  const auto chunk = static_cast<std::uint32_t>(std::max(header.identity.prefill_chunk_tokens, 1));
  if (tokens > all || (tokens != all && tokens % chunk != 0) || (tokens > 0 && row == 0))
    return corrupt("its number of inputs is not one of whole chunks");
  const std::uint64_t inputs = std::uint64_t{tokens} * row, rest = (all - tokens) *
                                                                   static_cast<std::uint64_t>(header.shape.kv_heads) *
                                                                   header.shape.bytes_per_row();
  if (reader.left() != inputs + rest || second.size() != rest) return corrupt("lengths do not match its tokens");
  return InputsLayer{static_cast<int>(tokens), row, reader.get_bytes(inputs), reader.get_bytes(rest), second};
}

}  // namespace kvantage::inline kv

namespace kvantage::serial {

Status write_inputs_layer(const KvCache& cache, int layer, const LayerInputRows& inputs, int input_tokens,
                          std::vector<std::byte>& entry, std::vector<Extent>& extents) {
  const KvShape& shape = cache.shape();
  const auto tokens = static_cast<std::size_t>(cache.sequence_length());
  const auto front = static_cast<std::size_t>(input_tokens);
  if (inputs.tokens() < input_tokens || front > tokens)
    return fail(ErrorCode::internal, "cache entry: fewer layer inputs were recorded than it should hold");
  const std::size_t begin = entry.size(), row = shape.bytes_per_row();
  entry.resize(begin + inputs_frame_bytes);
  Writer frame(entry.data() + begin);
  frame.put(static_cast<std::uint32_t>(input_tokens));
  frame.put(static_cast<std::uint32_t>(inputs.row_bytes()));
  const auto rows = inputs.rows(layer, 0, input_tokens);
  entry.insert(entry.end(), rows.begin(), rows.end());
  std::vector<std::byte> keys(tokens * row), values(keys.size()), all_values;
  for (int h = 0; h < shape.kv_heads; ++h) {
    if (static_cast<std::size_t>(cache.kept(layer, h)) != tokens)
      return fail(ErrorCode::internal, "cache entry: only a cache of all tokens can be stored as layer inputs");
    cache.gather_head(layer, h, keys.data(), values.data(), nullptr);
    const auto at = static_cast<std::ptrdiff_t>(front * row);
    entry.insert(entry.end(), keys.begin() + at, keys.end());
    all_values.insert(all_values.end(), values.begin() + at, values.end());
  }
  const auto add = [&](ExtentKind kind, std::size_t first, std::size_t last) {
    const auto bytes = std::span(entry).subspan(first, last - first);
    extents.push_back({static_cast<std::uint16_t>(layer), 0, kind, encoded, first, bytes.size(), checksum_of(bytes)});
  };
  const std::size_t middle = entry.size();
  add(ExtentKind::keys, begin, middle);
  entry.insert(entry.end(), all_values.begin(), all_values.end());
  add(ExtentKind::values, middle, entry.size());
  entry.resize(padded(entry.size()));
  return {};
}

}  // namespace kvantage::serial
