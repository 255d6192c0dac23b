// The guided tour and the lessons of one window, and where they are offered.
#pragma once

#include <QMainWindow>
#include <QSettings>

#include "ui/learn/lessons.h"
#include "ui/learn/tour.h"

namespace kvantage {

class WindowGuides : public QObject {
  Q_OBJECT
 public:
  WindowGuides(QMainWindow& window, const WindowOptions& options, WindowModels& models, WindowPages& pages,
               WindowViews& views, Presenter& presenter, QSettings& kept);
  Tour& tour() { return *tour_; }
  Lessons& lessons() { return *lessons_; }
  /// The session is there: the lesson that was asked for, else the tour where it has never been seen. The tour is about
  /// Live: it waits while another mode is shown.
  void begin();
  void set_theme(const Theme& theme);

 private:
  void start_waiting_tour();
  QSettings& kept_;
  WindowViews& views_;
  const bool tour_at_first_start_;
  bool tour_waits_ = false;
  Tour* tour_;
  Lessons* lessons_;
};

}  // namespace kvantage
