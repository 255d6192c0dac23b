#include "ui/papers/figure_settings_form.h"

#include <QGridLayout>
#include <QLabel>

#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {

FigureSettingsForm::FigureSettingsForm(QWidget* parent) : QScrollArea(parent) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::NoFocus);
}

void FigureSettingsForm::show_figure(const PaperFigure& figure) {
  if (figure_ == &figure) return;
  figure_ = &figure;
  lines_.clear();
  auto* page = new QWidget;
  auto* grid = new QGridLayout(page);
  grid->setContentsMargins(8, 6, 8, 6);
  grid->setHorizontalSpacing(10);
  grid->setVerticalSpacing(4);
  if (figure.settings.empty()) grid->addWidget(new QLabel(tr("This figure has no settings.")), 0, 0);
  const QMap<QString, QString> kept = changed_.value(to_q(figure.name));
  int row = 0;
  for (const FigureSetting& setting : figure.settings) {
    const QString option = to_q(setting.option), standard = to_q(setting.standard);
    auto* line = new QLineEdit(kept.value(option, standard));
    line->setPlaceholderText(core_text(setting.otherwise));
    line->setAccessibleName(core_text(setting.label));
    line->setToolTip(standard.isEmpty()
                         ? tr("%1. If empty: %2").arg(core_text(setting.tip), core_text(setting.otherwise))
                         : tr("%1. Default: %2").arg(core_text(setting.tip), standard));
    auto* label = plain_label(core_text(setting.label));
    label->setToolTip(line->toolTip());
    label->setBuddy(line);
    grid->addWidget(label, row, 0);
    grid->addWidget(line, row++, 1);
    lines_[option] = line;
    connect(line, &QLineEdit::textChanged, this,
            [this, name = to_q(figure.name), option, standard](const QString& text) {
              if (text.trimmed() == standard)
                changed_[name].remove(option);
              else
                changed_[name][option] = text;
              emit edited();
            });
  }
  grid->setRowStretch(row + 1, 1);
  grid->setColumnStretch(1, 1);
  setWidget(page);
}

FigureOptions FigureSettingsForm::options() const {
  FigureOptions options;
  if (figure_ == nullptr) return options;
  for (const FigureSetting& setting : figure_->settings)
    if (const QLineEdit* at = line(to_q(setting.option)); at && !at->text().trimmed().isEmpty())
      options.emplace_back(to_q(setting.option), at->text().trimmed());
  return options;
}

bool FigureSettingsForm::changed() const {
  return figure_ != nullptr && !changed_.value(to_q(figure_->name)).isEmpty();
}

void FigureSettingsForm::set_standards() {
  if (figure_ == nullptr) return;
  for (const FigureSetting& setting : figure_->settings)
    if (QLineEdit* at = line(to_q(setting.option))) at->setText(to_q(setting.standard));
}

}  // namespace kvantage
