// Requests that are longer or shorter than those that the preset's times were fitted to, and those whose times count as
// 0.
#pragma once

#include <cstdint>
#include <string>

#include "app/cli/simulate/simulation.h"

namespace kvantage::cli {

/// Counts them, or refuses the first one (--beyond-fit refuse). The simulation must outlive it.
class BeyondFit {
 public:
  BeyondFit(const SimulateArguments& arguments, const Simulation& made);

  /// rejected_input names the row.
  Status take(const TraceRequest& request);
  /// Notes of the policy, and the longest request.
  void add_notes(SimulatedRow& row) const;

 private:
  std::string range(bool as_zero) const;

  const SimulatorPreset& preset_;
  bool timed_, refuses_;
  std::uint64_t extrapolated_ = 0, zero_ = 0;
  std::uint64_t longest_ = 0;  // tokens
};

/// What is to be said of a preset whose source names no range of lengths, once for all policies; empty: it names one,
/// or there are no times.
std::string missing_range_note(const Simulation& made);

}  // namespace kvantage::cli
