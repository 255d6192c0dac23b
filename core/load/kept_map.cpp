#include "core/load/kept_map.h"

#include <algorithm>
#include <memory>

#include "core/kv/serial_chunk.h"
#include "core/kv/serial_encoded.h"
#include "core/load/arrived_bytes.h"

namespace kvantage::inline loading {
namespace {

using namespace serial;

constexpr std::uint64_t kept_map_magic = 0x0000'5450'454B'564B;  // "KVKEPT" and two zero bytes
constexpr std::uint32_t kept_map_version = 1;
constexpr std::size_t front_bytes = 8 + 4 * 3 + 8 + 2 * 8;

tl::unexpected<Error> broken_map(const char* what) {
  return fail(ErrorCode::corrupt, std::string("map of kept tokens: ") + what + "; load the whole entry instead");
}

/// Waits for the one completion of a ticket.
Completion next_of(CompletionQueue& done) {
  for (;;)
    for (Completion& completion : done.wait(1)) return std::move(completion);
}

}  // namespace

KeptMap KeptMap::of(const KvCache& stored) {
  KeptMap map;
  map.kv_heads_ = stored.shape().kv_heads;
  for (int layer = 0; layer < stored.shape().layers; ++layer)
    for (int h = 0; h < map.kv_heads_; ++h) {
      auto& positions = map.positions_.emplace_back(static_cast<std::size_t>(stored.kept(layer, h)));
      stored.gather_head(layer, h, nullptr, nullptr, positions.data());
    }
  return map;
}

std::uint64_t KeptMap::rows() const {
  std::uint64_t rows = 0;
  for (const auto& positions : positions_) rows += positions.size();
  return rows;
}

bool KeptMap::fits(const EntryHeader& header) const {
  for (int layer = 0; layer < header.shape.layers; ++layer)
    for (int chunk = 0; chunk < header.chunks(); ++chunk) {
      const auto extents = chunk_extents(header, layer, chunk, chunk + 1);
      if (extents.empty()) return false;
      std::uint64_t rows = 0;
      for (int h = 0; h < kv_heads_; ++h) {
        const auto& positions = positions_[static_cast<std::size_t>(layer * kv_heads_ + h)];
        rows += static_cast<std::uint64_t>(std::ranges::lower_bound(positions, (chunk + 1) * extent_chunk_positions) -
                                           std::ranges::lower_bound(positions, chunk * extent_chunk_positions));
      }
      if (rows * header.shape.bytes_per_row() != extents[1].bytes) return false;
    }
  return true;
}

std::size_t kept_map_bytes(const EntryHeader& header) {
  const auto heads = static_cast<std::size_t>(header.shape.layers) * static_cast<std::size_t>(header.shape.kv_heads);
  return padded(front_bytes + heads * encoded_bitmap_bytes(header.token_ids.size()) + checksum_bytes);
}

std::vector<std::byte> KeptMap::bytes(const EntryHeader& header) const {
  std::vector<std::byte> bytes(kept_map_bytes(header));
  const Digest128 key = header.key();
  Writer writer(bytes.data());
  writer.put(kept_map_magic);
  writer.put(kept_map_version);
  writer.put(header.shape.layers);
  writer.put(header.shape.kv_heads);
  writer.put(std::uint64_t{header.token_ids.size()});
  writer.put(key.high);
  writer.put(key.low);
  const std::size_t bitmap = encoded_bitmap_bytes(header.token_ids.size());
  for (std::size_t head = 0; head < positions_.size(); ++head)
    for (const std::int32_t position : positions_[head]) {
      const auto bit = static_cast<std::size_t>(position);
      bytes[front_bytes + head * bitmap + bit / 8] |= std::byte{1} << (bit % 8);
    }
  const std::uint64_t checksum = checksum_of(std::span(bytes).first(bytes.size() - checksum_bytes));
  Writer(bytes.data() + bytes.size() - checksum_bytes).put(checksum);
  return bytes;
}

Expected<KeptMap> KeptMap::parse(std::span<const std::byte> bytes, const EntryHeader& header) {
  if (bytes.size() != kept_map_bytes(header)) return broken_map("its length is not that of the entry's shape");
  if (Reader(bytes.last(checksum_bytes)).get<std::uint64_t>() !=
      checksum_of(bytes.first(bytes.size() - checksum_bytes)))
    return broken_map("it fails its checksum");
  Reader reader(bytes);
  const Digest128 key = header.key();
  if (reader.get<std::uint64_t>() != kept_map_magic || reader.get<std::uint32_t>() != kept_map_version)
    return broken_map("it does not begin with its signature");
  if (reader.get<std::int32_t>() != header.shape.layers || reader.get<std::int32_t>() != header.shape.kv_heads ||
      reader.get<std::uint64_t>() != header.token_ids.size() || reader.get<std::uint64_t>() != key.high ||
      reader.get<std::uint64_t>() != key.low)
    return broken_map("it belongs to another entry");
  KeptMap map;
  map.kv_heads_ = header.shape.kv_heads;
  const std::size_t bitmap = encoded_bitmap_bytes(header.token_ids.size());
  for (int head = 0; head < header.shape.layers * header.shape.kv_heads; ++head)
    if (!read_bitmap(reader.get_bytes(bitmap), 0, header.token_ids.size(), map.positions_.emplace_back()))
      return broken_map("it keeps tokens outside the context");
  if (!map.fits(header)) return broken_map("it keeps other rows than the entry");
  return map;
}

KeptIndices KeptMap::kept_below(int layer, std::int32_t tokens) const {
  KeptIndices kept;
  for (int h = 0; h < kv_heads_; ++h) {
    const auto& positions = positions_[static_cast<std::size_t>(layer * kv_heads_ + h)];
    kept.emplace_back(positions.begin(), std::ranges::lower_bound(positions, tokens));
  }
  return kept;
}

Digest128 kept_map_key(const Digest128& entry) {
  return DigestBuilder().add("map of kept tokens").add(entry.high).add(entry.low).finish();
}

Status write_kept_map(StorageTier& tier, const KvCache& stored, const EntryHeader& header) {
  const KeptMap map = KeptMap::of(stored);
  if (stored.shape() != header.shape || !map.fits(header) ||
      stored.sequence_length() != static_cast<std::int32_t>(header.token_ids.size()))
    return fail(ErrorCode::internal,
                "map of kept tokens: the entry was made from another cache; serialize this one first");
  auto bytes = std::make_shared<const std::vector<std::byte>>(map.bytes(header));
  CompletionQueue done(tier.clock());
  tier.submit_write(
      {.key = kept_map_key(header.key()), .bytes = bytes->size(), .header_bytes = 0, .label = "map of kept tokens"},
      bytes, done);
  return next_of(done).status;
}

Expected<KeptMap> read_kept_map(StorageTier& tier, BufferLender& lender, const EntryHeader& header) {
  const std::size_t bytes = kept_map_bytes(header);
  const Digest128 key = kept_map_key(header.key());
  const std::vector<ReadExtent> extents{ReadExtent{.offset = 0, .bytes = bytes, .pieces = {}}};
  KV_ASSIGN(auto buffers, buffers_for(tier, key, extents, lender));
  CompletionQueue done(tier.clock());
  tier.submit_read(key, extents, std::move(buffers), done);
  Completion completion = next_of(done);
  KV_TRY(completion.status);
  const ArrivedBytes arrived(completion);
  return KeptMap::parse(arrived.bytes().first(bytes), header);
}

}  // namespace kvantage::inline loading
