// Requests that are longer or shorter than those that the preset's times were fitted to.
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
  void add_note(SimulatedRow& row) const;

 private:
  std::string range() const;

  const SimulatorPreset& preset_;
  bool timed_, refuses_;
  std::uint64_t count_ = 0;
};

}  // namespace kvantage::cli
