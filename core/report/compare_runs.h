// Compares recorded runs: how their settings differ, and how their results differ from a baseline run.
//
// Runs with the same questions are compared question by question, which cancels out question difficulty: the mean
// difference with its 95 % interval over contexts. For a p95 it is the difference of the two, with an interval drawn
// likewise (compared_samples.h). Otherwise the intervals of the two values are checked for overlap.
//
// Runs of one command under the same settings are its repetitions: one side, whose interval also has the noise between
// runs (core/base/two_level_bootstrap.h). Times of single runs are judged only where no accepted change of the machine
// (calibration_bound) explains the difference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/two_level_bootstrap.h"
#include "core/report/recorded_run.h"

namespace kvantage::inline report {

/// Verdict on a difference: `single` values of a run have none, `unknown` ones lack an interval, and of a run that
/// ended early (`incomplete`) nothing is better or worse, nor are times where a fixed load took longer around one of
/// the runs (`disturbed`), times of single runs that the noise between runs may explain (`unrepeated`), and qualities
/// where uncompressed caches answer no better than chance, or always with 0 (`no_quality`).
enum class Judgment : std::uint8_t {
  none,
  better,
  worse,
  no_difference,
  same,
  unknown,
  single,
  incomplete,
  disturbed,
  unrepeated,
  no_quality
};

struct ComparedValue {
  double value = 0;
  std::size_t n = 0, contexts = 0;   // 0: a single value of the run
  std::optional<Interval> interval;  // of the value
  Provenance provenance = Provenance::measured;
  // Relative to the baseline; nothing for the baseline itself.
  std::optional<double> delta;
  std::optional<Interval> delta_interval;  // paired
  std::size_t pairs = 0;
  std::string verdict;  // as text, with its basis
  Judgment judgment = Judgment::none;
};

struct ComparedMetric {
  std::string name, unit;                            // ms, 1, %, 1/s
  std::vector<std::optional<ComparedValue>> values;  // one per run, nothing where a run lacks it
};

struct DifferingSetting {
  std::string name;          // "tiers/0/budget_bytes"
  std::vector<Json> values;  // one per run; null where it is not set
};

/// The difference that the power of a comparison is about, as a share of the baseline.
inline constexpr double power_share = 0.1;

/// How many runs of each side find a difference of power_share (two_level_bootstrap.h).
struct ComparedPower {
  std::string metric;
  std::size_t side = 0, runs = 0;  // the runs of each side that there are
  PowerEstimate estimate;
};

struct RunComparison {
  std::vector<std::string> runs;        // ids; when comparing periods, a run whose settings changed is listed once for
                                        // each, with the policy's name; of repeated runs the first
  std::vector<std::string> names;       // distinguishing names, as in reports
  std::vector<std::string> policies;    // text forms; of a run of several, the first that served
  std::vector<std::string> unfinished;  // outcomes of those that ended early ("stopped"); empty: complete
  std::vector<std::string> notes;       // of the models, each once (report.h)
  std::vector<DifferingSetting> settings;
  std::vector<ComparedMetric> metrics;
  std::size_t baseline = 0;                            // index in `runs` of the baseline
  std::vector<std::vector<std::string>> members = {};  // ids of all runs of a side, oldest first
  std::vector<ComparedPower> power = {};
};

/// The unit of comparison where the settings of a run changed: a period of constant settings, or the whole run.
enum class ComparedUnit : std::uint8_t { period, whole_run };

/// Whether runs of one command under the same settings are one side. Where that would leave a single side, they are
/// compared with each other instead.
enum class RepeatedRuns : std::uint8_t { joined, separate };

/// `baseline`: index in RunComparison::runs, the first if out of range. A whole run is named after the policies that
/// served in it, with "settings changed", and lists its values of alpha and policy.
RunComparison compare_runs(const std::vector<RecordedRun>& runs, std::size_t baseline = 0,
                           ComparedUnit unit = ComparedUnit::period, RepeatedRuns repeats = RepeatedRuns::joined);
/// The side of each run, or of each period in run order: indices of RunComparison::runs.
std::vector<std::size_t> sides_of(const std::vector<RecordedRun>& runs, ComparedUnit unit,
                                  RepeatedRuns repeats = RepeatedRuns::joined);
/// As policy_runs_of() for all of them, with the repetitions of a command as one, named "lru (2 runs)".
std::vector<PolicyRun> joined_policy_runs(const std::vector<RecordedRun>& runs);
/// Number of sides in a comparison of periods.
std::size_t periods_of(const std::vector<RecordedRun>& runs);

/// How value `run` of a metric compares with the baseline, as text: "better by 12 % [4, 19], n = 60", "not significant
/// (n = 60)". Times and rates in percent of the baseline, qualities (unit 1) and shares (%) in their own unit.
/// Empty for the baseline and where a value is missing.
std::string judgment_text(const RunComparison& comparison, const ComparedMetric& metric, std::size_t run);
/// "TTFT, service: 8 runs of each side find a difference of 10 % in 9 of 10 comparisons (these: 3)".
std::string power_text(const ComparedPower& power);
/// "  (baseline)", "  (5 runs)", "  (not complete: stopped)", several or nothing: what follows the name of a run.
std::string side_notes(const RunComparison& comparison, std::size_t run);
/// Decimals shown for this unit.
int compared_digits(std::string_view unit);
/// "12.3 ms", with its provenance unless measured.
std::string value_text(const ComparedMetric& metric, const ComparedValue& value);
/// "[11.0, 13.1]" or empty.
std::string interval_text(const ComparedMetric& metric, const ComparedValue& value);

}  // namespace kvantage::inline report
