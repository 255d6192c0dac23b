#include <algorithm>
#include <string>
#include <utility>

#include "core/kv/row_filling.h"
#include "core/kv/serial_chunk.h"
#include "core/kv/serial_encoded.h"

namespace kvantage::inline kv {
namespace {

using namespace serial;

std::pair<std::uint64_t, std::uint64_t> page_range(std::span<const Extent> extents) {
  if (extents.empty()) return {0, 0};
  return {extents.front().offset, padded(extents.back().offset + extents.back().bytes)};
}

/// The rows of a layer take the place that they have in the cache, one head after the other, and are written there.
Status restore_encoded(const EncodedLayer& stored, std::shared_ptr<const Codec> codec, int layer, KvCache& cache,
                       const RunTasks& on_threads) {
  RowFilling filling(cache.shape(), layer, std::move(codec));
  for (std::size_t h = 0; h < stored.positions.size(); ++h) {
    KV_ASSIGN(auto runs, cache.reserve_head(layer, static_cast<int>(h), stored.positions[h]));
    filling.add(std::move(runs), stored.keys[h], stored.values[h]);
  }
  return filling.fill(on_threads);
}

/// Calls `append`; after an error the layer is as it was.
template <class Append>
Status append_or_undo(const EntryHeader& header, int layer, KvCache& cache, const Append& append) {
  std::vector<int> before;
  for (int h = 0; h < header.shape.kv_heads; ++h) before.push_back(cache.kept(layer, h));
  const std::int32_t length_before = cache.sequence_length();
  if (Status appended = append(); !appended) {
    for (int h = 0; h < header.shape.kv_heads; ++h) cache.truncate_head(layer, h, before[static_cast<std::size_t>(h)]);
    cache.set_sequence_length(length_before);
    return appended;
  }
  cache.set_sequence_length(std::max(length_before, static_cast<std::int32_t>(header.token_ids.size())));
  return {};
}

}  // namespace

std::span<const Extent> EntryHeader::layer_extents(int layer) const {
  const std::size_t per_layer = extents_per_layer();
  if (layer < 0 || layer >= shape.layers || extents.size() < per_layer * static_cast<std::size_t>(shape.layers))
    return {};
  return std::span(extents).subspan(per_layer * static_cast<std::size_t>(layer), per_layer);
}

std::pair<std::uint64_t, std::uint64_t> EntryHeader::layer_range(int layer) const {
  return page_range(layer_extents(layer));
}

std::span<const Extent> EntryHeader::window_queries_extents(int layer) const {
  if (!has_window_queries() || layer < 0 || layer >= shape.layers ||
      extents.size() < static_cast<std::size_t>(shape.layers))
    return {};
  return std::span(extents).last(static_cast<std::size_t>(shape.layers)).subspan(static_cast<std::size_t>(layer), 1);
}

std::pair<std::uint64_t, std::uint64_t> EntryHeader::window_queries_range(int layer) const {
  return page_range(window_queries_extents(layer));
}

Status restore_layer(const EntryHeader& header, int layer, std::span<const std::byte> bytes, bool verify,
                     KvCache& cache, bool leave_encoded, const RunTasks& on_threads) {
  const std::string name = "cache entry: layer " + std::to_string(layer);
  const auto corrupt = [&name](const char* what) {
    return fail(ErrorCode::corrupt, name + ": " + what + "; the entry is dropped and recomputed");
  };
  if (layer < 0 || layer >= header.shape.layers) return fail(ErrorCode::internal, name + ": no such layer");
  if (header.holds_layer_inputs()) return fail(ErrorCode::internal, name + ": its keys and values need the model");
  if (cache.shape() != header.shape) return fail(ErrorCode::rejected_input, name + ": its model has another shape");
  const auto extents = header.layer_extents(layer);
  const auto [begin, end] = header.layer_range(layer);
  if (bytes.size() != end - begin) return corrupt("some of its bytes are missing");
  // Everything is parsed before a row is reserved.
  if (!header.is_encoded()) {
    KV_ASSIGN(const auto chunks, read_chunks(header, layer, 0, header.chunks(), bytes, verify));
    return append_or_undo(header, layer, cache, [&] { return append_chunks(chunks, layer, cache, on_threads); });
  }
  const auto part = [&, first = begin](const Extent& extent) {
    return bytes.subspan(extent.offset - first, extent.bytes);
  };
  if (verify && !std::ranges::all_of(extents, [&](const Extent& e) { return checksum_of(part(e)) == e.checksum; }))
    return corrupt("checksum does not match");
  auto codec = parse_codec(header.compression.codec);
  if (leave_encoded && codec && (*codec)->ranges() != nullptr) {
    KV_ASSIGN(auto heads, take_encoded_layer(header, layer, part(extents[0]), part(extents[1])));
    if (cache.encoded() == nullptr) cache.set_encoded(std::make_shared<EncodedRows>(std::move(*codec), header.shape));
    KV_TRY(cache.encoded()->put(layer, std::move(heads)));
    cache.set_sequence_length(std::max(cache.sequence_length(), static_cast<std::int32_t>(header.token_ids.size())));
    return {};
  }
  if (!codec) return corrupt(codec.error().message.c_str());
  KV_ASSIGN(const auto stored, split_encoded_layer(header, layer, part(extents[0]), part(extents[1])));
  return append_or_undo(header, layer, cache,
                        [&] { return restore_encoded(stored, std::move(*codec), layer, cache, on_threads); });
}

Expected<std::vector<float>> restore_window_queries(const EntryHeader& header, int layer,
                                                    std::span<const std::byte> bytes) {
  const auto extents = header.window_queries_extents(layer);
  if (extents.empty()) return fail(ErrorCode::not_found, "cache entry: it has no window queries");
  const Extent& extent = extents.front();
  if (bytes.size() < extent.bytes || checksum_of(bytes.first(extent.bytes)) != extent.checksum)
    return fail(ErrorCode::corrupt, "cache entry: window queries of layer " + std::to_string(layer) +
                                        " do not match their checksum; the entry is dropped and recomputed");
  std::vector<float> queries(extent.bytes / sizeof(float));
  std::memcpy(queries.data(), bytes.data(), extent.bytes);
  return queries;
}

}  // namespace kvantage::inline kv
