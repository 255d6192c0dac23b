// When a context is re-profiled: how far its answers may fall short of its profile. EvicPress can be read in three
// ways: "lower than threshold X %" (section 4.1), and "below the quality achieved on the profiling dataset by a
// threshold of X %" (section 4.3), where X is a share of that quality or a difference. Figure 10 has X = 0.3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage::inline ports {

struct ReprofileRule {
  enum class Kind : std::uint8_t {
    below,     // achieved < bound
    relative,  // achieved < (1 - bound) * profiled
    absolute   // achieved < profiled - bound
  };
  Kind kind = Kind::relative;
  double bound = 0.3;  // 0 to 1: a quality, a share of the profiled quality, or a difference of qualities

  static constexpr ReprofileRule below(double quality) { return {Kind::below, quality}; }
  static constexpr ReprofileRule relative(double share) { return {Kind::relative, share}; }
  static constexpr ReprofileRule absolute(double difference) { return {Kind::absolute, difference}; }

  /// Of weighted sums over the same answers; `weight` is the sum of their weights. Exactly at the bound: false.
  bool falls_short(double achieved, double profiled, double weight) const;
  /// Whether `bound` is from 0 to 1.
  bool is_valid() const;
  /// Canonical: "relative(0.3)".
  std::string text() const;
  bool operator==(const ReprofileRule&) const = default;
};
/// "below", "relative", "absolute".
const char* to_string(ReprofileRule::Kind kind);

/// usage error: no such rule, or its bound is not a number from 0 to 1.
Expected<ReprofileRule> parse_reprofile_rule(std::string_view text);

}  // namespace kvantage::inline ports
