#include "core/text/encoding_budget.h"

#include <algorithm>

#include "core/base/units.h"

namespace kvantage::inline text {

EncodingBudget::EncodingBudget(std::size_t text_bytes)
    : bytes_(
          std::max<std::uint64_t>(std::min(growth * text_bytes + spare_bytes, max_bytes), large_growth * text_bytes)),
      steps_(steps_per_byte * text_bytes + spare_steps) {}

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
