// What fuzzers share: each is one function of a text that somebody else wrote, and ends the process where a promise of
// the parser does not hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace kvantage::test {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
inline std::vector<std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  const auto* const from = reinterpret_cast<const std::byte*>(data);
  return {from, from + size};
}

inline void must_hold(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

inline void check_refusal(const Error& error) { must_hold(!error.message.empty(), "an error says something"); }
/// Of a file: also one line, whatever the file holds.
inline void check_file_refusal(const Error& error) {
  check_refusal(error);
  must_hold(error.message.find('\n') == std::string::npos, "an error is one line");
}

/// Writes the checksum of the first `end` bytes behind them, so that a parser does not stop there.
inline void mend_checksum(std::span<std::byte> bytes, std::size_t end) {
  if (end + sizeof(std::uint64_t) > bytes.size()) return;
  const std::uint64_t checksum = checksum_of(bytes.first(end));
  std::memcpy(bytes.data() + end, &checksum, sizeof checksum);
}

template <class Number>
Number number_at(std::span<const std::byte> bytes, std::size_t at) {
  Number number = 0;
  if (at + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

}  // namespace kvantage::test
