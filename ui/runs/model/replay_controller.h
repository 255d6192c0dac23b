// A recorded run in place of the live one: opened in the background, played, scrubbed and stepped; the window's models
// follow within the frame. The live engine waits meanwhile: what it measures would carry the time that drawing takes.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>
#include <vector>

#include "core/ports/run_library.h"
#include "core/report/replay_source.h"
#include "ui/session/background_worker.h"
#include "ui/session/run_model.h"
#include "ui/session/session_switch.h"
#include "ui/session/settings_controller.h"

namespace kvantage {

/// A moment of a recorded run worth going to.
struct ReplayMark {
  enum Kind { eviction, profile, fault, setting, kind_count };
  std::size_t moment = 0;  // right behind the event
  double seconds = 0;      // since the first event
  Kind kind = eviction;
  QString text;
};
/// In tables: "eviction", "re-profile", "fault", "setting".
QString mark_name(ReplayMark::Kind kind);
/// For people: "re-profile", "re-profiles", "3 re-profiles".
QString mark_text(ReplayMark::Kind kind);
QString marks_text(ReplayMark::Kind kind);
QString mark_count_text(ReplayMark::Kind kind, int count);
std::vector<ReplayMark> marks_of(const std::vector<Event>& events);

class ReplayController : public QObject {
  Q_OBJECT
 public:
  static constexpr int every_kind = -1;
  /// Speeds to choose from, as multiples of the run's own.
  static const std::vector<double>& speeds();

  ReplayController(RunModel& run, SettingsController& settings, SessionSwitch& session,
                   std::shared_ptr<RunLibrary> library, QObject* parent = nullptr);
  ~ReplayController() override;

  void open(const QString& run_id);
  void open_file(const QString& path);
  /// Back to the live run; the engine resumes if it was running.
  void close();
  bool opening() const { return opening_; }
  /// What was shown before stays; nothing happens when no run is being opened.
  void cancel_opening();
  bool active() const { return source_ != nullptr; }

  QString run_id() const;
  std::size_t size() const { return source_ ? source_->size() : 0; }
  std::size_t moment() const { return source_ ? source_->now().events : 0; }
  double duration() const { return source_ ? source_->duration() : 0; }
  double now_seconds() const { return source_ ? source_->now().seconds : 0; }
  const std::vector<ReplayMark>& marks() const { return marks_; }
  const ReplaySource* source() const { return source_.get(); }

  /// Goes to the moment after `moment` events.
  void seek(std::size_t moment);
  void seek_seconds(double seconds);
  /// Between these the logs hold their newest rows only.
  void begin_scrub() { scrubbing_ = true; }
  void end_scrub();
  bool scrubbing() const { return scrubbing_; }
  bool playing() const { return source_ && source_->state() == RunState::running; }
  /// From the beginning when at the end.
  void play();
  void pause();
  void set_speed(double speed);
  void step_events(int count);
  /// To the next (1) or previous (-1) mark of a kind, or of any; false when there is none.
  bool jump(int direction, int kind = every_kind);

  /// Once a frame, before the models are drained: plays on by the time since the last.
  void frame();
  /// The same with a time given.
  void advance(double seconds);

 signals:
  void openingChanged();
  /// How much of a run was read, out of `total`.
  void openingProgress(int done, int total);
  /// A run is shown, or the live one again.
  void activeChanged(bool active);
  void moved();
  void playingChanged(bool playing);
  void failed(const QString& message);

 private:
  struct Opened {
    std::unique_ptr<ReplaySource> source;
    std::vector<ReplayMark> marks;
    std::shared_ptr<const RunKeyframes> keyframes;
  };
  template <class Read>
  void open_with(Read read);
  void show(Opened opened);
  void follow();
  void tell_playing();

  RunModel& run_;
  SettingsController& settings_;
  SessionSwitch& session_;
  std::shared_ptr<RunLibrary> library_;
  std::unique_ptr<ReplaySource> source_;
  std::vector<ReplayMark> marks_;
  std::size_t shown_ = 0;  // the moment that the models show
  double speed_ = 1;
  bool opening_ = false, scrubbing_ = false, partial_ = false, told_playing_ = false;
  std::uint64_t job_ = 0;
  QElapsedTimer since_frame_;
  QTimer complete_;
  BackgroundWorker::Cancel in_flight_;
  BackgroundWorker worker_;
};

}  // namespace kvantage
