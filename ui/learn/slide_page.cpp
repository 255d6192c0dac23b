#include "ui/learn/slide_page.h"

#include <QApplication>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QShortcut>
#include <QSignalBlocker>
#include <QUndoStack>
#include <algorithm>

#include "ui/look/font_scale.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

constexpr double slide_scale = 1.6;  // of the text in the window, up to max_slide_percent of the system's
constexpr int max_slide_percent = 220;

QFont slide_font(double factor) {
  QFont font = QApplication::font();
  if (font.pointSizeF() > 0)
    font.setPointSizeF(font.pointSizeF() * factor);
  else
    font.setPixelSize(std::max(1, static_cast<int>(font.pixelSize() * factor)));
  return font;
}

double slide_factor() {
  const double percent = font_percent();
  return std::max(1.0, std::min(percent * slide_scale, static_cast<double>(max_slide_percent)) / percent);
}

void fill_slide_box(QComboBox& box, const std::vector<SlideView>& views, const QString& name, const QString& tip) {
  for (const SlideView& view : views) box.addItem(view.title, view.id);
  box.setAccessibleName(name);
  box.setToolTip(tip);
}

}  // namespace

SlidePage::SlidePage(const SlideParts& parts, const Theme& theme, QWidget* parent)
    : QWidget(parent, Qt::Window),
      parts_(parts),
      theme_(theme),
      large_(slide_font(slide_factor())),
      title_(plain_label()),
      text_(plain_label()),
      number_(plain_label()),
      panel_place_(new QVBoxLayout),
      pages_(new QStackedWidget),
      control_place_(new QVBoxLayout),
      charts_(new QComboBox),
      controls_(new QComboBox),
      previous_(new QPushButton(tr("&Previous"))),
      next_(new QPushButton(tr("&Next"))) {
  setObjectName(QStringLiteral("slidePage"));
  setWindowTitle(tr("KVantage slide"));
  setAttribute(Qt::WA_QuitOnClose, false);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  setFont(large_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(28, 20, 28, 16);
  column->setSpacing(12);
  QFont heading = slide_font(slide_factor() * 1.4);
  heading.setWeight(QFont::DemiBold);
  title_->setFont(heading);
  for (QLabel* label : {title_, text_}) {
    label->setWordWrap(true);
    column->addWidget(label);
  }
  column->addLayout(panel_place_);
  auto* cover = plain_label(tr("Hidden until you commit your prediction"));
  cover->setAlignment(Qt::AlignCenter);
  cover->setWordWrap(true);
  pages_->addWidget(new QWidget);  // where a chart comes
  pages_->addWidget(cover);
  column->addWidget(pages_, 1);
  column->addLayout(control_place_);
  make_bar(*column);
  make_keys();
  show_chart(slide_charts().front().id);
  show_control(slide_controls().front().id);
  show_step({});
}

void SlidePage::make_bar(QVBoxLayout& column) {
  fill_slide_box(*charts_, slide_charts(), tr("Chart of the slide"), tr("The chart that the slide shows"));
  fill_slide_box(*controls_, slide_controls(), tr("Control of the slide"), tr("The control below the chart"));
  auto* leave = new QPushButton(tr("&Leave"));
  previous_->setAccessibleName(tr("Previous step"));
  previous_->setToolTip(tr("Previous step (Page Up)"));
  next_->setAccessibleName(tr("Next step"));
  next_->setToolTip(tr("Next step (Page Down)"));
  leave->setAccessibleName(tr("Leave the slide"));
  leave->setToolTip(tr("Back to the window (Esc)"));
  auto* bar = new QHBoxLayout;
  for (QWidget* part : std::initializer_list<QWidget*>{charts_, controls_}) bar->addWidget(part);
  bar->addStretch(1);
  bar->addWidget(number_);
  for (QPushButton* button : {previous_, next_, leave}) {
    button->setAutoDefault(false);
    bar->addWidget(button);
  }
  column.addLayout(bar);
  connect(charts_, &QComboBox::activated, this, [this] { show_chart(charts_->currentData().toString()); });
  connect(controls_, &QComboBox::activated, this, [this] { show_control(controls_->currentData().toString()); });
  connect(previous_, &QPushButton::clicked, this, &SlidePage::previousAsked);
  connect(next_, &QPushButton::clicked, this, &SlidePage::nextAsked);
  connect(leave, &QPushButton::clicked, this, &SlidePage::left);
}

// Keys of the window do not reach another window: undo is wanted here, too.
void SlidePage::make_keys() {
  QUndoStack& steps = parts_.settings.undo_stack();
  const auto key = [this](const QKeySequence& sequence, const auto& act) {
    connect(new QShortcut(sequence, this), &QShortcut::activated, this, act);
  };
  key(QKeySequence(Qt::Key_Escape), [this] { emit left(); });
  key(QKeySequence(Qt::Key_PageDown), [this] { emit nextAsked(); });
  key(QKeySequence(Qt::Key_PageUp), [this] { emit previousAsked(); });
  key(QKeySequence::Undo, [&steps] { steps.undo(); });
  key(QKeySequence(QStringLiteral("Ctrl+Shift+Z")), [&steps] { steps.redo(); });
}

void SlidePage::show_step(const SlideText& step) {
  const bool lesson = step.number > 0;
  title_->setText(step.title);
  title_->setVisible(lesson);
  set_text(step.text);
  number_->setText(lesson ? tr("%1 of %2").arg(step.number).arg(step.count) : QString());
  for (QWidget* part : std::initializer_list<QWidget*>{previous_, next_, number_}) part->setVisible(lesson);
  for (QWidget* part : std::initializer_list<QWidget*>{charts_, controls_}) part->setVisible(!lesson);
  previous_->setEnabled(step.number > 1);
  next_->setEnabled(step.number < step.count);
}

void SlidePage::set_text(const QString& text) {
  if (text_->text() != text) text_->setText(text);
  text_->setVisible(!text.isEmpty());
}

void SlidePage::choose(const LessonSlide& slide) {
  show_chart(slide.chart);
  show_control(slide.control);
}

void SlidePage::show_chart(const QString& id) {
  const SlideView* view = find_slide_view(slide_charts(), id);
  if (!view || (chart_ && shown_.chart == id)) return;
  const bool was_held = held();
  QWidget* before = pages_->widget(0);
  pages_->removeWidget(before);
  delete before;
  shown_.chart = id;
  chart_ = view->make(parts_);
  pages_->insertWidget(0, chart_);
  style_slide_chart(*chart_, theme_, large_);
  pages_->setCurrentIndex(was_held ? 1 : 0);
  const QSignalBlocker quiet(charts_);
  charts_->setCurrentIndex(charts_->findData(id));
}

void SlidePage::show_control(const QString& id) {
  const SlideView* view = find_slide_view(slide_controls(), id);
  if (!view || (control_ && shown_.control == id)) return;
  delete control_;
  shown_.control = id;
  control_ = view->make(parts_);
  control_place_->addWidget(control_);
  control_->setFocus();
  const QSignalBlocker quiet(controls_);
  controls_->setCurrentIndex(controls_->findData(id));
}

void SlidePage::set_held(bool held) { pages_->setCurrentIndex(held ? 1 : 0); }

void SlidePage::set_panel(QWidget* panel) {
  delete panel_;
  panel_ = panel;
  if (panel) panel_place_->addWidget(panel);
}

void SlidePage::closeEvent(QCloseEvent* event) {
  event->accept();
  emit left();
}

}  // namespace kvantage
