// Figures that are made one after the other. One that fails does not hold up those behind it; canceling ends all.
#pragma once

#include <QObject>
#include <deque>
#include <vector>

#include "ui/papers/model/figure_job.h"

namespace kvantage {

class FigureQueue : public QObject {
  Q_OBJECT
 public:
  explicit FigureQueue(FigureJob& job, QObject* parent = nullptr);
  /// With their default settings, in this order. False where the job cannot be started, which the job says.
  bool start(const std::vector<const PaperFigure*>& figures);
  /// Cancels the figure that is made, and makes none of the others.
  void cancel();
  /// "2 of 9"; empty where a single figure or none is made.
  QString place_text() const;
  std::size_t left() const { return waiting_.size(); }
  /// Figures of this queue that ended without a result so far.
  const QStringList& failed() const { return failed_; }

 signals:
  /// All were made, or tried: one line for the user, level as in Banner.
  void finished(const QString& level, const QString& text);

 private:
  void take_next();

  FigureJob& job_;
  std::deque<const PaperFigure*> waiting_;
  QString made_;  // the figure that is made now; empty: none of this queue
  QStringList failed_;
  std::size_t total_ = 0, begun_ = 0;
};

}  // namespace kvantage
