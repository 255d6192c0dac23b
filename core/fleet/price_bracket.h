// Finds the price at which a demand that falls with it meets a budget. The demand is minus the derivative of a convex
// bound, so this minimizes the bound along one price: bisection on its subgradient. Each step interpolates log demand
// over log price (requests follow power laws, so this is nearly straight) as the Illinois method does (Dowell and
// Jarratt 1971), and halves the bracket where that stalls. Nothing is assumed of the demand but that it falls, so steps
// in it, as of a few large contexts, only slow it down.
#pragma once

namespace kvantage::inline fleet {

class PriceBracket {
 public:
  /// `start`: the first price, above 0. Below `smallest` 0 is asked for.
  PriceBracket(double budget, double start, double smallest)
      : budget_(budget), smallest_(smallest), next_(start > smallest ? start : smallest) {}

  double next() const { return next_; }
  void take(double price, double demand);

  /// Whether the demand is within the budget and misses at most this share of it, needs no price, or jumps over it.
  bool is_met(double tolerance) const;
  bool has_high() const { return has_high_; }
  bool has_low() const { return has_low_; }
  /// Whether the last price was within the budget.
  bool last_fits() const { return last_side_ < 0; }
  double high() const { return high_; }  // its demand is within the budget
  double low() const { return low_; }    // its demand exceeds it
  double high_demand() const { return high_demand_; }
  double low_demand() const { return low_demand_; }
  /// Forgets the older side: demands were not those of one moment.
  void reopen();

 private:
  void choose_next();
  void step_outward();

  double budget_, smallest_, next_;
  double low_ = 0, low_demand_ = 0, high_ = 0, high_demand_ = 0;
  double low_weight_ = 1, high_weight_ = 1;
  bool has_low_ = false, has_high_ = false;
  int last_side_ = 0, same_side_ = 0;
};

}  // namespace kvantage::inline fleet
