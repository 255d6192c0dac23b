// Time cost of a request when part of its input is cached: loading the cached part, computing the rest.
//     service = sum over tiers (base + per_token * cached there) + prefill(input) - prefill(cached) + question(input)
// The difference of the two prefills includes attention over the loaded part. A question that follows the load of a
// whole input layer by layer hides behind it, or it behind the question. Models are fitted to a run or published.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/policy/types.h"

namespace kvantage::inline simulator {

/// seconds = base + per_token * tokens.
struct LoadLine {
  double base_seconds = 0, seconds_per_token = 0;
  double restore_seconds_per_token = 0;  // part of seconds_per_token: computing, once the bytes are there
  double seconds(double tokens) const { return base_seconds + seconds_per_token * tokens; }
};

/// The line of a fitted tier for uncompressed entries.
LoadLine load_line(const TierModel& model, double bytes_per_token);

struct CostModel {
  bool timed = false;          // false: only hit rates and bytes, all times are 0
  double bytes_per_token = 0;  // as stored
  PrefillModel prefill;
  QuestionModel question;
  std::vector<LoadLine> tiers;  // fastest first
  double kept_tokens = 1;       // share of cached tokens that are kept: the question attends to them
  double seconds_per_output_token =
      0;  // server time per answer token after the first; 0: answers do not block the server

  /// `held`: cached tokens by tier, from the input's start, before compression. Never below 0.
  double service_seconds(double input_tokens, std::span<const double> held) const {
    if (!timed) return 0;
    const auto whole = std::ranges::find_if(held, [&](double tokens) { return tokens > 0 && tokens >= input_tokens; });
    if (whole != held.end() && question.following_layers)
      return whole_load_seconds(tiers[static_cast<std::size_t>(whole - held.begin())], input_tokens, *whole);
    double seconds = 0, loaded = 0;
    for (std::size_t tier = 0; tier < held.size(); ++tier) {
      if (held[tier] <= 0) continue;
      seconds += tiers[tier].seconds(held[tier]);
      loaded += held[tier];
    }
    seconds += question.seconds(input_tokens - loaded * (1 - kept_tokens));
    if (loaded < input_tokens) {
      const double computed = prefill.seconds(input_tokens) - (loaded > 0 ? prefill.seconds(loaded) : 0);
      seconds += computed > 0 ? computed : 0;
    }
    return seconds > 0 ? seconds : 0;
  }

 private:
  double whole_load_seconds(const LoadLine& line, double input_tokens, double held) const {
    const double restoring = line.restore_seconds_per_token * held;
    const double computing = restoring + question.seconds(input_tokens - held * (1 - kept_tokens));
    const double transfer = line.seconds(held) - line.base_seconds - restoring;
    return std::max(0.0, line.base_seconds + question.seconds_with_load(transfer, computing));
  }
};

}  // namespace kvantage::inline simulator
