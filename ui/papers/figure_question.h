// Before the window ends while a figure of the papers is being made: says which and how far it is, and asks.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <functional>

class QMessageBox;
class QWidget;

namespace kvantage {

class FigureJob;

class FigureQuestion : public QObject {
  Q_OBJECT
 public:
  /// `job` null: no figure is ever made in this window. Both outlive this.
  FigureQuestion(QWidget& window, const FigureJob* job);
  /// What is lost when the window ends now, in a sentence; empty: nothing.
  QString loss() const;
  /// Runs `act` when nothing is lost by it or the user says that the figure may end; at once, later or never. `what`
  /// names it: "Close the window".
  void before(const QString& what, const std::function<void()>& act);
  /// The user has said so elsewhere: `act` runs, and nothing in it asks again.
  void without(const std::function<void()>& act);
  /// Whether before() would run its act at once.
  bool free() const { return agreed_ || loss().isEmpty(); }

 private:
  QWidget& window_;
  const FigureJob* job_;
  QPointer<QMessageBox> box_;
  bool agreed_ = false;
};

}  // namespace kvantage
