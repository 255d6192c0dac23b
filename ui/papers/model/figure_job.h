// The figure that is being made: starts it, follows its progress lines, keeps what comes out. The live session waits
// meanwhile, or each would be part of the other's times.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>

#include "core/experiments/paper_figures.h"
#include "ui/papers/model/figure_results.h"
#include "ui/papers/model/figure_runner.h"
#include "ui/session/session_switch.h"

namespace kvantage {

class FigureJob : public QObject {
  Q_OBJECT
 public:
  /// `runner` null: nothing can be started, and why() says so.
  FigureJob(std::shared_ptr<FigureRunner> runner, FigureResults& results, SessionSwitch& session,
            QObject* parent = nullptr);

  /// False with why() where it cannot be. Options with an empty value are left out.
  bool start(const PaperFigure& figure, const FigureOptions& options);
  void cancel();
  /// Why start() would refuse now; empty: it would not.
  QString why_not() const;
  /// What start() would run, as a user would type it.
  QString command(const PaperFigure& figure, const FigureOptions& options) const;
  /// The figure's name, then options with their values; a flag (is_figure_flag()) has none.
  static QStringList arguments_of(const PaperFigure& figure, const FigureOptions& options);

  bool running() const { return figure_ != nullptr; }
  bool cancelling() const { return running() && cancelled_; }
  /// Null while nothing runs.
  const PaperFigure* figure() const { return figure_; }
  std::size_t cells() const { return cells_; }  // 0: not known yet
  std::size_t cells_done() const { return cells_done_; }
  /// 0..1 of all cells; negative while their number is not known.
  double fraction() const;
  /// The stage of opening, or the running cell, as text.
  QString what() const { return what_; }
  double elapsed_seconds() const;
  /// From the time that the cells so far took; nothing before there is one to go by.
  std::optional<double> remaining_seconds() const;
  /// "3 of 40 cells, 2 min 10 s, about 26 min left", "12 of 18 contexts".
  QString progress_text() const;
  /// What ends without a result if it is given up now, and how far it is; empty where nothing runs or it is cancelled
  /// already.
  QString loss() const;
  /// Runs that were recorded by this job so far, or by the last one.
  const QStringList& runs() const { return runs_; }
  /// How the last one ended when it did not end well; empty otherwise.
  QString trouble() const { return trouble_; }

 signals:
  void runningChanged(bool running);
  /// Any of the figures above, at most a few times a second.
  void progressed();
  /// A result of each of these figures was kept.
  void made(const QStringList& figures);
  /// One line, level as in Banner: what was made, or why nothing was.
  void said(const QString& level, const QString& text);

 private:
  void take_line(const QByteArray& line);
  void take_end(int exit_code, const QByteArray& output);
  void keep(const QByteArray& output, QString& problem);

  std::shared_ptr<FigureRunner> runner_;
  FigureResults& results_;
  SessionSwitch& session_;
  const PaperFigure* figure_ = nullptr;
  FigureOptions options_;
  QDateTime started_;
  QElapsedTimer since_start_, since_cells_;
  QTimer second_;  // updates elapsed and remaining time between two lines
  std::size_t cells_ = 0, cells_done_ = 0;
  double part_ = 0;  // of the running cell
  bool cancelled_ = false;
  QString what_, last_line_, trouble_;
  QStringList runs_;
};

/// "42 s", "2 min 10 s", "1 h 05 min".
QString duration_text(double seconds);

}  // namespace kvantage
