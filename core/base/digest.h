// Digests (XXH3): identity of models, workloads and contexts (128 bits), checksums of stored bytes (64 bits).
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage {

struct Digest128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const Digest128&) const = default;
  /// 32 lower-case hexadecimal digits.
  std::string hex() const;
  /// Reads what hex() wrote; rejected_input otherwise.
  static Expected<Digest128> from_hex(std::string_view text);
};

Digest128 digest_of(std::span<const std::byte> bytes);
Digest128 digest_of(std::string_view text);
/// XXH3 of 64 bits, the checksum of extents and records.
std::uint64_t checksum_of(std::span<const std::byte> bytes);

/// A digest over several parts. Each part's length is hashed too, so ("ab","c") and ("a","bc") differ.
class DigestBuilder {
 public:
  DigestBuilder();
  ~DigestBuilder();
  DigestBuilder(DigestBuilder&&) noexcept;
  DigestBuilder& operator=(DigestBuilder&&) noexcept;
  DigestBuilder& add(std::span<const std::byte> bytes);
  DigestBuilder& add(std::string_view text);
  DigestBuilder& add(std::uint64_t number);
  /// Without a length: of such parts alone, finish() is digest_of() all of them in a row.
  DigestBuilder& add_raw(std::string_view bytes);
  Digest128 finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kvantage

template <>
struct std::hash<kvantage::Digest128> {
  std::size_t operator()(const kvantage::Digest128& digest) const noexcept { return digest.low; }
};
