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
  /// Text that is encoded at once: more than the longest contexts of models.
  static constexpr std::uint64_t max_given_bytes = std::uint64_t{4} << 20;
  /// Text after a stage: at most 64 times the given text plus 1 MiB; above 16 MiB, at most 4 times. Summed
  /// over the sections between added tokens.
  static constexpr std::uint64_t growth = 64, large_growth = 4, spare_bytes = std::uint64_t{1} << 20,
                                 max_bytes = std::uint64_t{1} << 24;
  /// Pieces that it is cut into: each takes more memory than a letter.
  static constexpr std::size_t max_pieces = std::size_t{1} << 23;
  /// Steps of matching: at most 1000 per byte of the given text plus 10 million.
  static constexpr std::uint64_t steps_per_byte = 1000, spare_steps = 10'000'000;

  /// `text_bytes`: size of the whole text that is given to the encoder.
  explicit EncodingBudget(std::size_t text_bytes);
  /// Of decoding tokens with so many bytes, which is done again for each token of an answer: less is to spare.
  static EncodingBudget of_decoding(std::size_t token_bytes);

  /// rejected_input for a text that is too long to be encoded at once.
  static Status check_given(std::uint64_t bytes);
  /// rejected_input naming `stage` for more than max_pieces.
  static Status check_pieces(std::uint64_t pieces, const std::string& stage);

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
  EncodingBudget(std::uint64_t bytes, std::uint64_t steps) : bytes_(bytes), steps_(steps) {}
  std::uint64_t bytes_, steps_;
};

}  // namespace kvantage::inline text
