#include "ui/session/profiling_outlook.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/papers/model/figure_job.h"
#include "ui/session/run_model.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct Outlook {
  Q_DECLARE_TR_FUNCTIONS(ProfilingOutlook)
};

/// Seconds until the work of that name ends; below 0: it is not done, or nobody knows.
double eta_of(const RunModel& run, const QString& what) {
  const auto work = std::ranges::find(run.work(), what, &RunModel::Work::what);
  return work == run.work().end() || work->finished() ? -1 : work->eta_seconds;
}

QString rounded_duration(double seconds) { return duration_text(std::max(1.0, std::ceil(seconds))); }

}  // namespace

QString profiling_outlook(RunModel& run) {
  const std::size_t contexts = run.info().contexts, measured = run.measured_contexts();
  const std::optional<ProfilingGauge> gauge = run.session().gauges().profiling;
  const bool is_coarse = gauge && gauge->full_answers > 0 && !gauge->has_coarse;  // then some curve is incomplete
  if (!run.snapshot() || (gauge && gauge->has_coarse) || (measured >= contexts && !is_coarse)) return {};
  const QString done = Outlook::tr("%1 of %n context(s) profiled", nullptr, static_cast<int>(contexts)).arg(measured);
  if (run.state() != RunState::running && run.state() != RunState::loading &&
      run.session().gauges().profiling_all == ProfilingAll::no)
    return Outlook::tr("%1; the others are profiled during the run").arg(done);
  if (is_coarse) {
    const double left = gauge->seconds_left >= 0 ? gauge->seconds_left
                                                 : eta_of(run, core_text(QStringLiteral("Profiling the first curves")));
    const QString answers = Outlook::tr("%1, %2 of %3 answers of the first curves")
                                .arg(done)
                                .arg(gauge->answers)
                                .arg(gauge->answers + gauge->answers_left);
    return left < 0 ? answers : Outlook::tr("%1; about %2 left").arg(answers, rounded_duration(left));
  }
  const double left = eta_of(run, core_text(QStringLiteral("Profiling contexts")));
  return left < 0 ? done : Outlook::tr("%1; about %2 left").arg(done, rounded_duration(left));
}

QString anytime_outlook(RunModel& run) {
  const std::optional<ProfilingGauge> gauge = run.session().gauges().profiling;
  if (!gauge) return {};
  QString text = Outlook::tr("%1 of %2 answers measured").arg(gauge->answers).arg(gauge->full_answers);
  if (gauge->has_coarse)
    text += Outlook::tr("; more could raise utility by at most %1").arg(percent_text(gauge->may_rise));
  if (gauge->is_good_enough) return text + Outlook::tr("; good enough now");
  if (gauge->seconds_left > 0)
    text += (gauge->has_coarse ? Outlook::tr("; about %1 left") : Outlook::tr("; first curves in about %1"))
                .arg(rounded_duration(gauge->seconds_left));
  return text;
}

}  // namespace kvantage
