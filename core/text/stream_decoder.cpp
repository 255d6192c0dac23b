#include "core/text/tokenizer.h"

namespace kvantage::inline text {

StreamDecoder::StreamDecoder(std::shared_ptr<const Tokenizer> tokenizer, bool skip_special)
    : tokenizer_(std::move(tokenizer)), skip_special_(skip_special) {}

std::string StreamDecoder::push(std::int32_t id) {
  ids_.push_back(id);
  // Decoding with the last shown tokens as a prefix preserves context effects, such as the first token's space.
  const std::span<const std::int32_t> all_ids(ids_);
  const std::string before = tokenizer_->decode(all_ids.first(shown_ids_), skip_special_);
  std::string all = tokenizer_->decode(all_ids, skip_special_);
  if (all.ends_with("\xEF\xBF\xBD") || all.size() <= before.size()) return {};  // possibly a partial character
  std::string fresh = all.starts_with(before) ? all.substr(before.size())
                                              : tokenizer_->decode(all_ids.subspan(shown_ids_), skip_special_);
  ids_.erase(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(shown_ids_));
  shown_ids_ = ids_.size();
  return fresh;
}

std::string StreamDecoder::finish() {
  const std::span<const std::int32_t> all_ids(ids_);
  const std::string before = tokenizer_->decode(all_ids.first(shown_ids_), skip_special_);
  const std::string all = tokenizer_->decode(all_ids, skip_special_);
  std::string rest = all.starts_with(before) ? all.substr(before.size())
                                             : tokenizer_->decode(all_ids.subspan(shown_ids_), skip_special_);
  ids_.clear();
  shown_ids_ = 0;
  return rest;
}

}  // namespace kvantage::inline text
