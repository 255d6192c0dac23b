// The form of an experiment as widgets: a line for each axis with its error below it, the count of cells with the
// estimated time, and the button that adds it to the queue.
#pragma once

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMap>
#include <QPushButton>
#include <QScrollArea>

#include "ui/experiments/experiment_form_model.h"

namespace kvantage {

class ExperimentForm : public QScrollArea {
  Q_OBJECT
 public:
  explicit ExperimentForm(ExperimentFormModel& model, QWidget* parent = nullptr);

  QLineEdit& name() { return *name_; }
  /// Null for an unknown id.
  QLineEdit* line(const QString& id) const { return lines_.value(id); }
  QString error_text(const QString& id) const { return errors_.contains(id) ? errors_.value(id)->text() : QString(); }
  QString summary() const { return summary_->text(); }
  QPushButton& start_button() { return *start_; }
  QPushButton& save_button() { return *save_; }
  /// Why nothing can be added now; empty: it can.
  void set_refusal(const QString& why);

 signals:
  void startRequested(const QString& name);
  /// The plan as the file that `kvantage-cli sweep --plan` reads.
  void saveRequested();

 private:
  void make_lines();
  void show_model();

  ExperimentFormModel& model_;
  QString refusal_;
  QFormLayout* grid_;
  QLineEdit* name_;
  QLabel* summary_;
  QPushButton *start_, *save_;
  QMap<QString, QLineEdit*> lines_;
  QMap<QString, QLabel*> errors_;
};

}  // namespace kvantage
