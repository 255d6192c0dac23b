// The middle of the window: messages at the top, and below them one page: the start page, the Frontier, or the page of
// another mode.
#pragma once

#include <QCoreApplication>
#include <QMainWindow>
#include <QStackedWidget>
#include <functional>

#include "ui/live/frontier/frontier_page.h"
#include "ui/live/timeline/time_line.h"
#include "ui/session/window_models.h"
#include "ui/welcome/start_page.h"
#include "ui/widgets/banner.h"

namespace kvantage {

class WindowPages {
  Q_DECLARE_TR_FUNCTIONS(WindowPages)
 public:
  /// Becomes the central widget of the window, which owns the pages from then on.
  WindowPages(QMainWindow& window, WindowModels& models, const ReadingCheck::TextOf& text_of);
  Banner& banner() const { return *banner_; }
  /// Shows a message in the banner, while this lives.
  std::function<void(const QString& level, const QString& text)> say() const;
  /// Pages of modes are added to it.
  QStackedWidget& stack() const { return *stack_; }
  StartPage& start() const { return *start_; }
  FrontierPage& frontier() const { return *frontier_; }
  /// Below the Frontier.
  TimeLine& time_line() const { return *time_line_; }
  bool shows_start() const { return stack_->currentWidget() == start_; }
  /// The page of Live: the Frontier, or the start page while nothing is loaded.
  void show_live(bool loading);

 private:
  Banner* banner_;
  QStackedWidget* stack_;
  StartPage* start_;
  FrontierPage* frontier_;
  TimeLine* time_line_;
};

}  // namespace kvantage
