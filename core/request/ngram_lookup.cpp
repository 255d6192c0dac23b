#include "core/request/ngram_lookup.h"

#include <algorithm>
#include <bit>

namespace kvantage::inline requests {
namespace {

constexpr std::size_t least_places = std::size_t{1} << 10, most_places = std::size_t{1} << 18;

}  // namespace

std::int32_t& NgramLookup::Index::at(std::span<const std::int32_t> key) {
  std::uint64_t hash = 0;
  for (const std::int32_t token : key) {
    hash = (hash ^ static_cast<std::uint32_t>(token)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  }
  return places[hash & (places.size() - 1)];
}

std::span<const std::int32_t> NgramLookup::ngram(std::size_t end, std::size_t length) const {
  return std::span(tokens_).subspan(end + 1 - length, length);
}

void NgramLookup::index_before(std::size_t end) {
  if (indices_.empty()) {
    // Twice as many places as n-grams: one place keeps the latest of those that share it. The answer grows into it.
    const std::size_t places = std::clamp(std::bit_ceil(2 * tokens_.size()), least_places, most_places);
    indices_.assign(static_cast<std::size_t>(longest_), Index{std::vector<std::int32_t>(places, -1)});
  }
  for (; indexed_ < end; ++indexed_)
    for (std::size_t length = 1; length <= indices_.size() && length <= indexed_ + 1; ++length)
      indices_[length - 1].at(ngram(indexed_, length)) = static_cast<std::int32_t>(indexed_);
}

DraftTokens NgramLookup::next(int most) {
  DraftTokens draft;
  if (tokens_.size() < 2 || most < 1) return draft;
  const std::size_t last = tokens_.size() - 1;
  index_before(last);
  for (std::size_t length = std::min(indices_.size(), last); length > 0 && draft.matched == 0; --length) {
    const auto latest = ngram(last, length);
    const std::int32_t found = indices_[length - 1].at(latest);
    if (found < 0) continue;
    const auto place = static_cast<std::size_t>(found);
    if (!std::ranges::equal(ngram(place, length), latest)) continue;  // another one of the same hash
    std::size_t matched = length;
    while (matched < longest_counted && matched <= place && tokens_[place - matched] == tokens_[last - matched])
      ++matched;
    draft.matched = static_cast<int>(matched);
    draft.tokens.reserve(static_cast<std::size_t>(most));
    for (std::size_t from = place + 1; draft.tokens.size() < static_cast<std::size_t>(most); ++from)
      draft.tokens.push_back(from <= last ? tokens_[from] : draft.tokens[from - last - 1]);
  }
  return draft;
}

}  // namespace kvantage::inline requests
