#include "app/startup_timing.h"

#include <QTimer>

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "core/base/files.h"
#include "core/base/shown_text.h"
#include "ui/live/contexts/sensitivity_dock.h"
#include "ui/live/frontier/frontier_page.h"
#include "ui/window/main_window.h"
#include "ui/window/window_part.h"

namespace kvantage {
namespace {

/// By the clock that the kernel has the start of a process by.
double seconds_since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string own_stat() {
  std::ifstream stream("/proc/self/stat");
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

// The name of the program, in parentheses, may have spaces and parentheses of its own.
Expected<double> start_ticks(std::string_view stat) {
  constexpr int fields_before = 19;  // behind the name, from the state on
  const auto name_end = stat.rfind(')');
  std::string_view rest = name_end == std::string_view::npos ? std::string_view() : stat.substr(name_end + 1);
  const auto skip_spaces = [&rest] { rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size())); };
  for (int field = 0; field < fields_before; ++field) {
    skip_spaces();
    rest.remove_prefix(std::min(rest.find(' '), rest.size()));
  }
  skip_spaces();
  std::uint64_t ticks = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), ticks);
  if (error != std::errc() || end == rest.data())
    return fail(ErrorCode::rejected_input, "/proc/self/stat: has no start of the process");
  return static_cast<double>(ticks);
}

StartupTiming::StartupTiming() {
  const auto ticks = start_ticks(own_stat());
  const long ticks_per_second = ::sysconf(_SC_CLK_TCK);
  const bool is_known = ticks && ticks_per_second > 0;
  resolution_ = is_known ? 1.0 / static_cast<double>(ticks_per_second) : 0;
  start_ = is_known ? *ticks * resolution_ : seconds_since_boot();
  note("main");
}

void StartupTiming::note(std::string_view what) {
  if (std::ranges::find(seconds_, what, &std::pair<std::string, double>::first) != seconds_.end()) return;
  seconds_.emplace_back(what, seconds_since_boot() - start_);
}

void StartupTiming::note_curve(std::string_view what, QObject& context, const std::filesystem::path& file) {
  note(what);
  if (first_curve_.empty()) first_curve_ = what;
  if (file.empty()) return;
  QTimer::singleShot(0, &context, [this, file] {  // behind the paint
    const Status written = write_text_file(file, dump_json(to_json(), 1) + "\n");
    if (!written)
      std::fprintf(stderr, "warning: %s\n", message_line("--startup-timing: " + written.error().message, 280).c_str());
  });
}

void StartupTiming::watch(MainWindow& window, const std::filesystem::path& file) {
  QObject::connect(&window.models().run, &RunModel::stateChanged, &window, [this](RunState state) {
    if (state != RunState::loading) note("session_ready");
  });
  const auto watch_chart = [this, &window, file](ChartPanel& chart, const char* what) {
    QObject::connect(
        &chart, &ChartPanel::drawn, &window, [this, &window, file, what] { note_curve(what, window, file); },
        Qt::SingleShotConnection);
  };
  watch_chart(window.body<SensitivityDock>(QStringLiteral("sensitivity"))->curves(), "sensitivity_curve");
  watch_chart(part_of<FrontierPage>(window).chart(), "frontier_curve");
}

Json StartupTiming::to_json() const {
  Json seconds = Json::object();
  for (const auto& [what, reached] : seconds_) seconds[what] = reached;
  return Json{{"format", "kvantage-startup-timing"},
              {"version", 1},
              {"start_resolution_seconds", resolution_},
              {"seconds", std::move(seconds)},
              {"first_curve", first_curve_.empty() ? Json(nullptr) : Json(first_curve_)}};
}

}  // namespace kvantage
