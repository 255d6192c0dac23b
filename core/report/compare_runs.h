// Recorded runs side by side: what they were made with differently, and what came of it, each against one of them.
//
// Runs that asked the same questions are compared question by question, which leaves out how hard the questions are:
// the mean difference with its 95 % interval over contexts; of a p95, the difference of the two with an interval drawn
// alike (compared_samples.h). Else by whether the intervals of the two values overlap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/recorded_run.h"

namespace kvantage {

/// What can be said of a difference: `single` figures of a run bear no judgement, `unknown` ones lack an interval.
enum class Judgement : std::uint8_t { none, better, worse, no_difference, same, unknown, single };

struct ComparedValue {
  double value = 0;
  std::size_t n = 0, contexts = 0;   // 0: a single figure of the run
  std::optional<Interval> interval;  // of the value
  Provenance provenance = Provenance::measured;
  // Against the baseline; nothing for the baseline itself.
  std::optional<double> delta;
  std::optional<Interval> delta_interval;  // paired
  std::size_t pairs = 0;
  std::string verdict;  // in words, with what it rests on
  Judgement judgement = Judgement::none;
};

struct ComparedFigure {
  std::string name, unit;                            // ms, 1, %, 1/s
  std::vector<std::optional<ComparedValue>> values;  // one a run, nothing where it has no such figure
};

struct DifferingSetting {
  std::string name;          // "tiers/0/budget_bytes"
  std::vector<Json> values;  // one a run; null where it is not set
};

struct RunComparison {
  std::vector<std::string>
      runs;  // ids; of stretches, a run whose settings moved is there once for each, with the policy's name
  std::vector<std::string> names;  // what tells them apart, as in reports
  std::vector<DifferingSetting> settings;
  std::vector<ComparedFigure> figures;
  std::size_t baseline = 0;  // place in `runs` of what the others are held against
};

/// What one side of a comparison is where the settings of a run moved: a stretch under the same settings, or the run.
enum class ComparedUnit : std::uint8_t { stretch, whole_run };

/// `baseline`: place in RunComparison::runs, the first when there are fewer. A whole run has the policies that served
/// in it as its name, with "settings moved", and lists of what alpha and the policy were.
RunComparison compare_runs(const std::vector<RecordedRun>& runs, std::size_t baseline = 0,
                           ComparedUnit unit = ComparedUnit::stretch);
/// How many sides a comparison of stretches has.
std::size_t stretches_of(const std::vector<RecordedRun>& runs);

/// How value `run` of a figure stands to the baseline, for people: "better by 12 % [4, 19], n = 60", "no difference
/// that n = 60 shows". Times and rates in percent of the baseline, qualities (unit 1) and shares (%) in their own unit.
/// Empty for the baseline and where there is no figure.
std::string judgement_text(const RunComparison& comparison, const ComparedFigure& figure, std::size_t run);
/// Decimals that figures of this unit are shown with.
int compared_digits(std::string_view unit);
/// "12.3 ms", with what it is when it is not measured.
std::string value_text(const ComparedFigure& figure, const ComparedValue& value);
/// "[11.0, 13.1]" or empty.
std::string interval_text(const ComparedFigure& figure, const ComparedValue& value);

}  // namespace kvantage
