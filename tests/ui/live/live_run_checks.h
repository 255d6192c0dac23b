// A window on a real engine against the engine: what is drawn while a hand drags alpha, measured points against the
// records, bytes of a tier against its budget, and what was recorded.
#pragma once

#include <QTest>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/live_window.h"
#include "tests/ui/live/live_run_readings.h"

namespace live_run_test {

using namespace kvantage;
using namespace kvantage::test;

inline constexpr int patience_ms = 60'000;  // ends at once when the condition holds; other work may share the machine

inline QByteArray message(const auto& expected) {
  return expected ? QByteArray() : QByteArray::fromStdString(expected.error().message);
}

/// Waits for so many more requests.
inline bool serves(MainWindow& window, std::uint64_t requests) {
  const std::uint64_t target = run_of(window).served() + requests;
  return QTest::qWaitFor([&] { return run_of(window).served() >= target; }, patience_ms);
}

/// Presses Pause and waits until the request in flight is finished and the window has heard of it.
inline bool pauses(LiveWindow& live) {
  live.action("Pause")->trigger();
  return QTest::qWaitFor(
      [&] {
        return run_of(*live.window).state() == RunState::paused && !live.request_in_flight() &&
               run_of(*live.window).served() == live.sink.records().size();
      },
      patience_ms);
}

/// Drags alpha's handle to this step: the marker moves, the curve does not.
inline void drag_alpha(LiveWindow& live, int end) {
  MainWindow& window = *live.window;
  QSlider& slider = controls_of(window).alpha().slider();
  // In one turn of the event loop nothing but the hand can change what is shown.
  const auto curve = drawn_curve(window);
  const auto predicted = evicpress_curve(window)->samples;
  QVERIFY(curve.size() > 20);
  const int from = slider.value();
  const std::size_t commits = live.sink.all<events::SettingChanged>().size();
  slider.setSliderDown(true);
  std::set<std::pair<double, double>> marks;
  for (int step = 0; step <= 20; ++step) {
    slider.setValue(from + (end - from) * step / 20);
    QCOMPARE(run_of(window).frontier.present_alpha(), controls_of(window).alpha().value());
    const auto at = frontier_of(window).present_position();
    QVERIFY(at.has_value());
    marks.insert({at->x(), at->y()});
  }
  QVERIFY(marks.size() > 2);
  QCOMPARE(drawn_curve(window), curve);
  QVERIFY(std::ranges::equal(evicpress_curve(window)->samples, predicted, {}, &FrontierSample::alpha,
                             &FrontierSample::alpha));
  QCOMPARE(live.sink.all<events::SettingChanged>().size(), commits);  // nothing is committed while held
  slider.setSliderDown(false);
}

inline void compare_curve_with_core(LiveWindow& live, double lowest_alpha, double highest_alpha) {
  MainWindow& window = *live.window;
  // The newest state predicts the very curve that is shown, whatever alpha it is asked with.
  const std::uint64_t dram = live.engine().settings().tiers[0].budget.bytes();
  QTRY_COMPARE_WITH_TIMEOUT(distance(evicpress_curve(window), core_prediction(window, lowest_alpha, dram)), 0.0,
                            patience_ms);
  QCOMPARE(distance(evicpress_curve(window), core_prediction(window, highest_alpha, dram)), 0.0);

  // A method without a profile has no simulated point either: its quality would be made up.
  const auto simulated = [&](const QString& policy) {
    return std::ranges::count(run_of(window).frontier.simulated(), policy, &SimulatedPoint::policy);
  };
  QCOMPARE(simulated("fixed(keydiff,0.5)"), 2);  // steady state and what-if
  QCOMPARE(simulated("fixed(snapkv,0.5)"), 0);
}

/// Every request but a context's first counts in one measured point, and the points say what the records say.
inline void compare_points_with_records(const LiveWindow& live) {
  run_of(*live.window).frontier.set_split({.at_changes = true, .leave_out_transient = false});
  const std::vector<MeasuredPoint> points = run_of(*live.window).frontier.measured();
  QCOMPARE(points.size(), std::size_t{3});
  std::uint64_t counted = 0;
  for (const MeasuredPoint& point : points) {
    double quality = 0, seconds = 0;
    std::uint64_t n = 0;
    bool throttled = false;
    for (const RequestRecord& record : live.sink.records()) {
      if (!counts(record) || record.alpha != point.alpha) continue;
      quality += record.quality.at("token_f1");
      seconds += record.timing.ttft_service_seconds;
      throttled = throttled || record.provenance == Provenance::throttled;
      ++n;
    }
    QCOMPARE(point.quality.n, n);
    QCOMPARE(point.ttft.n, n);
    QCOMPARE(point.quality.mean, quality / static_cast<double>(n));
    QCOMPARE(point.ttft.mean, seconds / static_cast<double>(n));
    QCOMPARE(point.throttled, throttled);
    QVERIFY(point.ttft.has_interval && point.ttft.low <= point.ttft.mean && point.ttft.mean <= point.ttft.high);
    counted += n;
  }
  QCOMPARE(counted, counting_requests(live));
}

/// Requests between the change of DRAM's budget to `after` and the first time the bytes fit, counted in the engine's
/// own events: at most 20, and from then on they do. `used`: bytes there now.
inline void check_bytes_fit(const CollectingSink& sink, std::uint64_t after, std::uint64_t used) {
  int requests = 0, needed = -1;
  bool changed = false;
  std::uint64_t most = 0;  // in DRAM when the change came
  for (const Event& event : sink.events()) {
    if (const auto* setting = std::get_if<events::SettingChanged>(&event.payload))
      changed = changed || setting->name == "tiers";
    const auto* occupancy = std::get_if<events::TierOccupancy>(&event.payload);
    if (!changed && occupancy && occupancy->tier == "dram") most = occupancy->used_bytes;
    if (!changed) continue;
    requests += std::holds_alternative<events::RequestFinished>(event.payload) ? 1 : 0;
    if (!occupancy || occupancy->tier != "dram") continue;
    QCOMPARE(occupancy->budget_bytes, after);
    if (needed < 0 && occupancy->used_bytes <= after) needed = requests;
    if (needed >= 0) QVERIFY(occupancy->used_bytes <= after);
  }
  qInfo("from %llu to %llu bytes, budget %llu: under it after %d requests", static_cast<unsigned long long>(most),
        static_cast<unsigned long long>(used), static_cast<unsigned long long>(after), needed);
  QVERIFY(changed);
  QVERIFY2(most > after, "there was nothing to move");
  QVERIFY(needed >= 0 && needed <= 20);
}

/// What was recorded is whole: there are `count` runs, and the newest has an end and a journal without a gap.
inline void check_recorded(const std::filesystem::path& folder, std::size_t count) {
  auto stores = open_stores(folder / "store" / "kvantage.db", StoreAccess::read_only, machine_clock());
  QVERIFY2(stores.has_value(), message(stores));
  const auto runs = (*stores)->runs().runs();
  QVERIFY2(runs.has_value(), message(runs));
  QCOMPARE(runs->size(), count);
  QVERIFY(runs->back().finished_utc_ns > 0);
  QVERIFY(runs->back().outcome == "stopped" || runs->back().outcome == "closed");
  const auto journal = (*stores)->runs().events(runs->back().run_id);
  QVERIFY2(journal.has_value(), message(journal));
  std::uint64_t sequence = 0;
  for (const Event& event : *journal) QCOMPARE(event.sequence, ++sequence);
  QVERIFY(std::holds_alternative<events::RunStarted>(journal->front().payload));
  QVERIFY(std::holds_alternative<events::RunFinished>(journal->back().payload));
}

}  // namespace live_run_test
