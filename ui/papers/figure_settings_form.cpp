#include "ui/papers/figure_settings_form.h"

#include <QLabel>
#include <algorithm>

#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

QGridLayout* grid_in(QWidget& page) {
  auto* grid = new QGridLayout(&page);
  grid->setHorizontalSpacing(10);
  grid->setVerticalSpacing(4);
  grid->setColumnStretch(1, 1);
  return grid;
}

}  // namespace

FigureSettingsForm::FigureSettingsForm(QWidget* parent) : QScrollArea(parent) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::NoFocus);
}

void FigureSettingsForm::show_figure(const PaperFigure& figure) {
  if (figure_ == &figure) return;
  figure_ = &figure;
  lines_.clear();
  flags_.clear();
  more_button_ = nullptr;
  auto* page = new QWidget;
  QGridLayout* grid = grid_in(*page);
  grid->setContentsMargins(8, 6, 8, 6);
  for (const FigureSetting& setting : figure.settings) {
    const QString standard = to_q(setting.standard), tip = core_text(setting.tip),
                  otherwise = core_text(setting.otherwise);
    add_line(*grid, {to_q(setting.option), standard, core_text(setting.label), otherwise,
                     standard.isEmpty() ? tr("%1. If empty: %2").arg(tip, otherwise)
                                        : tr("%1. Default: %2").arg(tip, standard)});
  }
  add_more(*grid);
  if (lines_.isEmpty() && flags_.isEmpty()) grid->addWidget(new QLabel(tr("This figure has no settings.")), 0, 0);
  grid->setRowStretch(grid->rowCount(), 1);
  setWidget(page);
}

void FigureSettingsForm::add_line(QGridLayout& grid, const Row& row) {
  auto* line = new QLineEdit(changed_.value(to_q(figure_->name)).value(row.option, row.standard));
  line->setPlaceholderText(row.placeholder);
  line->setAccessibleName(row.label);
  line->setToolTip(row.tip);
  auto* label = plain_label(row.label);
  label->setToolTip(row.tip);
  label->setBuddy(line);
  const int place = grid.rowCount();
  grid.addWidget(label, place, 0);
  grid.addWidget(line, place, 1);
  lines_[row.option] = line;
  connect(line, &QLineEdit::textChanged, this,
          [this, option = row.option, standard = row.standard](const QString& text) {
            note_change(option, standard, text);
          });
}

void FigureSettingsForm::add_flag(QGridLayout& grid, const MoreSetting& setting) {
  auto* box = new QCheckBox(setting.label);
  box->setChecked(changed_.value(to_q(figure_->name)).contains(setting.option));
  box->setAccessibleName(setting.label);
  box->setToolTip(setting.tip);
  grid.addWidget(box, grid.rowCount(), 0, 1, 2);
  flags_[setting.option] = box;
  connect(box, &QCheckBox::toggled, this, [this, option = setting.option](bool wanted) {
    note_change(option, {}, wanted ? QString::fromLatin1(flag_on) : QString());
  });
}

void FigureSettingsForm::add_more(QGridLayout& grid) {
  const std::vector<MoreSetting> settings = more_settings(*figure_);
  if (settings.empty()) return;
  more_button_ = new QToolButton;
  more_button_->setText(tr("More"));
  more_button_->setAccessibleName(tr("More settings"));
  more_button_->setToolTip(tr("Settings that the figure rarely needs"));
  more_button_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  more_button_->setAutoRaise(true);
  more_button_->setCheckable(true);
  auto* group = new QWidget;
  QGridLayout* inner = grid_in(*group);
  inner->setContentsMargins(0, 0, 0, 0);
  for (const MoreSetting& setting : settings)
    if (setting.is_flag)
      add_flag(*inner, setting);
    else
      add_line(*inner, {setting.option,
                        {},
                        setting.label,
                        setting.otherwise,
                        tr("%1. If empty: %2").arg(setting.tip, setting.otherwise)});
  grid.addWidget(more_button_, grid.rowCount(), 0, 1, 2);
  grid.addWidget(group, grid.rowCount(), 0, 1, 2);
  const auto fold = [button = more_button_, group](bool open) {
    button->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    group->setVisible(open);
  };
  connect(more_button_, &QToolButton::toggled, group, fold);
  // What was changed is seen.
  const QMap<QString, QString> changed = changed_.value(to_q(figure_->name));
  const bool open = std::ranges::any_of(
      settings, [&changed](const MoreSetting& setting) { return changed.contains(setting.option); });
  fold(open);
  more_button_->setChecked(open);
}

void FigureSettingsForm::note_change(const QString& option, const QString& standard, const QString& text) {
  QMap<QString, QString>& changed = changed_[to_q(figure_->name)];
  if (text.trimmed() == standard)
    changed.remove(option);
  else
    changed[option] = text;
  emit edited();
}

FigureOptions FigureSettingsForm::options() const {
  FigureOptions options;
  if (figure_ == nullptr) return options;
  const auto add_line_of = [&](const QString& option) {
    if (const QLineEdit* at = line(option); at && !at->text().trimmed().isEmpty())
      options.emplace_back(option, at->text().trimmed());
  };
  for (const FigureSetting& setting : figure_->settings) add_line_of(to_q(setting.option));
  for (const MoreSetting& setting : more_settings(*figure_)) {
    if (!setting.is_flag)
      add_line_of(setting.option);
    else if (const QCheckBox* at = flag(setting.option); at && at->isChecked())
      options.emplace_back(setting.option, QString::fromLatin1(flag_on));
  }
  return options;
}

bool FigureSettingsForm::changed() const {
  return figure_ != nullptr && !changed_.value(to_q(figure_->name)).isEmpty();
}

void FigureSettingsForm::set_standards() {
  if (figure_ == nullptr) return;
  for (const FigureSetting& setting : figure_->settings)
    if (QLineEdit* at = line(to_q(setting.option))) at->setText(to_q(setting.standard));
  for (const MoreSetting& setting : more_settings(*figure_)) {
    if (QLineEdit* at = line(setting.option)) at->clear();
    if (QCheckBox* at = flag(setting.option)) at->setChecked(false);
  }
}

}  // namespace kvantage
