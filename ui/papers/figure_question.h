// Before the window ends while a figure of the papers is being made, or an experiment runs: says which and how far it
// is, and asks. A figure is lost; of an experiment, the cell that is being served.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <functional>
#include <utility>

class QMessageBox;
class QWidget;

namespace kvantage {

class FigureJob;

class FigureQuestion : public QObject {
  Q_OBJECT
 public:
  /// `job` null: no figure is ever made in this window. Both outlive this.
  FigureQuestion(QWidget& window, const FigureJob* job);
  /// The experiments that end with the window: what is lost of them, as loss(). Call follow() when that has changed.
  void set_experiments(std::function<QString()> loss) { experiments_loss_ = std::move(loss); }
  /// An open question shows what is lost now; where nothing is, it closes and its act runs.
  void follow();
  /// What is lost when the window ends now, a line for each; empty: nothing.
  QString loss() const;
  /// Runs `act` when nothing is lost by it or the user says that the figure may end; at once, later or never. `what`
  /// names it: "Close the window".
  void before(const QString& what, const std::function<void()>& act);
  /// The user has said so elsewhere: `act` runs, and nothing in it asks again.
  void without(const std::function<void()>& act);
  /// Whether before() would run its act at once.
  bool free() const { return agreed_ || loss().isEmpty(); }

 private:
  QString figure_loss() const;
  QString experiments_loss() const { return experiments_loss_ ? experiments_loss_() : QString(); }

  QWidget& window_;
  const FigureJob* job_;
  std::function<QString()> experiments_loss_;
  QPointer<QMessageBox> box_;
  std::function<void()> act_;  // of box_
  bool agreed_ = false;
};

}  // namespace kvantage
