// Where a user begins: what can be opened, tried and read, and while the engine loads every piece of work with its
// progress, or why it failed. Shown until the session is ready, and again on request.
#pragma once

#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStringList>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>
#include <functional>
#include <map>

#include "ui/learn/model/lesson_file.h"
#include "ui/look/theme.h"
#include "ui/session/run_model.h"
#include "ui/welcome/sample_menu.h"
#include "ui/welcome/start_card.h"

namespace kvantage {

/// What the page leads to; what is empty is left out.
struct StartOffers {
  std::vector<SampleEntry> samples = {};
  std::function<void(const QString& path)> open = {};  // of a sample or a recent path
  std::function<QStringList()> recent = {};            // latest first; asked whenever the page is shown
  std::function<void()> use_text = {}, use_folder = {}, use_model = {}, tour = {}, guide = {};
  // Where loading failed: again, or with a store of its own where `store_failed` says that this helps.
  std::function<void()> retry = {}, separate_store = {};
  std::function<bool()> store_failed = {};
};

class StartPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit StartPage(RunModel& run, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  /// A line below the progress: lessons to begin with once everything is loaded.
  void offer_lessons(const std::vector<Lesson>& lessons, const std::function<void(const QString& path)>& begin);
  void offer(StartOffers offers);
  int work_count() const { return static_cast<int>(rows_.size()); }

 signals:
  /// The session is there, and the user wants to see it.
  void leave();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void enlarge_title();
  void add_samples();
  void add_actions();
  void add_remedies();
  void show_recent();
  /// Choices with what they are, or in a low page by their names alone, so that all are seen without scrolling.
  void set_compact(bool compact);
  void place_choices();
  void show_state(RunState state);
  void show_work();
  struct Row {
    QLabel *what, *amount;
    QProgressBar* bar;
  };
  RunModel& run_;
  QLabel *logo_, *title_, *subtitle_;
  QWidget* progress_;  // holds work_
  QWidget* remedies_;  // what to do where loading failed
  QGridLayout* work_;
  QVBoxLayout* offered_;
  QGridLayout *actions_, *samples_, *recent_;
  QPushButton* back_;
  StartOffers offers_;
  std::vector<StartCard*> action_cards_, sample_cards_;
  bool compact_ = false;
  std::map<QString, Row> rows_;
  QToolButton* lesson_button_ = nullptr;
  QString chosen_;  // the lesson that waits, in words
};

}  // namespace kvantage
