#include "core/fleet/price_bracket.h"

#include <algorithm>
#include <cmath>

namespace kvantage::inline fleet {
namespace {

constexpr double narrow_bracket = 1e-9;  // relative: the demand jumps here

}  // namespace

void PriceBracket::take(double price, double demand) {
  const int side = demand <= budget_ ? -1 : 1;
  same_side_ = side == last_side_ ? same_side_ + 1 : 1;
  if (side < 0) {
    high_ = price;
    high_demand_ = demand;
    has_high_ = true;
    high_weight_ = 1;
    if (last_side_ < 0) low_weight_ /= 2;
  } else {
    low_ = price;
    low_demand_ = demand;
    has_low_ = true;
    low_weight_ = 1;
    if (last_side_ > 0) high_weight_ /= 2;
  }
  last_side_ = side;
  choose_next();
}

bool PriceBracket::is_met(double tolerance) const {
  if (!has_high_) return false;
  if (high_ == 0 || high_demand_ >= budget_ * (1 - tolerance)) return true;
  return has_low_ && high_ <= std::max(low_ * (1 + narrow_bracket), smallest_);
}

void PriceBracket::reopen() {
  if (last_side_ < 0)
    has_low_ = false;
  else
    has_high_ = false;
  low_weight_ = high_weight_ = 1;
  same_side_ = 1;
  choose_next();
}

void PriceBracket::step_outward() {
  constexpr double least_step = 1.05, largest_step = 1000, exponent = 1.2;
  const double price = last_side_ > 0 ? low_ : high_, demand = last_side_ > 0 ? low_demand_ : high_demand_;
  const double off = budget_ > 0 ? std::pow(demand / budget_, exponent) : last_side_ > 0 ? largest_step : 0;
  // Where that was too short several times, the demand is flatter than assumed.
  const double patience = std::exp2(std::clamp(same_side_ - 1, 0, 10));
  next_ = last_side_ > 0 ? std::max(price, smallest_) * std::clamp(off, least_step * patience, largest_step * patience)
                         : price * std::clamp(off, 1 / (largest_step * patience), 1 / (least_step * patience));
  if (last_side_ < 0 && next_ < smallest_) next_ = 0;
}

void PriceBracket::choose_next() {
  if (!has_low_ || !has_high_) return step_outward();
  if (low_ <= smallest_) {
    next_ = std::max(high_ / 1000, smallest_);
    if (high_ <= smallest_ * 1000) next_ = std::sqrt(high_ * std::max(low_, smallest_));
    return;
  }
  const double a = std::log(low_), b = std::log(high_);
  double share = 0.5;
  if (same_side_ < 3 && budget_ > 0) {
    constexpr double least_demand = 1e-3;
    const double above = std::log(low_demand_ / budget_) * low_weight_;
    const double below = -std::log(std::max(high_demand_ / budget_, least_demand)) * high_weight_;
    // A demand that equals the budget would end the search; a point beside it is worth more than the end itself.
    share = std::clamp(above / std::max(above + below, 1e-300), 0.02, 0.98);
  }
  next_ = std::exp(a + share * (b - a));
}

}  // namespace kvantage::inline fleet
