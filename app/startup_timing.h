// How long the window's program takes to start, from the beginning of its process to the first painted curve:
// --startup-timing FILE (docs/performance-window.md).
#pragma once

#include <QObject>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace kvantage {

class MainWindow;

/// When a process was started, in ticks of the kernel since the machine was: the 22nd field of /proc/PID/stat.
/// rejected_input for another text.
Expected<double> start_ticks(std::string_view stat);

/// Seconds since the kernel started this process, which it knows to 10 ms. A program that executes itself again, as
/// this one does, is the same process. Time that the machine sleeps counts.
class StartupTiming {
 public:
  /// Notes "main". What the kernel does not say is counted from here.
  StartupTiming();
  /// Only the first time that something is reached counts.
  void note(std::string_view what);
  /// Notes "session_ready" (costs are timed), "sensitivity_curve" and "frontier_curve": the end of the first paint that
  /// drew points. A file that is not empty is written behind each of the two; a failure is a warning on stderr.
  /// The window must not outlive this.
  void watch(MainWindow& window, const std::filesystem::path& file);
  /// {"format", "version", "start_resolution_seconds", "seconds": {what: seconds}, "first_curve": what or null}.
  Json to_json() const;

 private:
  void note_curve(std::string_view what, QObject& context, const std::filesystem::path& file);

  double start_ = 0, resolution_ = 0;  // seconds since the machine was started
  std::vector<std::pair<std::string, double>> seconds_;
  std::string first_curve_;
};

}  // namespace kvantage
