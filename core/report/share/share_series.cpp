#include "core/report/share/share_series.h"

#include <algorithm>
#include <array>

namespace kvantage::inline share {

std::vector<ShareSample> thinned(std::vector<ShareSample> samples, std::size_t limit) {
  if (samples.size() <= limit) return samples;
  const std::size_t periods = std::max<std::size_t>(1, (limit - 1) / 3);
  const double from = samples.front().seconds, length = samples.back().seconds - from;
  const auto period_of = [&](const ShareSample& sample) {
    if (!(length > 0)) return std::size_t{0};
    const double part = std::max(0.0, (sample.seconds - from) / length) * static_cast<double>(periods);
    return std::min(static_cast<std::size_t>(part), periods - 1);
  };
  std::vector<ShareSample> kept;
  kept.reserve(limit);
  kept.push_back(samples.front());
  for (std::size_t begin = 0; begin < samples.size();) {
    const std::size_t period = period_of(samples[begin]);
    std::size_t end = begin, lowest = begin, highest = begin;
    for (; end < samples.size() && period_of(samples[end]) == period; ++end) {
      if (samples[end].value < samples[lowest].value) lowest = end;
      if (samples[end].value > samples[highest].value) highest = end;
    }
    std::array<std::size_t, 3> places{lowest, highest, end - 1};
    std::ranges::sort(places);
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i] > 0 && (i == 0 || places[i] != places[i - 1])) kept.push_back(samples[places[i]]);
    begin = end;
  }
  return kept;
}

std::vector<std::size_t> spread(std::size_t count, std::size_t limit) {
  std::vector<std::size_t> places;
  places.reserve(std::min(count, limit));
  if (count <= limit) {
    for (std::size_t i = 0; i < count; ++i) places.push_back(i);
    return places;
  }
  const double step = static_cast<double>(count - 1) / static_cast<double>(limit - 1);
  for (std::size_t i = 0; i + 1 < limit; ++i) places.push_back(static_cast<std::size_t>(static_cast<double>(i) * step));
  places.push_back(count - 1);
  return places;
}

}  // namespace kvantage::inline share
