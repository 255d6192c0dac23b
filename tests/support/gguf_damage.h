// Random damage to GGUF files, and what a refusal must be.
#pragma once

#include "core/base/error.h"
#include "tests/support/damage.h"
#include "tests/support/gguf_writer.h"

namespace kvantage::test {

inline const std::vector<std::string> gguf_morsels{std::string(8, '\0'),
                                                   std::string(8, '\xff'),
                                                   gguf_number(std::uint64_t{1}),
                                                   gguf_number(std::uint64_t{1} << 63),
                                                   gguf_number(std::uint64_t{1} << 32),
                                                   gguf_number(std::uint32_t{8}),
                                                   gguf_number(std::uint32_t{9}),
                                                   gguf_number(std::uint32_t{32}),
                                                   gguf_text("general.alignment"),
                                                   gguf_text("a"),
                                                   "GGUF",
                                                   gguf_header(1, 1),
                                                   gguf_header(0, 0, 2),
                                                   gguf_key("x", 9)};

/// Numbers where a file has numbers: bytes are replaced one to four times by something that is as long as what it
/// replaces, so that the rest stays readable; every fourth file is damaged without that care.
inline std::string damaged_gguf(std::string bytes, Random& random) {
  if (random.below(4) == 0) return damaged(bytes, random, gguf_morsels);
  for (std::uint64_t hits = 1 + random.below(3); hits > 0; --hits) {
    const std::size_t at = random.below(bytes.size());
    switch (random.below(4)) {
      case 0:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 2:
        bytes[at] = static_cast<char>(random.below(16));
        break;
      default: {
        const std::string& morsel = gguf_morsels[random.below(gguf_morsels.size())];
        if (at + morsel.size() <= bytes.size()) bytes.replace(at, morsel.size(), morsel);
      }
    }
  }
  return bytes;
}

/// "NAME: what, why; how to fix" on one line of a length to read.
inline bool is_whole_refusal(const Error& error, const std::string& name) {
  const std::string& message = error.message;
  return error.code == ErrorCode::rejected_input && message.starts_with(name) &&
         message.find("; ") != std::string::npos && message.find('\n') == std::string::npos && message.size() < 2000;
}

}  // namespace kvantage::test
