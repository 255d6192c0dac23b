// What predictions still lack, and how long it takes.
#pragma once

#include <QString>

namespace kvantage {

class RunModel;

/// "3 of 12 contexts profiled; about 40 s left". Empty where no context lacks a profile, and before contexts are known.
QString profiling_outlook(const RunModel& run);

/// Anytime profiling: "120 of 600 answers measured; more could raise utility by at most 3 %; about 40 s left". Empty
/// where whole curves are measured.
QString anytime_outlook(RunModel& run);

}  // namespace kvantage
