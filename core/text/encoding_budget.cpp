#include "core/text/encoding_budget.h"

#include <algorithm>

#include "core/base/units.h"

namespace kvantage::inline text {

EncodingBudget::EncodingBudget(std::size_t text_bytes)
    : EncodingBudget(
          std::max<std::uint64_t>(std::min(growth * text_bytes + spare_bytes, max_bytes), large_growth * text_bytes),
          steps_per_byte * text_bytes + spare_steps) {}

EncodingBudget EncodingBudget::of_decoding(std::size_t token_bytes) {
  constexpr std::uint64_t spare = 100'000;  // of bytes, and of steps
  return {std::max<std::uint64_t>(std::min(growth * token_bytes + spare, max_bytes), large_growth * token_bytes),
          steps_per_byte * token_bytes + spare};
}

Status EncodingBudget::check_given(std::uint64_t bytes) {
  if (bytes <= max_given_bytes) return {};
  return fail(ErrorCode::rejected_input, "text of " + format_bytes(bytes) + ": is too long to be tokenized, at most " +
                                             format_bytes(max_given_bytes) + " are taken at once; give a shorter one");
}

Status EncodingBudget::check_pieces(std::uint64_t pieces, const std::string& stage) {
  if (pieces <= max_pieces) return {};
  return fail(ErrorCode::rejected_input, stage + ": cuts the text into more than " + std::to_string(max_pieces) +
                                             " pieces; correct the tokenizer's file or give a shorter text");
}

Status EncodingBudget::check_size(std::uint64_t bytes, const std::string& stage) const {
  if (bytes <= bytes_) return {};
  return fail(ErrorCode::rejected_input, stage + ": makes " + format_bytes(bytes) + " of the text, more than the " +
                                             format_bytes(bytes_) +
                                             " that its size allows; correct the tokenizer's file");
}

Status EncodingBudget::take_bytes(std::uint64_t bytes, const std::string& stage) {
  KV_TRY(check_size(bytes, stage));
  bytes_ -= bytes;
  return {};
}

Status EncodingBudget::take_pass(std::uint64_t bytes, const std::string& stage) {
  if (bytes > steps_)
    return fail(ErrorCode::rejected_input, stage +
                                               ": the stages pass over the text too often (more than 1000 steps per "
                                               "byte); correct the tokenizer's file or give another text");
  steps_ -= bytes;
  return {};
}

}  // namespace kvantage::inline text
