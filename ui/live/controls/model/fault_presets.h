// Faults for teaching, by name: what a disk does that flips bits, tears writes, fails, is full or is slow. A preset and
// a probability make the faults of core/ports/fault_plan.h, and are recognized in them again.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/ports/fault_plan.h"

namespace kvantage {

struct FaultPreset {
  QString name;  // "Bit flips"
  QString tip;   // what is injected, and what becomes of it
  double default_probability = 0;
  FaultPlan (*plan)(double probability);
};

const std::vector<FaultPreset>& fault_presets();

struct PresetFaults {
  std::size_t preset = 0;  // in fault_presets()
  double probability = 0;
};
/// Which preset these faults are; nothing for a mixture of one's own.
std::optional<PresetFaults> recognized(const FaultPlan& plan);

/// "Bit flips at 5 %, seed 7", or the text form of a mixture; empty without faults.
QString faults_text(const std::string& faults);

}  // namespace kvantage
