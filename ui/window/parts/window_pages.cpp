#include "ui/window/parts/window_pages.h"

#include <QVBoxLayout>

namespace kvantage {

WindowPages::WindowPages(QMainWindow& window, WindowModels& models, const ReadingCheck::TextOf& text_of)
    : banner_(new Banner),
      stack_(new QStackedWidget),
      start_(new StartPage(models.run)),
      frontier_(new FrontierPage(models.run, models.settings, text_of)),
      time_line_(new TimeLine(models.run.time_line, models.run.selection)) {
  auto* center = new QWidget;
  auto* column = new QVBoxLayout(center);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* banner_row = new QVBoxLayout;
  banner_row->setContentsMargins(6, 4, 6, 4);
  banner_row->addWidget(banner_);
  column->addLayout(banner_row);
  stack_->setObjectName("centrePages");
  column->addWidget(stack_, 1);
  start_->setAccessibleName(tr("Welcome"));
  stack_->addWidget(start_);
  frontier_->setAccessibleName(tr("Frontier"));
  stack_->addWidget(frontier_);
  time_line_->follow_replay(models.replay);
  frontier_->layout()->addWidget(time_line_);
  center->setMinimumSize(320, 220);
  window.setCentralWidget(center);
}

std::function<void(const QString& level, const QString& text)> WindowPages::say() const {
  return [banner = banner_](const QString& level, const QString& text) { banner->show_message(level, text); };
}

void WindowPages::show_live(bool loading) {
  stack_->setCurrentWidget(loading ? static_cast<QWidget*>(start_) : static_cast<QWidget*>(frontier_));
}

}  // namespace kvantage
