#include "ui/start_page.h"

#include <QHBoxLayout>
#include <QMenu>

#include "ui/icons.h"
#include "ui/models/words.h"

namespace kvantage {

StartPage::StartPage(RunModel& run, QWidget* parent)
    : QWidget(parent),
      run_(run),
      logo_(new QLabel),
      title_(new QLabel),
      subtitle_(new QLabel),
      work_(new QVBoxLayout),
      lessons_(new QVBoxLayout) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  auto* outer = new QHBoxLayout(this);
  auto* column = new QVBoxLayout;
  auto* middle = new QWidget;
  middle->setMaximumWidth(560);  // a bar as wide as a large screen says no more
  middle->setLayout(column);
  outer->addStretch(1);
  outer->addWidget(middle, 3);
  outer->addStretch(1);
  column->setContentsMargins(0, 0, 0, 0);
  column->addStretch(2);
  logo_->setPixmap(application_icon().pixmap(72, 72));
  column->addWidget(logo_, 0, Qt::AlignHCenter);
  QFont big = title_->font();
  big.setPointSizeF(big.pointSizeF() * 1.7);
  big.setWeight(QFont::DemiBold);
  title_->setFont(big);
  title_->setAlignment(Qt::AlignHCenter);
  title_->setText(QStringLiteral("KVantage"));
  column->addSpacing(8);
  column->addWidget(title_);
  subtitle_->setAlignment(Qt::AlignHCenter);
  subtitle_->setWordWrap(true);
  subtitle_->setProperty("muted", true);
  column->addWidget(subtitle_);
  column->addSpacing(12);
  work_->setSpacing(7);
  column->addLayout(work_);
  column->addSpacing(14);
  column->addLayout(lessons_);
  column->addStretch(3);
  connect(&run_, &RunModel::stateChanged, this, &StartPage::show_state);
  connect(&run_, &RunModel::workChanged, this, &StartPage::show_work);
  connect(&run_, &RunModel::infoChanged, this, [this] { show_state(run_.state()); });
  show_state(RunState::loading);
}

void StartPage::offer_lessons(const std::vector<Lesson>& lessons,
                              const std::function<void(const QString& path)>& begin) {
  if (lessons.empty()) return;
  auto* menu = new QMenu(this);
  menu->setToolTipsVisible(true);
  lesson_button_ = new QToolButton;
  lesson_button_->setObjectName("startLessons");
  lesson_button_->setText(tr("New here? Start with a lesson"));
  lesson_button_->setToolTip(tr("A lesson starts when loading finishes. See also Help > Lessons."));
  lesson_button_->setAccessibleName(tr("Start with a lesson"));
  lesson_button_->setFocusPolicy(Qt::TabFocus);
  lesson_button_->setPopupMode(QToolButton::InstantPopup);
  lesson_button_->setMenu(menu);
  lesson_button_->setProperty("framed", true);
  lessons_->addWidget(lesson_button_, 0, Qt::AlignHCenter);
  for (const Lesson& lesson : lessons) {
    QAction* action = menu->addAction(QString(lesson.title).replace('&', QStringLiteral("&&")));
    action->setToolTip(lesson.about);
    connect(action, &QAction::triggered, this, [this, begin, lesson] {
      lesson_button_->setEnabled(false);
      chosen_ = tr("“%1” starts when loading finishes.").arg(lesson.title);
      begin(lesson.path);
      show_state(run_.state());
    });
  }
}

void StartPage::set_theme(const Theme&) { update(); }

void StartPage::show_state(RunState state) {
  if (state == RunState::failed) {
    const QString why = run_.log.last_error();
    subtitle_->setText(why.isEmpty() ? tr("Loading failed. See the message above.")
                                     : tr("Loading failed: %1").arg(why));
    return;
  }
  const SessionInfo& info = run_.info();
  subtitle_->setText(info.model_name.empty()
                         ? tr("Loading the model…")
                         : tr("%1 on %2")
                               .arg(to_q(info.model_name),
                                    info.workload_name.empty() ? QStringLiteral("…") : to_q(info.workload_name)));
  if (!chosen_.isEmpty()) subtitle_->setText(subtitle_->text() + '\n' + chosen_);
}

void StartPage::show_work() {
  if (run_.state() != RunState::loading) return;
  for (const RunModel::Work& work : run_.work()) {
    auto found = rows_.find(work.what);
    if (found == rows_.end()) {
      Row row{new QLabel(work.what), new QLabel, new QProgressBar};
      row.bar->setTextVisible(false);
      row.bar->setAccessibleName(work.what);
      row.amount->setProperty("muted", true);
      for (QLabel* label : {row.what, row.amount})
        label->setMinimumHeight(label->fontMetrics().height());  // whole letters where room is scarce
      auto* line = new QHBoxLayout;
      line->addWidget(row.what, 1);
      line->addWidget(row.amount);
      auto* pair = new QVBoxLayout;
      pair->setSpacing(3);
      pair->addLayout(line);
      pair->addWidget(row.bar);
      work_->addLayout(pair);
      found = rows_.emplace(work.what, row).first;
    }
    const Row& row = found->second;
    row.bar->setRange(0, work.total == 0 ? 0 : 1000);
    if (work.total > 0)
      row.bar->setValue(static_cast<int>(1000.0 * static_cast<double>(work.done) / static_cast<double>(work.total)));
    row.amount->setText(
        work.finished()   ? tr("done")
        : work.total == 0 ? QString()
        : work.eta_seconds > 1
            ? tr("%1 of %2, %3 left").arg(work.done).arg(work.total).arg(seconds_text(std::ceil(work.eta_seconds)))
            : tr("%1 of %2").arg(work.done).arg(work.total));
  }
}

}  // namespace kvantage
