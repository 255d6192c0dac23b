#include "core/kv/token_chunks.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/kv/serial_encoded.h"

namespace kvantage::inline kv {

using namespace serial;

Expected<TokenChunks> TokenChunks::of(const EntryHeader& header) {
  const auto codec = parse_codec(header.compression.codec);
  const std::uint64_t all_rows = static_cast<std::uint64_t>(header.shape.layers) *
                                 static_cast<std::uint64_t>(header.shape.kv_heads) * header.token_ids.size();
  if (!codec || (*codec)->chunk_tokens() <= 0 || header.kept_rows != all_rows || header.token_ids.empty())
    return fail(ErrorCode::rejected_input, "chunks of tokens: entry " + header.key().hex() +
                                               " does not hold a whole context in chunks; load all of it");
  TokenChunks chunks;
  chunks.tokens_ = static_cast<int>(header.token_ids.size());
  chunks.length_ = (*codec)->chunk_tokens();
  chunks.row_bytes_ = header.shape.bytes_per_row();
  const auto heads = static_cast<std::uint64_t>(header.shape.kv_heads);
  const std::uint64_t bitmaps = heads * encoded_bitmap_bytes(header.token_ids.size());
  const std::uint64_t rows = heads * (length_bytes + chunks.head_bytes());
  chunks.layers_.reserve(static_cast<std::size_t>(header.shape.layers));
  for (int layer = 0; layer < header.shape.layers; ++layer) {
    const auto extents = header.layer_extents(layer);
    if (extents.size() != 2 || extents[0].bytes != bitmaps + rows || extents[1].bytes != rows)
      return fail(ErrorCode::corrupt, "cache entry: layer " + std::to_string(layer) +
                                          ": lengths do not match its tokens; the entry is dropped and recomputed");
    chunks.layers_.push_back({extents[0].offset + bitmaps + length_bytes, extents[1].offset + length_bytes});
  }
  return chunks;
}

std::uint64_t TokenChunks::head_bytes() const {
  return static_cast<std::uint64_t>(tokens_) * row_bytes_ + static_cast<std::uint64_t>(count()) * checksum_bytes;
}

int TokenChunks::tokens_in(Run run) const {
  return std::min(first_token(run.last), tokens_) - std::min(first_token(run.first), tokens_);
}

std::vector<TokenChunks::Run> TokenChunks::runs_of(std::span<const std::int32_t> tokens) const {
  std::vector<Run> runs;
  for (const std::int32_t token : tokens) {
    const int chunk = chunk_of(token);
    if (!runs.empty() && chunk < runs.back().last) continue;
    if (!runs.empty() && chunk == runs.back().last)
      ++runs.back().last;
    else
      runs.push_back({chunk, chunk + 1});
  }
  return runs;
}

std::pair<std::uint64_t, std::uint64_t> TokenChunks::range(int layer, ExtentKind kind, int kv_head, Run run) const {
  const LayerStart& start = layers_[static_cast<std::size_t>(layer)];
  const std::uint64_t head = (kind == ExtentKind::keys ? start.keys : start.values) +
                             static_cast<std::uint64_t>(kv_head) * (length_bytes + head_bytes());
  const auto at = [&](int chunk) {
    return head + static_cast<std::uint64_t>(std::min(first_token(chunk), tokens_)) * row_bytes_ +
           static_cast<std::uint64_t>(chunk) * checksum_bytes;
  };
  return {at(run.first), at(run.last)};
}

Status TokenChunks::unpack(Run run, std::span<const std::byte> bytes, std::vector<std::byte>& rows) const {
  rows.reserve(rows.size() + static_cast<std::size_t>(tokens_in(run)) * row_bytes_);
  for (int chunk = run.first; chunk < run.last; ++chunk) {
    const std::size_t size = static_cast<std::size_t>(tokens_in({chunk, chunk + 1})) * row_bytes_;
    if (bytes.size() < size + checksum_bytes)
      return fail(ErrorCode::corrupt,
                  "cache entry: some bytes of a chunk are missing; the entry is dropped and recomputed");
    std::uint64_t checksum = 0;
    std::memcpy(&checksum, bytes.data() + size, checksum_bytes);
    if (checksum_of(bytes.first(size)) != checksum)
      return fail(ErrorCode::corrupt, "cache entry: chunk " + std::to_string(chunk) +
                                          " fails its checksum; the entry is dropped and recomputed");
    rows.insert(rows.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    bytes = bytes.subspan(size + checksum_bytes);
  }
  return {};
}

}  // namespace kvantage::inline kv
