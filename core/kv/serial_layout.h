// Arithmetic of the serial form, shared by its writer and readers: offset and length of each extent.
#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <type_traits>

#include "core/kv/serial.h"

namespace kvantage::serial {

static_assert(std::endian::native == std::endian::little, "the serial form has the byte order of memory");

inline constexpr std::uint64_t magic = 0x0059'5254'4E45'564B;  // "KVENTRY" and a zero byte
/// 1: unencoded rows. 2: encoded rows; the codec's name follows the method's.
inline constexpr std::uint32_t version_as_held = 1;
inline constexpr std::uint32_t version_encoded = 2;
/// magic, version, bytes of the codec's name (0 in version 1), header_bytes, checksum of these 24 bytes.
inline constexpr std::size_t prefix_bytes = 32;
inline constexpr std::size_t codec_bytes_at = 12;
/// prefix, identity, shape and counts, up to the method's name.
inline constexpr std::size_t fixed_bytes = prefix_bytes + 4 * 8 + 3 * 4 + 4 * 4 + 3 * 4 + 5 * 8;
inline constexpr std::size_t extent_record_bytes = 32;
inline constexpr std::size_t checksum_bytes = 8;  // the last 8 bytes of the padded header, over all bytes before them
inline constexpr std::size_t bitmap_bytes = extent_chunk_positions / 8;
/// Far beyond any header: a context of 16 million tokens has 64 MiB of token ids.
inline constexpr std::uint64_t max_header_bytes = std::uint64_t{1} << 30;

inline std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + entry_alignment - 1) / entry_alignment * entry_alignment;
}

inline std::size_t bitmaps_bytes(const KvShape& shape) {
  return static_cast<std::size_t>(shape.kv_heads) * bitmap_bytes;
}

/// text_bytes: of the method's and the codec's names.
inline std::uint64_t header_bytes(std::size_t text_bytes, std::size_t tokens, std::size_t extents) {
  return padded(fixed_bytes + text_bytes + tokens * sizeof(std::int32_t) + extents * extent_record_bytes +
                checksum_bytes);
}

/// Writes plain values sequentially; the caller provides a large enough target.
class Writer {
 public:
  explicit Writer(std::byte* target) : at_(target) {}
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(T value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  void put_bytes(std::span<const std::byte> bytes) {
    if (!bytes.empty()) std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }

 private:
  std::byte* at_;
};

/// Reads the output of Writer; the caller checks left() before each read.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::size_t left() const { return bytes_.size(); }
  template <class T>
  requires std::is_arithmetic_v<T> T get() {
    T value{};
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }
  std::span<const std::byte> get_bytes(std::size_t count) {
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace kvantage::serial
