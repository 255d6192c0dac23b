// Where a prediction of a lesson is committed: a number, choices, or a point that is clicked on the Frontier.
// Afterwards it shows the prediction beside the result. Several panels of one step show the same.
#pragma once

#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "ui/learn/model/lesson_predictions.h"

namespace kvantage {

class PredictionPanel : public QWidget {
  Q_OBJECT
 public:
  /// What the curve predicts at an alpha; nothing outside of it.
  using MeanAt = std::function<std::optional<FrontierMean>(double alpha)>;
  /// `predictions` outlives the panel and asks at `number`, from 0; `step` is that step.
  PredictionPanel(LessonPredictions& predictions, const LessonStep& step, int number, MeanAt mean_at = {},
                  QWidget* parent = nullptr);
  /// Of a curve point, as it is clicked.
  void pick(double alpha);
  void commit();
  /// Null: it has choices.
  QDoubleSpinBox* box() { return box_; }
  const std::vector<QRadioButton*>& choices() const { return choices_; }
  QPushButton& commit_button() { return *commit_; }
  /// Prediction and result; empty before it is committed.
  QString result() const { return result_->isHidden() ? QString() : result_->text(); }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_box();
  void show_state();
  void show_point();
  int chosen() const;
  bool is_answered() const;

  LessonPredictions& predictions_;
  LessonGuess guess_;
  int number_;
  MeanAt mean_at_;
  QDoubleSpinBox* box_ = nullptr;
  std::vector<QRadioButton*> choices_;
  QLabel *point_, *result_;
  QPushButton* commit_;
};

}  // namespace kvantage
