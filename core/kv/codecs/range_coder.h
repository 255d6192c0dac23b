// A range coder of 16-bit frequencies: the arithmetic coder of CacheGen's bitstreams.
//
// State: an interval [low, low + range) of 64 bits. A symbol with frequencies [begin, end) of 65536 narrows it to its
// share; the last symbol also gets the rounding remainder. When fewer than 32 bits of range remain, 32 bits are output.
// A carry out of `low` propagates back through bytes already written.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace kvantage::inline codecs {

inline constexpr unsigned frequency_bits = 16;
inline constexpr std::uint32_t frequency_total = 1U << frequency_bits;

class RangeEncoder {
 public:
  /// Appends to `out`; earlier bytes are unchanged.
  explicit RangeEncoder(std::vector<std::byte>& out) : out_(out), begin_(out.size()) {}

  /// begin < end <= frequency_total.
  void put(std::uint32_t begin, std::uint32_t end) {
    const std::uint64_t unit = range_ >> frequency_bits;
    const std::uint64_t before = low_;
    low_ += unit * begin;
    if (low_ < before) carry();
    range_ = end == frequency_total ? range_ - unit * begin : unit * (end - begin);
    if (range_ < (std::uint64_t{1} << 32)) {
      put_word(static_cast<std::uint32_t>(low_ >> 32));
      low_ <<= 32;
      range_ <<= 32;
    }
  }
  /// Writes the fewest whole bytes that decode alike for any continuation: a decoder reads zeros past the end.
  void finish() {
    // Some multiple of 2^k is in the interval; searching from the top finds the one with the fewest bytes.
    for (int bits = 56; bits >= 0; bits -= 8) {
      const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
      const std::uint64_t rounded = (low_ + mask) & ~mask;
      const bool wrapped = rounded < low_;
      if (rounded - low_ >= range_) continue;  // also correct after wraparound
      if (wrapped) carry();
      low_ = rounded;
      for (int shift = 56; shift >= bits; shift -= 8) out_.push_back(static_cast<std::byte>(low_ >> shift));
      return;
    }
  }

 private:
  void put_word(std::uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) out_.push_back(static_cast<std::byte>(word >> shift));
  }
  void carry() {
    for (std::size_t at = out_.size(); at > begin_; --at) {
      std::byte& byte = out_[at - 1];
      byte = static_cast<std::byte>(static_cast<unsigned>(byte) + 1U);
      if (byte != std::byte{0}) return;
    }
  }

  std::vector<std::byte>& out_;
  std::size_t begin_;
  std::uint64_t low_ = 0;
  std::uint64_t range_ = ~std::uint64_t{0};
};

class RangeDecoder {
 public:
  explicit RangeDecoder(std::span<const std::byte> bytes) : bytes_(bytes) {
    code_ = get_word();
    code_ = code_ << 32 | get_word();
  }

  /// Position in [0, 65536) of the next symbol; take() with that symbol's frequencies must follow.
  std::uint32_t peek() {
    unit_ = range_ >> frequency_bits;
    const std::uint64_t at = code_ / unit_;
    return at < frequency_total ? static_cast<std::uint32_t>(at) : frequency_total - 1;
  }
  void take(std::uint32_t begin, std::uint32_t end) {
    code_ -= unit_ * begin;
    range_ = end == frequency_total ? range_ - unit_ * begin : unit_ * (end - begin);
    if (range_ < (std::uint64_t{1} << 32)) {
      code_ = code_ << 32 | get_word();
      range_ <<= 32;
    }
  }
  /// Whether all meaningful bytes are consumed.
  bool at_end() const { return at_ >= bytes_.size(); }

 private:
  std::uint32_t get_word() {
    std::uint32_t word = 0;
    if (bytes_.size() - at_ >= sizeof word) {
      std::memcpy(&word, bytes_.data() + at_, sizeof word);
      at_ += sizeof word;
      return __builtin_bswap32(word);
    }
    for (int shift = 24; shift >= 0 && at_ < bytes_.size(); shift -= 8)
      word |= static_cast<std::uint32_t>(bytes_[at_++]) << shift;
    return word;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::uint64_t code_ = 0;  // the encoder's number minus `low`
  std::uint64_t range_ = ~std::uint64_t{0};
  std::uint64_t unit_ = 1;
};

/// Writes bits, little end first.
class BitWriter {
 public:
  explicit BitWriter(std::vector<std::byte>& out) : out_(out) {}
  void put(std::uint32_t value, int bits) {
    held_ |= static_cast<std::uint64_t>(value) << count_;
    for (count_ += bits; count_ >= 8; count_ -= 8, held_ >>= 8) out_.push_back(static_cast<std::byte>(held_));
  }
  /// Elias gamma code of a number, at least 1.
  void put_gamma(std::uint32_t value) {
    const int more = std::bit_width(value) - 1;
    put(1U << more, more + 1);
    put(value - (1U << more), more);
  }
  void finish() {
    if (count_ > 0) out_.push_back(static_cast<std::byte>(held_));
    held_ = 0;
    count_ = 0;
  }

 private:
  std::vector<std::byte>& out_;
  std::uint64_t held_ = 0;
  int count_ = 0;
};

class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  /// Decodes a gamma code below 2^16; 0 when there is none.
  std::uint32_t get_gamma() {
    int more = 0;
    while (true) {
      if (at_ >= bytes_.size() * 8 || more > 15) return 0;
      if (bit() != 0) break;
      ++more;
    }
    if (bytes_.size() * 8 - at_ < static_cast<std::size_t>(more)) return 0;
    std::uint32_t value = 1U << more;
    for (int i = 0; i < more; ++i) value |= bit() << i;
    return value;
  }
  /// Whole bytes read so far.
  std::size_t bytes_read() const { return (at_ + 7) / 8; }

 private:
  std::uint32_t bit() {
    const auto value = static_cast<std::uint32_t>(bytes_[at_ / 8]) >> (at_ % 8) & 1U;
    ++at_;
    return value;
  }
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;  // bits
};

}  // namespace kvantage::inline codecs
