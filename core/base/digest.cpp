#include "core/base/digest.h"

#include <xxhash.h>

#include <charconv>
#include <cstdio>

#include "core/base/json.h"

namespace kvantage {

std::string Digest128::hex() const {
  char buffer[33];
  std::snprintf(buffer, sizeof buffer, "%016llx%016llx", static_cast<unsigned long long>(high),
                static_cast<unsigned long long>(low));
  return buffer;
}

Expected<Digest128> Digest128::from_hex(std::string_view text) {
  Digest128 digest;
  if (text.size() == 32) {
    const auto* begin = text.data();
    const auto high_end = std::from_chars(begin, begin + 16, digest.high, 16);
    const auto low_end = std::from_chars(begin + 16, begin + 32, digest.low, 16);
    if (high_end.ec == std::errc{} && high_end.ptr == begin + 16 && low_end.ec == std::errc{} &&
        low_end.ptr == begin + 32)
      return digest;
  }
  return fail(ErrorCode::rejected_input,
              "digest '" + printable(text) + "': not 32 hexadecimal digits; correct its value");
}

Digest128 digest_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

Digest128 digest_of(std::string_view text) { return digest_of(std::as_bytes(std::span(text))); }

std::uint64_t checksum_of(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

struct DigestBuilder::State {
  XXH3_state_t* hasher = XXH3_createState();
  State() { XXH3_128bits_reset(hasher); }
  ~State() { XXH3_freeState(hasher); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

DigestBuilder::DigestBuilder() : state_(std::make_unique<State>()) {}
DigestBuilder::~DigestBuilder() = default;
DigestBuilder::DigestBuilder(DigestBuilder&&) noexcept = default;
DigestBuilder& DigestBuilder::operator=(DigestBuilder&&) noexcept = default;

DigestBuilder& DigestBuilder::add(std::span<const std::byte> bytes) {
  add(static_cast<std::uint64_t>(bytes.size()));
  XXH3_128bits_update(state_->hasher, bytes.data(), bytes.size());
  return *this;
}

DigestBuilder& DigestBuilder::add(std::string_view text) { return add(std::as_bytes(std::span(text))); }

DigestBuilder& DigestBuilder::add(std::uint64_t number) {
  XXH3_128bits_update(state_->hasher, &number, sizeof number);
  return *this;
}

DigestBuilder& DigestBuilder::add_raw(std::string_view bytes) {
  XXH3_128bits_update(state_->hasher, bytes.data(), bytes.size());
  return *this;
}

Digest128 DigestBuilder::finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->hasher);
  return {hash.high64, hash.low64};
}

}  // namespace kvantage
