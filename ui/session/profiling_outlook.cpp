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

}  // namespace

QString profiling_outlook(const RunModel& run) {
  const std::size_t contexts = run.info().contexts, profiled = run.profiled_contexts();
  if (!run.snapshot() || profiled >= contexts) return {};
  const QString done = Outlook::tr("%1 of %n context(s) profiled", nullptr, static_cast<int>(contexts)).arg(profiled);
  if (run.state() != RunState::running && run.state() != RunState::loading)
    return Outlook::tr("%1; the others are profiled during the run").arg(done);
  const auto work =
      std::ranges::find(run.work(), core_text(QStringLiteral("Profiling contexts")), &RunModel::Work::what);
  if (work == run.work().end() || work->finished() || work->eta_seconds < 0) return done;
  return Outlook::tr("%1; about %2 left").arg(done, duration_text(std::max(1.0, std::ceil(work->eta_seconds))));
}

QString anytime_outlook(RunModel& run) {
  const std::optional<ProfilingGauge> gauge = run.session().gauges().profiling;
  if (!gauge) return {};
  QString text = Outlook::tr("%1 of %2 answers measured").arg(gauge->answers).arg(gauge->full_answers);
  if (gauge->has_coarse)
    text += Outlook::tr("; more could raise utility by at most %1").arg(percent_text(gauge->may_rise));
  if (gauge->is_good_enough) return text + Outlook::tr("; good enough now");
  if (gauge->seconds_left > 0)
    text += Outlook::tr("; about %1 left").arg(duration_text(std::max(1.0, std::ceil(gauge->seconds_left))));
  return text;
}

}  // namespace kvantage
