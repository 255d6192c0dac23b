#include "ui/papers/model/figure_job.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "ui/papers/model/more_settings.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr int interrupted_exit_code = 130;

QString runs_text(qsizetype runs) { return FigureJob::tr("%n run(s) recorded", nullptr, static_cast<int>(runs)); }

}  // namespace

QString duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return FigureJob::tr("%1 s").arg(whole);
  if (whole < 3600) return FigureJob::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60, 2, 10, QChar('0'));
  return FigureJob::tr("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60, 2, 10, QChar('0'));
}

FigureJob::FigureJob(std::shared_ptr<FigureRunner> runner, FigureResults& results, SessionSwitch& session,
                     QObject* parent)
    : QObject(parent), runner_(std::move(runner)), results_(results), session_(session) {
  second_.setInterval(500);
  connect(&second_, &QTimer::timeout, this, &FigureJob::progressed);
  if (!runner_) return;
  connect(runner_.get(), &FigureRunner::said, this, &FigureJob::take_line);
  connect(runner_.get(), &FigureRunner::ended, this, &FigureJob::take_end);
}

QString FigureJob::why_not() const {
  if (!runner_) return tr("This window reproduces no figures. Use kvantage-cli reproduce in a terminal.");
  if (running()) return tr("%1 is running. Wait for it or cancel it.").arg(to_q(figure_->name));
  if (session_.is_held()) return tr("An experiment is running. Pause it or wait for it.");
  if (session_.live().state() == RunState::loading) return tr("The session is loading. Wait until it is ready.");
  return {};
}

QStringList FigureJob::arguments_of(const PaperFigure& figure, const FigureOptions& options) {
  QStringList words{to_q(figure.name)};
  for (const auto& [option, value] : options) {
    if (value.trimmed().isEmpty()) continue;
    words << option;
    if (!is_figure_flag(option)) words << value.trimmed();
  }
  return words;
}

QString FigureJob::command(const PaperFigure& figure, const FigureOptions& options) const {
  return runner_ ? runner_->command(arguments_of(figure, options)) : QString();
}

bool FigureJob::start(const PaperFigure& figure, const FigureOptions& options) {
  if (const QString why = why_not(); !why.isEmpty()) {
    emit said(QStringLiteral("warning"), QStringLiteral("%1: %2").arg(to_q(figure.name), why));
    return false;
  }
  figure_ = &figure;
  options_ = options;
  started_ = QDateTime::currentDateTimeUtc();
  since_start_.start();
  since_cells_.invalidate();
  cells_ = cells_done_ = 0;
  part_ = 0;
  cancelled_ = false;
  what_ = tr("Starting");
  last_line_.clear();
  trouble_.clear();
  runs_.clear();
  session_.hold_live();
  second_.start();
  emit runningChanged(true);
  runner_->start(arguments_of(figure, options));
  return true;
}

void FigureJob::cancel() {
  if (!running() || std::exchange(cancelled_, true)) return;
  runner_->cancel();
  emit progressed();
}

void FigureJob::take_line(const QByteArray& line) {
  if (!running()) return;
  if (!line.startsWith('{')) {
    if (line.startsWith("error:") || last_line_.isEmpty()) last_line_ = QString::fromUtf8(line).trimmed();
    return;
  }
  const auto json = parse_json(std::string_view(line.constData(), static_cast<std::size_t>(line.size())), "progress");
  if (!json) return;
  const auto number = [&json](const char* name) {
    return json_field_or<double>(*json, name, "progress", 0).value_or(0);
  };
  const auto text = [&json](const char* name) {
    return to_q(json_field_or<std::string>(*json, name, "progress", {}).value_or(""));
  };
  if (json->contains("stage")) {
    what_ = core_text(text("stage"));
    if (number("total") > 0) what_ = tr("%1: %2 of %3").arg(what_).arg(number("done")).arg(number("total"));
    return;
  }
  cells_ = static_cast<std::size_t>(number("cells"));
  cells_done_ = static_cast<std::size_t>(number("cells_done"));
  part_ = number("part");
  if (json->contains("cell")) {
    what_ = core_text(text("cell"));
    if (!since_cells_.isValid()) since_cells_.start();
  }
  if (json->contains("run")) runs_ << text("run");
}

double FigureJob::fraction() const {
  return cells_ == 0 ? -1
                     : std::clamp((static_cast<double>(cells_done_) + part_) / static_cast<double>(cells_), 0.0, 1.0);
}

double FigureJob::elapsed_seconds() const { return running() ? static_cast<double>(since_start_.elapsed()) * 1e-3 : 0; }

std::optional<double> FigureJob::remaining_seconds() const {
  const double done = fraction();
  if (!running() || cells_done_ == 0 || !since_cells_.isValid() || !(done > 0)) return {};
  return static_cast<double>(since_cells_.elapsed()) * 1e-3 * (1 - done) / done;
}

QString FigureJob::progress_text() const {
  if (!running()) return {};
  if (cancelled_)
    return tr("Canceling: the current run finishes and is recorded, %1").arg(duration_text(elapsed_seconds()));
  QStringList parts;
  if (cells_ > 0) parts << tr("%1 of %n cell(s)", nullptr, static_cast<int>(cells_)).arg(cells_done_);
  parts << duration_text(elapsed_seconds());
  if (const auto left = remaining_seconds()) parts << tr("about %1 left").arg(duration_text(*left));
  return parts.join(QStringLiteral(", "));
}

QString FigureJob::loss() const {
  if (!running() || cancelled_) return {};
  const QString made =
      tr("Figure %1 is running: %2")
          .arg(to_q(figure_->name), cells_ > 0 ? progress_text() : tr("%1, %2 so far").arg(what_, progress_text()));
  return runs_.isEmpty() ? made + '.' : QStringLiteral("%1; %2.").arg(made, runs_text(runs_.size()));
}

void FigureJob::keep(const QByteArray& output, QString& problem) {
  auto results = figure_results_of(std::string_view(output.constData(), static_cast<std::size_t>(output.size())),
                                   "kvantage-cli reproduce");
  if (!results || results->empty()) {
    problem = results ? tr("The command finished without a result. Run it in a terminal to see why.")
                      : core_text(results.error().message);
    return;
  }
  QStringList names;
  for (FigureResult& result : *results) {
    names << to_q(result.figure);
    results_.keep({{}, started_, static_cast<double>(since_start_.elapsed()) * 1e-3, options_, std::move(result)});
  }
  emit made(names);
  emit said(QStringLiteral("info"), tr("%1 finished in %2. See Papers for the comparison with the paper.")
                                        .arg(names.join(QStringLiteral(", ")), duration_text(elapsed_seconds())));
}

void FigureJob::take_end(int exit_code, const QByteArray& output) {
  if (!running()) return;
  second_.stop();
  const QString name = to_q(figure_->name);
  const bool by_hand = cancelled_ && exit_code != 0;
  if (exit_code == 0) {
    keep(output, trouble_);
  } else if (by_hand || exit_code == interrupted_exit_code) {
    trouble_ = tr("canceled after %1 of %n cell(s); %2", nullptr, static_cast<int>(cells_))
                   .arg(cells_done_)
                   .arg(runs_text(runs_.size()));
  } else {
    trouble_ = !last_line_.isEmpty()
                   ? core_text(QString(last_line_).remove(QStringLiteral("error: ")))
                   : tr("The command failed with exit code %1. Run it in a terminal to see why.").arg(exit_code);
  }
  figure_ = nullptr;
  session_.release_live();
  emit runningChanged(false);
  if (!trouble_.isEmpty())
    emit said(by_hand ? QStringLiteral("info") : QStringLiteral("warning"),
              QStringLiteral("%1: %2").arg(name, trouble_));
}

}  // namespace kvantage
