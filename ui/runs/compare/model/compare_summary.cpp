#include "ui/runs/compare/model/compare_summary.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <string>

#include "ui/runs/compare/model/forest_rows.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct CompareSummaryText {
  Q_DECLARE_TR_FUNCTIONS(CompareSummaryText)
};

/// The two runs of a summary.
struct ComparedPair {
  const RunComparison& comparison;
  const ComparedDetails& details;
  std::size_t base = 0, other = 0;
  std::array<std::size_t, 2> sides() const { return {base, other}; }
};

QString pair_letter(std::size_t side) { return RunComparisonModel::letter(static_cast<int>(side)); }

QString pair_name(const ComparedPair& pair, std::size_t side) {
  return QStringLiteral("%1 (%2)").arg(pair_letter(side), to_q(pair.comparison.names[side]));
}

/// Null where the two have the same, or none has it.
const DifferingSetting* pair_difference(const ComparedPair& pair, const std::string& name) {
  const auto found = std::ranges::find(pair.details.settings, name, &DifferingSetting::name);
  if (found == pair.details.settings.end() || found->values[pair.base] == found->values[pair.other]) return nullptr;
  return &*found;
}

int shared_contexts(const ComparedPair& pair, const std::string& metric) {
  const auto found = pair.details.contexts.find(metric);
  if (found == pair.details.contexts.end()) return 0;
  const auto &before = found->second[pair.base], &after = found->second[pair.other];
  return static_cast<int>(
      std::ranges::count_if(after, [&](const auto& context) { return before.contains(context.first); }));
}

QString conditions_text(const ComparedPair& pair) {
  for (const std::size_t side : pair.sides())
    if (!pair.comparison.unfinished[side].empty())
      return CompareSummaryText::tr("%1 is not complete, so nothing is judged.").arg(pair_letter(side));
  // Every answer has the first metric, a TTFT.
  if (pair.comparison.metrics.empty()) return {};
  const ComparedMetric& metric = pair.comparison.metrics.front();
  const auto &before = metric.values[pair.base], &after = metric.values[pair.other];
  if (!before || !after) return CompareSummaryText::tr("One of the runs has no answers.");
  const int contexts = shared_contexts(pair, metric.name), pairs = static_cast<int>(after->pairs);
  if (pairs == 0)
    return CompareSummaryText::tr(
        "The runs answered other questions, so nothing is paired: a difference counts where the two 95 % intervals do "
        "not overlap.");
  if (after->pairs == after->n && after->pairs == before->n)
    return CompareSummaryText::tr(
               "Both answered the same %n question(s) (contexts: %1). Differences are paired question by question; the "
               "95 % intervals draw contexts.",
               nullptr, pairs)
        .arg(contexts);
  return CompareSummaryText::tr(
             "Both answered %n question(s) that are the same (contexts: %1), of %2 and %3 answers. These are paired; "
             "the 95 % intervals draw contexts.",
             nullptr, pairs)
      .arg(contexts)
      .arg(before->n)
      .arg(after->n);
}

/// What the intervals know of the noise between runs. Empty where one side alone was repeated: they do not know it.
QString repeated_text(const ComparedPair& pair) {
  const auto runs = [&](std::size_t side) { return static_cast<int>(pair.comparison.members[side].size()); };
  if (runs(pair.base) < 2 && runs(pair.other) < 2)
    return CompareSummaryText::tr(
        "Each is a single run, so the noise between runs is not known: of times, only what exceeds any change of the "
        "machine that is accepted is judged. Serve both several times (--repeat).");
  if (runs(pair.base) < 2 || runs(pair.other) < 2) return {};
  QString text = CompareSummaryText::tr("%1 has %2 runs and %3 has %4; the intervals include the noise between runs.")
                     .arg(pair_letter(pair.base))
                     .arg(runs(pair.base))
                     .arg(pair_letter(pair.other))
                     .arg(runs(pair.other));
  for (const ComparedPower& power : pair.comparison.power)
    if (power.side == pair.other) text += ' ' + core_text(power_text(power)) + '.';
  return text;
}

QString findings_text(const ComparedPair& pair) {
  QStringList significant, alike, unjudged;
  for (const ComparedMetric& metric : pair.comparison.metrics) {
    const auto& value = metric.values[pair.other];
    if (!value || !metric.values[pair.base]) continue;
    const QString name = core_text(metric.name);
    if (is_significant(value->judgment))
      significant << QStringLiteral("%1: %2").arg(name, difference_text(pair.comparison, metric, pair.other));
    else if (value->judgment == Judgment::no_difference || value->judgment == Judgment::same)
      alike << name;
    else
      unjudged << name;
  }
  QStringList sentences;
  if (!significant.isEmpty())
    sentences << CompareSummaryText::tr("Significant: %1.").arg(significant.join(QStringLiteral("; ")));
  if (!alike.isEmpty()) sentences << CompareSummaryText::tr("Not significant: %1.").arg(alike.join("; "));
  if (!unjudged.isEmpty()) sentences << CompareSummaryText::tr("Not judged: %1.").arg(unjudged.join("; "));
  return sentences.join(' ');
}

/// Of a workload or a model: its name and its digest may differ.
void add_difference_warning(QStringList& warnings, const ComparedPair& pair, const std::string& name,
                            const QString& other_name, const QString& other_content) {
  if (const DifferingSetting* named = pair_difference(pair, name))
    warnings << other_name.arg(compared_setting_text(*named, named->values[pair.base]),
                               compared_setting_text(*named, named->values[pair.other]));
  else if (pair_difference(pair, name + "_digest") != nullptr)
    warnings << other_content;
}

bool is_simulated(const ComparedPair& pair, std::size_t side) {
  return std::ranges::any_of(pair.comparison.metrics, [side](const ComparedMetric& metric) {
    const auto& value = metric.values[side];
    return value && (value->provenance == Provenance::simulated || value->provenance == Provenance::predicted);
  });
}

QStringList warnings_of(const ComparedPair& pair) {
  QStringList warnings;
  add_difference_warning(warnings, pair, "environment/workload",
                         CompareSummaryText::tr("The workloads differ: %1, %2."),
                         CompareSummaryText::tr("The workloads have one name and differ in content."));
  add_difference_warning(warnings, pair, "environment/model", CompareSummaryText::tr("The models differ: %1, %2."),
                         CompareSummaryText::tr("The models have one name and differ in content."));
  for (const char* name : {"environment/seed", "seed"})
    if (const DifferingSetting* seed = pair_difference(pair, name))
      warnings << CompareSummaryText::tr("The seeds differ: %1, %2.")
                      .arg(compared_setting_text(*seed, seed->values[pair.base]),
                           compared_setting_text(*seed, seed->values[pair.other]));
  if (pair_difference(pair, "environment/hardware") != nullptr)
    warnings << CompareSummaryText::tr("The machines differ, so times are not of the settings alone.");
  for (const std::size_t side : pair.sides()) {
    if (is_simulated(pair, side))
      warnings
          << CompareSummaryText::tr("%1 is simulated: its times are computed, not measured.").arg(pair_letter(side));
    if (const std::string& repeated = pair.details.repeats[side]; !repeated.empty())
      warnings << CompareSummaryText::tr("%1 repeats the recorded run %2.").arg(pair_letter(side), to_q(repeated));
    if (const std::string& outcome = pair.comparison.unfinished[side]; !outcome.empty())
      warnings << CompareSummaryText::tr("%1 is not complete: %2.").arg(pair_letter(side), core_text(outcome));
  }
  for (const std::string& note : pair.comparison.notes) warnings << core_text(note);
  return warnings;
}

}  // namespace

ComparedSummary compared_summary(const RunComparisonModel& model, int other) {
  if (other < 0 || other >= model.sides() || static_cast<std::size_t>(other) == model.comparison().baseline) return {};
  const ComparedPair pair{model.comparison(), model.details(), model.comparison().baseline,
                          static_cast<std::size_t>(other)};
  ComparedSummary summary{warnings_of(pair), {}};
  QStringList paragraphs{CompareSummaryText::tr("%1 against the baseline %2.")
                             .arg(pair_name(pair, pair.other), pair_name(pair, pair.base)) +
                         ' ' + conditions_text(pair)};
  if (const QString repeated = repeated_text(pair); !repeated.isEmpty()) paragraphs << repeated;
  if (const QString found = findings_text(pair); !found.isEmpty()) paragraphs << found;
  for (const QString& warning : summary.warnings) paragraphs << CompareSummaryText::tr("Caution: %1").arg(warning);
  summary.text = paragraphs.join(QStringLiteral("\n\n"));
  return summary;
}

}  // namespace kvantage
