#include "ui/live/frontier/model/pareto_envelope.h"

#include <algorithm>
#include <cmath>

namespace kvantage {

std::vector<FrontierSample> pareto_envelope(const std::vector<FrontierSample>& samples) {
  std::vector<FrontierSample> sorted = samples;
  std::erase_if(sorted, [](const FrontierSample& sample) {
    return !(sample.mean.ttft_seconds > 0) || !std::isfinite(sample.mean.ttft_seconds) ||
           !std::isfinite(sample.mean.quality);
  });
  std::sort(sorted.begin(), sorted.end(), [](const FrontierSample& a, const FrontierSample& b) {
    if (a.mean.ttft_seconds != b.mean.ttft_seconds) return a.mean.ttft_seconds < b.mean.ttft_seconds;
    if (a.mean.quality != b.mean.quality) return a.mean.quality > b.mean.quality;
    return a.alpha < b.alpha;
  });
  std::vector<FrontierSample> envelope;
  envelope.reserve(sorted.size());
  for (const FrontierSample& sample : sorted)
    if (envelope.empty() || sample.mean.quality > envelope.back().mean.quality) envelope.push_back(sample);
  return envelope;
}

}  // namespace kvantage
