// Fitted costs that predictions rest on.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace kvantage::inline policy {

/// seconds = latency + stored_bytes / bandwidth + decode_seconds_per_token * kept tokens. Fitted per tier.
struct TierModel {
  double latency_seconds = 0;  // of the device, and what unpacking takes however few tokens are kept
  double bytes_per_second = 1;
  double decode_seconds_per_token = 0;  // unpacking into the model's blocks
  double residual_seconds = 0;          // root mean square of the fit
  double seconds(double stored_bytes, double kept_tokens) const {
    return latency_seconds + stored_bytes / bytes_per_second + decode_seconds_per_token * kept_tokens;
  }
};

/// Context prefill: a + b * tokens + c * tokens^2 (projections are linear, attention is quadratic).
struct PrefillModel {
  double base_seconds = 0;
  double seconds_per_token = 0;
  double seconds_per_token_squared = 0;
  double seconds(double tokens) const {
    return base_seconds + seconds_per_token * tokens + seconds_per_token_squared * tokens * tokens;
  }
};

/// Of two kinds of work on layers, the second of each layer after its first: but for a layer, the shorter hides behind
/// the longer.
inline double pipelined_seconds(double first_seconds, double second_seconds, int layers) {
  return std::max(first_seconds, second_seconds) + std::min(first_seconds, second_seconds) / layers;
}

/// Question prefill up to the first answer token over `kept` cached tokens.
struct QuestionModel {
  double base_seconds = 0;
  double seconds_per_kept_token = 0;
  /// Layers that are computed as they arrive, so that of loading and computing one hides behind the other but for a
  /// layer; nothing: the question waits for the whole entry.
  std::optional<int> following_layers = {};
  double seconds(double kept) const { return base_seconds + seconds_per_kept_token * kept; }
  /// Of a transfer without its latency, and of restoring its entry and computing the question.
  double seconds_with_load(double transfer_seconds, double computing_seconds) const {
    return following_layers && *following_layers > 0
               ? pipelined_seconds(transfer_seconds, computing_seconds, *following_layers)
               : transfer_seconds + computing_seconds;
  }
  bool operator==(const QuestionModel&) const = default;
};

/// At least what an entry takes whose rows are encoded and whose heads keep so many tokens in the mean: a line above
/// the sizes, as codecs keep some of the newest tokens plain. Layers with a sliding window count as full, so that texts
/// shorter than their windows take less.
struct EncodedSize {
  double fixed_bytes = 0;
  double bytes_per_token = 0;  // kept, over all layers and heads
  double bytes(double kept_tokens) const { return fixed_bytes + bytes_per_token * kept_tokens; }
  bool operator==(const EncodedSize&) const = default;
};

/// Decoding cost that a method adds to a load of plain rows. Below 0 where a published row of a form is faster.
struct CodecCost {
  std::string method;
  double seconds_per_token = 0;  // of kept tokens
  int tier = -1;                 // below 0: all tiers
  double removed_fraction = -1;  // below 0: all fractions
  double base_seconds = 0;
  /// Layers of an entry that are restored as they arrive, so that of restoring and loading one hides behind the other
  /// but for a layer; nothing: an entry is decoded once it is there.
  std::optional<int> overlapped_layers = {};
  std::optional<EncodedSize> encoded = {};  // nothing: it depends on the rows' values
  bool operator==(const CodecCost&) const = default;
};

/// Stored contexts may be served by hybrid prefill (compute_or_load.h): what its prediction needs beside the fits.
struct HybridServing {
  std::vector<std::string> methods;  // text forms whose entries are read in pieces
  int piece_tokens = 0;
  int layers = 0;
  double intake_seconds_per_byte = 0;  // CPU time to copy and verify arriving bytes
  bool computes_all = true;            // also every piece, so that nothing is read, where that is fastest
  bool operator==(const HybridServing&) const = default;
};

}  // namespace kvantage::inline policy
