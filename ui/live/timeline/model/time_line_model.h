// What happened along a run, for its timeline: setting and policy changes, drift, re-profiles, faults, start and pause.
// Changes of one setting that follow each other closely, as a slider makes them, are one annotation; so are alike
// faults.
#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "core/ports/session.h"
#include "ui/session/run_marks.h"

namespace kvantage {

struct TimeAnnotation {
  double seconds = 0;  // of the run's clock; of several, the latest
  RunMark mark;
  int count = 1;  // alike ones
  /// Short, beside its place: "α 0.3 → 0.05".
  QString label() const;
  /// Whole, with its time: "12.3 s: α: 0.3 → 0.05"; a run's id is a line of its own.
  QString text() const;
};

class TimeLineModel : public QObject {
  Q_OBJECT
 public:
  static constexpr std::size_t annotation_limit = 1000;
  static constexpr double merge_seconds = 2;

  struct Content {
    std::vector<TimeAnnotation> annotations;  // ascending in time
    double now = 0;                           // of the latest event
    /// False: nothing to note.
    bool add(const EventPayload& payload, double seconds);
    void add(RunMark mark, double seconds);
  };

  explicit TimeLineModel(QObject* parent = nullptr) : QObject(parent) {}
  /// `seconds`: of the run's clock, not decreasing.
  void apply(const Event& event, double seconds);
  /// Starts and pauses are no events of a run.
  void state_changed(RunState state, double seconds);
  void clear();
  Content content() const { return content_; }
  void set_content(const Content& content);
  void swap_content(TimeLineModel& other);

  const std::vector<TimeAnnotation>& annotations() const { return content_.annotations; }
  double now() const { return content_.now; }

 signals:
  /// For now() alone, ten times a second of the run at most.
  void changed();

 private:
  Content content_;
  double told_ = 0;  // now() of the last signal
  RunState state_ = RunState::loading;
};

/// Of a recorded run as a whole.
TimeLineModel::Content annotations_of(const std::vector<Event>& events);

}  // namespace kvantage
