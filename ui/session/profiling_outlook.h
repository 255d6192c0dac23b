// What predictions still lack, and how long it takes.
#pragma once

#include <QString>

namespace kvantage {

class RunModel;

/// "3 of 12 contexts profiled; about 40 s left"; until the first curves of anytime profiling are complete also their
/// answers: "3 of 12 contexts profiled, 40 of 320 answers of the first curves; about 40 s left". A context with points
/// that are pooled from others alone is not profiled. Empty where no context lacks a profile, and before contexts are
/// known.
QString profiling_outlook(RunModel& run);

/// Anytime profiling: "120 of 600 answers measured; more could raise utility by at most 3 %; about 40 s left", or
/// "; first curves in about 40 s". Empty where whole curves are measured.
QString anytime_outlook(RunModel& run);

}  // namespace kvantage
