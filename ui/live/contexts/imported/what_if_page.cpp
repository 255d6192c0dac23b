#include "ui/live/contexts/imported/what_if_page.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "ui/widgets/plain_label.h"

namespace kvantage {

WhatIfPage::WhatIfPage(ImportedCurves& curves, const QString& presets, QWidget* parent)
    : QWidget(parent),
      model_(curves, presets),
      preset_(new QComboBox),
      trace_(new QPushButton(tr("Trace…"))),
      times_(new QPushButton(tr("Times…"))),
      shares_{new QDoubleSpinBox, new QDoubleSpinBox},
      note_(plain_label()),
      chart_(new WhatIfChart(model_)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 0);
  for (QWidget* part : std::initializer_list<QWidget*>{preset_, trace_, times_}) row->addWidget(part);
  row->addStretch(1);
  column->addLayout(row);
  column->addWidget(new_budgets());
  preset_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  preset_->setMinimumContentsLength(12);
  preset_->setAccessibleName(tr("Published model"));
  preset_->setToolTip(tr("Model whose bytes of a token and times are used; choose the one that was measured"));
  trace_->setAccessibleName(tr("Trace"));
  times_->setAccessibleName(tr("Table of times"));
  note_->setProperty("muted", true);
  note_->setWordWrap(true);
  note_->setContentsMargins(10, 0, 8, 2);
  note_->setAccessibleName(tr("Source of the what-if points"));
  note_->setToolTip(tr("Simulated on curves that others measured: no plan of this session"));
  column->addWidget(note_);
  column->addWidget(chart_, 1);
  connect(preset_, &QComboBox::textActivated, &model_, &WhatIfModel::choose_preset);
  connect(trace_, &QPushButton::clicked, this, [this] { choose(tr("Choose a trace"), &WhatIfModel::set_trace); });
  connect(times_, &QPushButton::clicked, this,
          [this] { choose(tr("Choose a table of times"), &WhatIfModel::set_times); });
  connect(&model_, &WhatIfModel::changed, this, &WhatIfPage::show_choices);
  show_choices();
}

QWidget* WhatIfPage::new_budgets() {
  auto* budgets = new QWidget;
  auto* row = new QHBoxLayout(budgets);
  row->setContentsMargins(8, 2, 8, 0);
  const std::array<QString, 2> names{tr("Fastest tier"), tr("Second tier")};
  for (std::size_t tier = 0; tier < shares_.size(); ++tier) {
    QDoubleSpinBox* const box = shares_[tier];
    box->setRange(0, 1000);
    box->setDecimals(1);
    box->setSuffix(tr(" %"));
    box->setValue(model_.share(tier) * 100);
    box->setKeyboardTracking(false);
    box->setAccessibleName(names[tier]);
    box->setToolTip(tr("Budget as a share of all contexts of the trace, uncompressed"));
    row->addWidget(new QLabel(names[tier]));
    row->addWidget(box);
    connect(box, &QDoubleSpinBox::valueChanged, &model_,
            [this, tier](double percent) { model_.set_share(tier, percent / 100); });
  }
  row->addStretch(1);
  return budgets;
}

void WhatIfPage::choose(const QString& title, void (WhatIfModel::*take)(const QString&)) {
  auto* dialog = new QFileDialog(this, title);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, &model_, take);
  dialog->open();
}

void WhatIfPage::show_choices() {
  const QSignalBlocker quiet(preset_);
  if (preset_->count() != model_.presets().size()) {
    preset_->clear();
    preset_->addItems(model_.presets());
  }
  preset_->setCurrentText(model_.preset());
  const auto tip = [](const QString& what, const QString& path) { return path.isEmpty() ? what : what + '\n' + path; };
  trace_->setToolTip(
      tip(tr("Recorded traffic of another system, in a format of simulate; its first 2,000 requests"), model_.trace()));
  times_->setToolTip(
      tip(tr("Measured times instead of the model's: a table with tokens, seconds and tier"), model_.times()));
  note_->setText(model_.note());
}

void WhatIfPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  model_.open();
}

}  // namespace kvantage
