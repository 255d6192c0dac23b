// Recorded runs side by side: what they were made with differently, and what came of it, each against the first.
//
// Runs that asked the same questions are compared question by question, which leaves out how hard the questions are: the mean
// difference with its 95 % interval over contexts. Else by whether the intervals of the two means overlap.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/recorded_run.h"

namespace kvantage {

struct ComparedValue {
  double value = 0;
  std::size_t n = 0, contexts = 0;    // 0: a single figure of the run
  std::optional<Interval> interval;   // of the value
  Provenance provenance = Provenance::measured;
  // Against the first run; nothing for the first itself.
  std::optional<double> delta;
  std::optional<Interval> delta_interval;  // paired
  std::size_t pairs = 0;
  std::string verdict;  // in words, with what it rests on
};

struct ComparedFigure {
  std::string name, unit;  // ms, 1, 1/s
  std::vector<std::optional<ComparedValue>> values;  // one a run, nothing where it has no such figure
};

struct DifferingSetting {
  std::string name;          // "tiers/0/budget_bytes"
  std::vector<Json> values;  // one a run; null where it is not set
};

struct RunComparison {
  std::vector<std::string> runs;   // ids; a run whose settings moved is there once for each, with the policy's name
  std::vector<std::string> names;  // what tells them apart, as in reports
  std::vector<DifferingSetting> settings;
  std::vector<ComparedFigure> figures;
};

RunComparison compare_runs(const std::vector<RecordedRun>& runs);

std::string to_text(const RunComparison& comparison);
Json to_json(const RunComparison& comparison);

}  // namespace kvantage
