#include "ui/learn/prediction_panel.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <utility>

#include "ui/learn/broken_lines.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

struct NumberForm {
  int decimals = 2;
  double step = 0.05;
};

NumberForm form_of(const LessonGuess& guess) {
  if (guess.kind == LessonGuess::Kind::curve_point) return {4, 0.01};
  if (guess.unit == QStringLiteral("%")) return {0, 5};
  return guess.unit == QStringLiteral("s") ? NumberForm{3, 0.01} : NumberForm{};
}

}  // namespace

PredictionPanel::PredictionPanel(LessonPredictions& predictions, const LessonStep& step, int number, MeanAt mean_at,
                                 QWidget* parent)
    : QWidget(parent),
      predictions_(predictions),
      guess_(step.guess),
      number_(number),
      mean_at_(std::move(mean_at)),
      point_(plain_label()),
      result_(plain_label()),
      commit_(new QPushButton(tr("Co&mmit prediction"))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  for (const LessonChoice& choice : guess_.choices) {
    auto* button = new QRadioButton;  // its text comes once the panel has its width
    button->setAccessibleName(choice.text);
    button->setToolTip(tr("Select your prediction; commit it before you see the result"));
    column->addWidget(button);
    choices_.push_back(button);
    connect(button, &QRadioButton::toggled, this, [this] { show_state(); });
  }
  auto* row = new QHBoxLayout;
  if (guess_.kind != LessonGuess::Kind::choice) row->addWidget(make_box());
  row->addStretch(1);
  row->addWidget(commit_);
  column->addLayout(row);
  for (QLabel* label : {point_, result_}) {
    label->setWordWrap(true);
    label->hide();
    column->addWidget(label);
  }
  point_->setProperty("muted", true);
  commit_->setAutoDefault(false);
  commit_->setAccessibleName(tr("Commit prediction"));
  commit_->setToolTip(tr("The result is shown afterwards; a committed prediction stays as it is"));
  connect(commit_, &QPushButton::clicked, this, &PredictionPanel::commit);
  connect(&predictions_, &LessonPredictions::changed, this, [this](int changed) {
    if (changed == number_) show_state();
  });
  show_state();
}

// Its lowest value stands for none: nothing is proposed.
QWidget* PredictionPanel::make_box() {
  const NumberForm form = form_of(guess_);
  const bool on_curve = guess_.kind == LessonGuess::Kind::curve_point;
  constexpr double largest_alpha = 1e6;
  box_ = new QDoubleSpinBox;
  box_->setLocale(QLocale::c());
  box_->setDecimals(form.decimals);
  box_->setRange(on_curve ? 0 : guess_.range.low - form.step, on_curve ? largest_alpha : guess_.range.high);
  box_->setSingleStep(form.step);
  if (on_curve) box_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  box_->setSpecialValueText(QStringLiteral("–"));
  if (!guess_.unit.isEmpty()) box_->setSuffix(QStringLiteral(" ") + guess_.unit);
  if (on_curve) box_->setPrefix(QStringLiteral("α = "));
  box_->setAccessibleName(tr("Your prediction"));
  box_->setToolTip(on_curve ? tr("Your prediction: an α; click the curve of the Frontier to choose it, or type it")
                            : tr("Your prediction: a number from %1 to %2 %3")
                                  .arg(number_text(guess_.range.low), number_text(guess_.range.high), guess_.unit)
                                  .trimmed());
  box_->setMinimumWidth(110);
  box_->setValue(box_->minimum());
  connect(box_, &QDoubleSpinBox::valueChanged, this, [this] { show_state(); });
  return box_;
}

void PredictionPanel::pick(double alpha) {
  if (box_ && guess_.kind == LessonGuess::Kind::curve_point && predictions_.is_open(number_)) box_->setValue(alpha);
}

int PredictionPanel::chosen() const {
  for (std::size_t i = 0; i < choices_.size(); ++i)
    if (choices_[i]->isChecked()) return static_cast<int>(i);
  return -1;
}

bool PredictionPanel::is_answered() const {
  if (!box_) return chosen() >= 0;
  return guess_.kind == LessonGuess::Kind::curve_point ? box_->value() > 0 : box_->value() >= guess_.range.low;
}

void PredictionPanel::commit() {
  if (!is_answered()) return;
  if (box_)
    predictions_.commit_number(number_, box_->value());
  else
    predictions_.commit_choice(number_, chosen());
}

void PredictionPanel::show_state() {
  const LessonPrediction* prediction = predictions_.at(number_);
  if (!prediction) return;
  const bool open = predictions_.is_open(number_);
  if (predictions_.is_committed(number_)) {  // in another panel, maybe
    const QSignalBlocker quiet(box_);
    if (box_) box_->setValue(prediction->number);
    if (prediction->choice >= 0 && static_cast<std::size_t>(prediction->choice) < choices_.size())
      choices_[static_cast<std::size_t>(prediction->choice)]->setChecked(true);
  }
  if (box_) box_->setEnabled(open);
  for (QRadioButton* choice : choices_) choice->setEnabled(open);
  commit_->setVisible(open);
  commit_->setEnabled(open && is_answered());
  const QString result = predictions_.result_text(number_);
  result_->setText(result);
  result_->setVisible(!result.isEmpty());
  show_point();
}

// What the curve says at the chosen alpha.
void PredictionPanel::show_point() {
  const bool shows = guess_.kind == LessonGuess::Kind::curve_point && mean_at_ && is_answered();
  const auto mean = shows ? mean_at_(box_->value()) : std::nullopt;
  if (shows)
    point_->setText(mean ? tr("Predicted there: quality %1, TTFT %2")
                               .arg(quality_text(mean->quality), seconds_text(mean->ttft_seconds))
                         : tr("The curve does not reach this α"));
  point_->setVisible(shows);
}

void PredictionPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  for (QRadioButton* choice : choices_) set_broken_text(*choice, choice->accessibleName(), width());
}

}  // namespace kvantage
