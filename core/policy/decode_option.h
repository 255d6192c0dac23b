// Ways to decode an answer (decode-time eviction at a budget, or none) as profiled on one context, and the plan's
// choice among them. Time to first token and frequency are the same for all, so the utility of placement,
//     (alpha * quality - seconds) * frequency,
// is largest where alpha * quality - seconds of decoding is.
#pragma once

#include <span>
#include <string>

namespace kvantage::inline policy {

/// Measured over the context's uncompressed cache, one answer at a time, on n profile questions; n = 0: the model
/// cannot decode that way.
struct DecodeOption {
  std::string option = "none";               // text of decode-time eviction, "paged_eviction(budget=25%)"
  double quality = 0;                        // mean of the metric that enters the utility, 0..1
  double quality_low = 0, quality_high = 0;  // 95 % interval
  int n = 0;
  double inter_token_seconds = 0;  // mean over all gaps between two answer tokens
  double gaps_per_answer = 0;      // mean
  double expected_quality = -1;    // on future questions (quality_pool.h); below 0: unknown
  double estimate() const { return expected_quality >= 0 ? expected_quality : quality; }
  /// Mean, from the first to the last answer token.
  double decode_seconds() const { return inter_token_seconds * gaps_per_answer; }
  bool operator==(const DecodeOption&) const = default;
};

/// The measured option of the highest utility; the first of equal ones. Null: none is measured.
const DecodeOption* best_decode_option(std::span<const DecodeOption> options, double alpha);

}  // namespace kvantage::inline policy
