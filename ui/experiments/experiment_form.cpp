#include "ui/experiments/experiment_form.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_button.h"

namespace kvantage {

ExperimentForm::ExperimentForm(ExperimentFormModel& model, QWidget* parent)
    : QScrollArea(parent), model_(model), grid_(new QFormLayout), name_(new QLineEdit), summary_(plain_label()) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::NoFocus);  // its lines take the keyboard
  auto* body = new QWidget;
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(8, 8, 8, 8);
  grid_->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
  name_->setPlaceholderText(tr("Name of the experiment"));
  name_->setAccessibleName(tr("Name"));
  name_->setToolTip(tr("Name of the experiment in the list"));
  grid_->addRow(tr("Name"), name_);
  column->addLayout(grid_);
  summary_->setWordWrap(true);
  summary_->setAccessibleName(tr("Cells and time"));
  column->addWidget(summary_);
  auto* row = new QHBoxLayout;
  start_ = add_row_button(*row, tr("Start"), tr("Add this experiment to the queue; pauses the live run"));
  save_ = add_row_button(*row, tr("Save plan…"),
                         tr("Save the plan as a file for kvantage-cli sweep --plan, here or with workers"));
  row->addStretch(1);
  column->addLayout(row);
  column->addStretch(1);
  setWidget(body);
  connect(&model_, &ExperimentFormModel::linesChanged, this, &ExperimentForm::make_lines);
  connect(&model_, &ExperimentFormModel::changed, this, &ExperimentForm::show_model);
  connect(start_, &QPushButton::clicked, this, [this] { emit startRequested(name_->text()); });
  connect(save_, &QPushButton::clicked, this, &ExperimentForm::saveRequested);
  make_lines();
}

void ExperimentForm::make_lines() {
  while (grid_->rowCount() > 1) grid_->removeRow(1);
  lines_.clear();
  errors_.clear();
  for (const ExperimentLine& line : model_.lines()) {
    auto* field = new QWidget;
    auto* column = new QVBoxLayout(field);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(1);
    auto* edit = new QLineEdit(line.text);
    edit->setObjectName(QStringLiteral("axis:") + line.id);
    edit->setAccessibleName(line.title);
    edit->setToolTip(line.tip);
    edit->setPlaceholderText(line.hint);
    QLabel* error = plain_label();
    error->setProperty("muted", true);
    error->setWordWrap(true);
    column->addWidget(edit);
    column->addWidget(error);
    lines_[line.id] = edit;
    errors_[line.id] = error;
    connect(edit, &QLineEdit::textEdited, this,
            [this, id = line.id](const QString& text) { model_.set_text(id, text); });
    grid_->addRow(line.title, field);
  }
  show_model();
}

void ExperimentForm::show_model() {
  for (const ExperimentLine& line : model_.lines()) {
    QLabel* error = errors_.value(line.id);
    if (error == nullptr) continue;
    error->setText(line.error);
    error->setVisible(!line.error.isEmpty());
    if (QLineEdit* edit = lines_.value(line.id); edit->text() != line.text) edit->setText(line.text);
  }
  summary_->setText(model_.summary());
  const bool has_plan = model_.plan().has_value();
  start_->setEnabled(has_plan && refusal_.isEmpty());
  start_->setToolTip(refusal_.isEmpty() ? tr("Add this experiment to the queue; pauses the live run")
                                        : tr("Not available: %1").arg(refusal_));
  save_->setEnabled(has_plan);
}

void ExperimentForm::set_refusal(const QString& why) {
  if (refusal_ == why) return;
  refusal_ = why;
  show_model();
}

}  // namespace kvantage
