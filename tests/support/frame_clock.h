// How long a window works, and on what: an application that times every event that it hands out. Two measures:
// A picture is what one UpdateRequest put on the screen; its time is the work from where the loop began on it (after a
// rest, or after the picture before) until it is there. A stretch is work without a pause of a tenth of a millisecond;
// it may show several pictures one after the other, and the loop looks at the input between them. A frame lasts from
// one tick of the window's timer (its name: frame_timer) to the next; what counts is its longest stretch. The longest
// of both kinds list the events that they consist of.
#pragma once

#include <sys/resource.h>
#include <time.h>

#include <QApplication>
#include <QDockWidget>
#include <QEvent>
#include <QTimer>
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kvantage::test {

class FrameClock final : public QApplication {
 public:
  /// `wall_ms`, `cpu_ms`: the longest stretch, by the clock and on the processor; `work_ms`: of all, on the processor.
  struct Frame {
    double wall_ms = 0, cpu_ms = 0, work_ms = 0;
  };
  /// `wall_ms`, `cpu_ms`: from the beginning of work on it to its end, by the clock and on the processor.
  struct Picture {
    double wall_ms = 0, cpu_ms = 0;
  };
  /// Events that one view received; what they caused other views to receive is theirs.
  struct Part {
    std::uint64_t events = 0;
    double cpu_ms = 0, longest_ms = 0;
  };
  using Parts = std::map<std::pair<std::string, std::string>, Part>;  // by view and kind of event
  using Events = std::vector<std::pair<std::string, double>>;  // what the loop handed out, in order, and how long, on
                                                               // the processor
  /// The stretch or picture that took the processor longest; pages that the system brought in during the stretch.
  struct Longest {
    double cpu_ms = 0, wall_ms = 0;
    long faults = 0;
    Events events;
  };

  FrameClock(int& argc, char** argv) : QApplication(argc, argv) {}

  void start() {
    frames_.clear();
    pictures_.clear();
    parts_.clear();
    frame_ = {};
    stretch_ = {};
    picture_ = {};
    longest_ = {};
    longest_picture_ = {};
    counting_ = true;
  }
  void stop() {
    end_stretch();
    counting_ = false;
    if (!frames_.empty()) frames_.erase(frames_.begin());  // it began before the first tick
  }
  const std::vector<Frame>& frames() const { return frames_; }
  const Parts& parts() const { return parts_; }
  const Longest& longest() const { return longest_; }
  const std::vector<Picture>& pictures() const { return pictures_; }
  const Longest& longest_picture() const { return longest_picture_; }

  /// Called behind every event, once its receiver is through with it.
  std::function<void(const QObject* receiver, QEvent::Type type)> seen;

  bool notify(QObject* receiver, QEvent* event) override {
    if (seen) {
      const QEvent::Type type = event->type();
      const bool taken = timed(receiver, event);
      if (seen) seen(receiver, type);
      return taken;
    }
    return timed(receiver, event);
  }

  bool timed(QObject* receiver, QEvent* event) {
    if (!counting_) return QApplication::notify(receiver, event);
    const std::pair<std::string, std::string> part{view_of(receiver), kind_of(*event)};  // it may be gone afterwards
    const bool outermost = depth_++ == 0, shows = event->type() == QEvent::UpdateRequest;
    const double wall = wall_ms(), cpu = cpu_ms();
    if (outermost)
      begin_event(wall, cpu, event->type() == QEvent::Timer && receiver->objectName() == QLatin1String("frame_timer"));
    const double others = std::exchange(inner_ms_, 0);
    const bool taken = QApplication::notify(receiver, event);
    const double spent = cpu_ms() - cpu;
    Part& of = parts_[part];
    ++of.events;
    of.cpu_ms += spent - inner_ms_;
    of.longest_ms = std::max(of.longest_ms, spent - inner_ms_);
    inner_ms_ = others + spent;
    if (--depth_ == 0) {
      inner_ms_ = 0;
      stretch_.events.emplace_back(part.first + " " + part.second, spent);
      picture_.events.push_back(stretch_.events.back());
      stretch_.wall_end = wall_ms();
      stretch_.cpu_end = cpu_ms();
      if (shows) end_picture();
    }
    return taken;
  }

  /// A dock's name; "frontier", "status bar" or a class for what is in none.
  static std::string view_of(const QObject* object) {
    for (const QObject* at = object; at != nullptr; at = at->parent()) {
      if (const auto* dock = qobject_cast<const QDockWidget*>(at)) return dock->objectName().toStdString();
      const QByteArray type = at->metaObject()->className();
      if (type == "kvantage::FrontierPage") return "frontier";
      if (type == "QStatusBar") return "status bar";
      if (at->parent() == nullptr) return type.toStdString();
    }
    return {};
  }

 private:
  struct Stretch {
    double wall_begin = 0, wall_end = 0, cpu_begin = 0, cpu_end = 0;
    bool ticked = false, open = false;
    long faults = 0;
    Events events = {};
  };
  struct Drawing {
    double wall_begin = 0, cpu_begin = 0;
    Events events = {};
  };

  static double wall_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  static double cpu_ms() {
    timespec at{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return static_cast<double>(at.tv_sec) * 1e3 + static_cast<double>(at.tv_nsec) * 1e-6;
  }
  static long page_faults() {
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_minflt + used.ru_majflt;
  }
  static std::string kind_of(const QEvent& event) {
    switch (event.type()) {
      case QEvent::Timer:
        return "timer";
      case QEvent::Paint:
        return "paint";
      case QEvent::MetaCall:
        return "queued call";
      case QEvent::UpdateRequest:
        return "show what was painted";
      case QEvent::LayoutRequest:
      case QEvent::Resize:
      case QEvent::Move:
        return "layout";
      default:
        return "other";
    }
  }

  void begin_event(double wall, double cpu, bool tick) {
    constexpr double rest_ms = 0.1;
    if (!stretch_.open || wall - stretch_.wall_end > rest_ms) {
      end_stretch();
      stretch_ = {wall, wall, cpu, cpu, false, true, page_faults(), {}};
      picture_ = {wall, cpu, {}};
    }
    stretch_.ticked = stretch_.ticked || tick;
  }
  void end_picture() {
    const Picture shown{stretch_.wall_end - picture_.wall_begin, stretch_.cpu_end - picture_.cpu_begin};
    pictures_.push_back(shown);
    if (shown.cpu_ms > longest_picture_.cpu_ms)
      longest_picture_ = {shown.cpu_ms, shown.wall_ms, 0, std::move(picture_.events)};
    picture_ = {stretch_.wall_end, stretch_.cpu_end, {}};
  }
  void end_stretch() {
    if (!stretch_.open) return;
    if (stretch_.ticked) {
      frames_.push_back(frame_);
      frame_ = {};
    }
    const double wall = stretch_.wall_end - stretch_.wall_begin, cpu = stretch_.cpu_end - stretch_.cpu_begin;
    frame_.wall_ms = std::max(frame_.wall_ms, wall);
    frame_.cpu_ms = std::max(frame_.cpu_ms, cpu);
    frame_.work_ms += cpu;
    if (cpu > longest_.cpu_ms) longest_ = {cpu, wall, page_faults() - stretch_.faults, std::move(stretch_.events)};
    stretch_.open = false;
  }

  bool counting_ = false;
  int depth_ = 0;
  double inner_ms_ = 0;
  Stretch stretch_;
  Frame frame_;
  Drawing picture_;
  Longest longest_, longest_picture_;
  std::vector<Frame> frames_;
  std::vector<Picture> pictures_;
  Parts parts_;
};

}  // namespace kvantage::test
