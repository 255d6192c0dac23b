#include "core/experiments/calibration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/statistics.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {
namespace {

std::string withheld(const Calibration& machine) {
  return "nothing is said about time: the machine was disturbed, the calibration moved by " +
         short_number(100 * machine.moved()) + " % (at most " + short_number(100 * Calibration::bound) +
         " % is accepted); run it again while nothing else runs";
}

}  // namespace

double Calibration::mean_of_tries() const {
  const double begun = clock_.seconds();
  for (int i = 0; i < tries; ++i) load_();
  return (clock_.seconds() - begun) / tries;
}

void Calibration::time(int most) {
  if (most <= 0) return;
  double seconds = mean_of_tries();
  for (int round = in_vain_ ? most : 1; round < most && slow(seconds); ++round)
    seconds = std::min(seconds, mean_of_tries());
  in_vain_ = slow(seconds);
  seconds_.push_back(seconds);
  fastest_ = fastest_ > 0 ? std::min(fastest_, seconds) : seconds;
  timed_until_ = clock_.seconds();
}

void Calibration::time_before_cell(int most) {
  constexpr double just_now = 0.05;  // seconds; the time itself takes 0.04 on a machine at rest
  if (timed_until_ > 0 && clock_.seconds() - timed_until_ < just_now && !slow(seconds_.back()))
    seconds_.push_back(seconds_.back());
  else
    time(most);
}

std::vector<double> Calibration::around_cell() const {
  return {seconds_.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, seconds_.size())), seconds_.end()};
}

bool Calibration::cell_disturbed() const {
  return seconds_.size() >= 2 && (slow(seconds_.back()) || slow(*(seconds_.end() - 2)));
}

bool Calibration::may_repeat() const {
  constexpr int always = 4;
  return cell_disturbed() && forgotten_ < always + static_cast<int>(seconds_.size() / 4);
}

void Calibration::forget_cell() {
  if (seconds_.size() < 2) return;
  seconds_.resize(seconds_.size() - 2);
  timed_until_ = 0;
  ++forgotten_;
}

void Calibration::take_over(const std::vector<double>& around) {
  for (const double seconds : around) {
    seconds_.push_back(seconds);
    fastest_ = fastest_ > 0 ? std::min(fastest_, seconds) : seconds;
    timed_until_ = 0;
  }
}

double Calibration::moved() const {
  if (seconds_.size() < 2) return 0;
  const double low = percentile(seconds_, 0.1);
  return low > 0 ? percentile(seconds_, 0.9) / low - 1 : 0;
}

void Calibration::add_to(Json& settings) const {
  if (seconds_.empty()) return;
  const auto tenths = [](double value) { return std::round(10 * value) / 10; };
  settings["calibration, n"] = seconds_.size();
  settings["calibration ms"] = tenths(1e3 * percentile(seconds_, 0.5));
  settings["calibration moved %"] = tenths(100 * moved());
  if (forgotten_ > 0) settings["cells measured again"] = forgotten_;
}

void settle_time_findings(FigureResult& result, const Calibration& machine) {
  machine.add_to(result.settings);
  std::vector<std::string> timed = std::exchange(result.time_findings, {});
  if (!timed.empty() && machine.disturbed()) timed = {withheld(machine)};
  result.findings.insert(result.findings.begin(), timed.begin(), timed.end());
}

}  // namespace kvantage::inline experiments
