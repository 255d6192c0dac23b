#include "core/text/text_pattern.h"

#include "core/base/find_text.h"

namespace kvantage::inline text {

Expected<TextPattern> TextPattern::parse(const Json& json, const std::string& name) {
  TextPattern pattern;
  if (json.is_object() && json.contains("Regex")) {
    KV_ASSIGN(auto source, json_field<std::string>(json, "Regex", name));
    KV_ASSIGN(auto regex, Regex::compile(source, name));
    pattern.regex_ = std::move(regex);
    return pattern;
  }
  KV_ASSIGN(auto literal, json_field<std::string>(json, "String", name));
  pattern.literal_ = std::move(literal);
  return pattern;
}

Expected<std::vector<TextRange>> TextPattern::find_all(std::string_view text, EncodingBudget& budget) const {
  if (regex_) return regex_->find_all(text, budget);
  std::vector<TextRange> ranges;
  if (literal_.empty()) return ranges;
  for (std::size_t at = find_text(text, literal_); at != std::string_view::npos;
       at = find_text(text, literal_, at + literal_.size()))
    ranges.push_back({at, at + literal_.size()});
  return ranges;
}

Status TextPattern::replace_all(std::string& text, std::string_view content, EncodingBudget& budget,
                                const std::string& stage) const {
  KV_ASSIGN(const auto ranges, find_all(text, budget));
  if (ranges.empty()) return {};
  std::uint64_t size = text.size();
  for (const TextRange& range : ranges) size -= range.end - range.begin;
  size += std::uint64_t{ranges.size()} * content.size();
  KV_TRY(budget.check_size(size, stage));
  std::string result;
  result.reserve(size);
  std::size_t done = 0;
  for (const TextRange& range : ranges) {
    result.append(text, done, range.begin - done);
    result += content;
    done = range.end;
  }
  result.append(text, done, std::string::npos);
  text = std::move(result);
  return {};
}

}  // namespace kvantage::inline text
