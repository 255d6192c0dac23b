// What predictions still lack, and how long it takes.
#pragma once

#include <QString>

namespace kvantage {

class RunModel;

/// "3 of 12 contexts profiled; about 40 s left". Empty where no context lacks a profile, and before contexts are known.
QString profiling_outlook(const RunModel& run);

}  // namespace kvantage
