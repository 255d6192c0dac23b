#include <algorithm>
#include <cstring>

#include "core/base/digest.h"
#include "core/kv/codecs/codecs.h"

namespace kvantage::inline codecs {
namespace {

constexpr std::size_t chunk_checksum_bytes = sizeof(std::uint64_t);

/// Plain rows in chunks of `length` tokens, each followed by its XXH3, so that a reader can take some chunks of a head
/// and verify them (core/kv/token_chunks.h).
class TokenChunksCodec final : public Codec {
 public:
  TokenChunksCodec(std::string text, int length) : text_(std::move(text)), length_(length) {}

  std::string text() const override { return text_; }
  bool is_lossless() const override { return true; }
  int chunk_tokens() const override { return length_; }
  std::optional<std::uint64_t> encoded_bytes(const CodecRows& rows) const override { return max_bytes(rows); }
  std::uint64_t max_bytes(const CodecRows& rows) const override {
    const auto count = static_cast<std::size_t>(std::max(rows.count, 0)), length = static_cast<std::size_t>(length_);
    return rows.bytes() + (count + length - 1) / length * chunk_checksum_bytes;
  }

  Status encode(const CodecRows& rows, std::span<const std::byte> data, std::vector<std::byte>& out) const override {
    KV_TRY(check_buffers(rows, data.size()));
    out.reserve(out.size() + static_cast<std::size_t>(max_bytes(rows)));
    for (std::size_t at = 0; at < data.size(); at += chunk_bytes(rows)) {
      const auto chunk = data.subspan(at, std::min(chunk_bytes(rows), data.size() - at));
      const std::uint64_t checksum = checksum_of(chunk);
      out.insert(out.end(), chunk.begin(), chunk.end());
      const auto bytes = std::as_bytes(std::span(&checksum, 1));
      out.insert(out.end(), bytes.begin(), bytes.end());
    }
    return {};
  }

  Status decode(const CodecRows& rows, std::span<const std::byte> bytes, std::span<std::byte> data) const override {
    KV_TRY(check_buffers(rows, data.size()));
    if (bytes.size() != max_bytes(rows)) return broken_rows(text_, "length does not fit its rows");
    while (!data.empty()) {
      const std::size_t size = std::min(chunk_bytes(rows), data.size());
      std::uint64_t checksum = 0;
      std::memcpy(&checksum, bytes.data() + size, chunk_checksum_bytes);
      if (checksum_of(bytes.first(size)) != checksum) return broken_rows(text_, "a chunk fails its checksum");
      std::ranges::copy(bytes.first(size), data.begin());
      bytes = bytes.subspan(size + chunk_checksum_bytes);
      data = data.subspan(size);
    }
    return {};
  }

 private:
  std::size_t chunk_bytes(const CodecRows& rows) const {
    return static_cast<std::size_t>(length_) * rows.shape.bytes_per_row();
  }

  std::string text_;
  int length_;
};

}  // namespace

Expected<std::shared_ptr<const Codec>> make_token_chunks(const Parameters& parameters) {
  KV_ASSIGN(const auto length, parameters.integer("length", 1, 65536));
  return std::make_shared<TokenChunksCodec>(parameters.canonical_text(), static_cast<int>(length));
}

}  // namespace kvantage::inline codecs
