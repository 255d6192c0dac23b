// What one call of an encoder may use. A tokenizer.json is a stranger's file: its regular expressions may need
// exponential time and its normalizers may grow a text without bound. Both limits are linear in the text, so that real
// tokenizers stay far below them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.h"

namespace kvantage::inline text {

class EncodingBudget {
 public:
  /// Text after a stage: at most 64 times the given text plus 1 MiB; above 128 MiB, at most 8 times. Summed
  /// over the sections between added tokens.
  static constexpr std::uint64_t growth = 64, large_growth = 8, spare_bytes = std::uint64_t{1} << 20,
                                 max_bytes = std::uint64_t{1} << 27;
  /// Steps of matching: at most 1000 per byte of the given text plus 10 million.
  static constexpr std::uint64_t steps_per_byte = 1000, spare_steps = 10'000'000;

  /// `text_bytes`: size of the whole text that is given to the encoder.
  explicit EncodingBudget(std::size_t text_bytes);

  /// rejected_input naming `stage` when a text of this size exceeds what is left.
  Status check_size(std::uint64_t bytes, const std::string& stage) const;
  /// The same, and less is left for the rest of the text.
  Status take_bytes(std::uint64_t bytes, const std::string& stage);
  /// A pass over `bytes` of text. rejected_input naming `stage` when no steps are left.
  Status take_pass(std::uint64_t bytes, const std::string& stage);

  std::uint64_t steps_left() const { return steps_; }
  /// At most what is left.
  void take_steps(std::uint64_t steps) { steps_ -= steps < steps_ ? steps : steps_; }

 private:
  std::uint64_t bytes_, steps_;
};

}  // namespace kvantage::inline text
