// links: kv_ui
// A recorded run in the window: at any moment, however one comes there, the models hold what was recorded up to then;
// the live run comes back as it was left.
#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>

#include "tests/support/test_program.h"
#include "tests/ui/runs/memory_library.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/runs/model/replay_controller.h"
#include "ui/runs/replay_dock.h"
#include "ui/runs/runs_dock.h"
#include "ui/session/run_keyframes.h"
#include "ui/widgets/lazy_refresh.h"

namespace replay_test {

using namespace kvantage;

namespace {

QString rows_text(const QAbstractItemModel& model, const std::vector<int>& columns) {
  QString text;
  for (int r = 0; r < model.rowCount(); ++r) {
    for (const int column : columns) text += model.index(r, column).data().toString() + '\t';
    text += '\n';
  }
  return text;
}

std::vector<int> all_columns(const QAbstractItemModel& model) {
  std::vector<int> columns;
  for (int c = 0; c < model.columnCount(); ++c) columns.push_back(c);
  return columns;
}

QString measured_text(RunModel& run) {
  QString text;
  for (const MeasuredPoint& point : run.frontier.measured())
    text += QStringLiteral("%1 %2 n %3 %4 %5 %6\n")
                .arg(point.policy)
                .arg(point.alpha)
                .arg(point.ttft.n)
                .arg(point.quality.mean, 0, 'g', 12)
                .arg(point.ttft.mean, 0, 'g', 12)
                .arg(point.ttft.low, 0, 'g', 12);
  return text;
}

QString rates_text(const HitRateModel& rates) {
  QString text = QString::number(rates.requests());
  for (std::size_t s = 0; s < rates.sources().size(); ++s)
    for (int m = 0; m < HitRateModel::measure_count; ++m)
      text += QStringLiteral(" %1 %2")
                  .arg(rates.sources()[s])
                  .arg(rates.latest(s, static_cast<HitRateModel::Measure>(m), 0), 0, 'g', 12);
  return text;
}

QString tiers_text(const TierSeriesModel& tiers) {
  QString text;
  for (const auto& tier : tiers.tiers())
    text += QStringLiteral("%1 %2 samples, last %3 bytes, %4 marks, %5 loads\n")
                .arg(QString::fromStdString(tier.name))
                .arg(tier.samples.size())
                .arg(tier.samples.empty() ? 0 : tier.samples.back().used_bytes)
                .arg(tier.marks.size())
                .arg(tier.achieved_loads);
  return text;
}

/// Everything that a view could show of this moment, but for metrics that follow fits within a tolerance.
QStringList shown_by(RunModel& run) {
  return {rows_text(run.requests, all_columns(run.requests)),
          rows_text(run.log, all_columns(run.log)),
          rates_text(run.hit_rates),
          tiers_text(run.tiers),
          rows_text(run.contexts, {ContextsModel::context, ContextsModel::tier, ContextsModel::method,
                                   ContextsModel::quality_measured, ContextsModel::ttft_measured, ContextsModel::why}),
          measured_text(run),
          QString::number(run.served())};
}

struct Replayed {
  ScriptedSession live;
  SessionSwitch session{live};
  RunModel run{session};
  SettingsController settings{session};
  std::shared_ptr<MemoryLibrary> library = std::make_shared<MemoryLibrary>();
  ReplayController replay{run, settings, session, library};

  explicit Replayed(WholeRun recorded) {
    QObject::connect(&run, &RunModel::settingsChanged, &settings, &SettingsController::adopt);
    const std::string id = recorded.summary.run_id;
    library->runs[id] = std::move(recorded);
    live.set_state(RunState::ready);
    run.tick();
    replay.open(QString::fromStdString(id));
    QTRY_VERIFY(replay.active());
  }
  /// The moment is shown in full: what was left out on the way is there.
  void rest() {
    test::settle(250);
    run.tick();
  }
};

}  // namespace

class ReplayTest : public QObject {
  Q_OBJECT

  ScriptedWindow scripted_;

 private slots:
  // Against the way of a live run: the same events, drained one frame after the other.
  void everyMomentIsTheOneThatWasLived() {
    const WholeRun recorded = scripted_run("r", 24, 400, 3);
    Replayed replayed(recorded);
    auto lived = ReplaySource::open({recorded.summary, recorded.events});
    QVERIFY(lived);
    RunModel reference(**lived);
    QAbstractItemModelTester requests(&replayed.run.requests, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester log(&replayed.run.log, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester contexts(&replayed.run.contexts, QAbstractItemModelTester::FailureReportingMode::QtTest);
    // An engine is known before its run begins: contexts first, then what happens to them.
    std::size_t at = 2;
    (*lived)->seek(at);
    reference.tick();
    test::settle(170);
    reference.tick();
    const std::size_t size = recorded.events.size();
    QVERIFY(size > 2 * RunKeyframes::min_spacing);  // jumps begin at copies kept on the way
    for (const std::size_t moment : {size / 50, size / 9, size / 3, size / 2 + 40, size - 3, size}) {
      for (; at < moment; ++at) {
        (*lived)->seek(at + 1);
        reference.tick(1000);
      }
      test::settle(170);  // the tables follow the snapshot a few times a second
      reference.tick();
      // From before, from behind, and from the very end.
      for (const std::size_t from :
           {std::size_t{0}, moment > 20 ? moment - 20 : 0, std::min(size, moment + 700), size}) {
        replayed.replay.seek(from);
        replayed.replay.seek(moment);
        replayed.rest();
        const QStringList seen = shown_by(replayed.run), expected = shown_by(reference);
        for (qsizetype i = 0; i < seen.size(); ++i)
          if (seen[i] != expected[i]) {
            qWarning().noquote() << "moment" << moment << "from" << from << "part" << i << "\n--- seen\n"
                                 << seen[i].left(1500) << "\n--- lived\n"
                                 << expected[i].left(1500);
            QFAIL("another moment is shown");
          }
      }
    }
  }

  void valuesAreThoseOfTheJournal() {
    Replayed r(scripted_run("r", 24, 300, 2));
    for (const double share : {0.2, 0.9, 0.4, 1.0, 0.0}) {
      r.replay.seek_seconds(r.replay.duration() * share);
      r.rest();
      const auto records = r.replay.source()->records_until(r.replay.moment());
      QCOMPARE(r.run.served(), std::uint64_t{records.size()});
      int finished = 0;
      for (int i = 0; i < r.run.requests.rowCount(); ++i) {
        const auto* row = r.run.requests.row(i);
        if (row->running) continue;
        QCOMPARE(to_json(row->record), to_json(*records[static_cast<std::size_t>(finished++)]));
      }
      QCOMPARE(finished, static_cast<int>(records.size()));
      const auto now = r.replay.source()->now();
      QCOMPARE(r.run.snapshot()->contexts.size(), now.snapshot.contexts.size());
      for (std::size_t i = 0; i < now.snapshot.contexts.size(); ++i)
        QVERIFY(r.run.contexts.row(static_cast<int>(i))->state.placement == now.snapshot.contexts[i].placement);
      QCOMPARE(r.settings.committed().alpha, r.replay.source()->settings().alpha);
    }
  }

  void playingTakesTheTimeOfTheRun() {
    Replayed r(scripted_run("r", 12, 200, 2));
    QVERIFY(r.replay.moment() > 0 && !r.run.snapshot()->contexts.empty());  // it opens where there is something to see
    r.replay.seek(0);
    r.replay.play();
    QVERIFY(r.replay.playing());
    r.replay.advance(0.5);
    r.run.tick();
    QVERIFY(r.replay.now_seconds() <= 0.5);
    QVERIFY(r.replay.source()->seconds_at(r.replay.moment()) > 0.5);  // the next event is not due
    const std::size_t slow = r.replay.moment();
    r.replay.set_speed(20);
    r.replay.advance(0.1);
    r.run.tick();
    QVERIFY(r.replay.moment() > slow && r.replay.now_seconds() <= 2.5);
    QSignalSpy playing(&r.replay, &ReplayController::playingChanged);
    for (int i = 0; i < 100 && r.replay.playing(); ++i) {
      r.replay.advance(r.replay.duration() / 50);
      r.run.tick();
    }
    QCOMPARE(r.replay.moment(), r.replay.size());
    QCOMPARE(playing.count(), 1);
    QCOMPARE(r.run.state(), RunState::finished);
    r.replay.play();  // again from the beginning
    QVERIFY(r.replay.playing() && r.replay.moment() == 0);
  }

  void jumpsStopAtEveryMarkOfTheirKind() {
    Replayed r(scripted_run("r", 24, 300, 1));
    std::array<std::size_t, ReplayMark::kind_count> expected{}, found{};
    for (const Event& event : r.replay.source()->recorded().events) {
      if (const auto* placed = std::get_if<events::PlacementCommitted>(&event.payload))
        expected[ReplayMark::eviction] += placed->action.kind == ActionKind::evict;
      expected[ReplayMark::fault] += std::holds_alternative<events::ReadFailed>(event.payload);
      expected[ReplayMark::setting] += std::holds_alternative<events::SettingChanged>(event.payload);
    }
    QVERIFY(expected[ReplayMark::fault] == 1 && expected[ReplayMark::setting] >= 1 &&
            expected[ReplayMark::eviction] > 0);
    for (int kind = 0; kind < ReplayMark::kind_count; ++kind) {
      r.replay.seek(0);
      while (r.replay.jump(1, kind)) ++found[static_cast<std::size_t>(kind)];
      std::size_t back = 1;
      while (r.replay.jump(-1, kind)) ++back;
      QCOMPARE(back, std::max<std::size_t>(1, found[static_cast<std::size_t>(kind)]));
    }
    QCOMPARE(found, expected);
    r.replay.seek(0);
    QVERIFY(r.replay.jump(1, ReplayMark::setting));
    const Event& here = r.replay.source()->event(r.replay.moment() - 1);
    QVERIFY(std::holds_alternative<events::SettingChanged>(here.payload));
    r.replay.step_events(-1);
    r.replay.step_events(2);
    QCOMPARE(r.replay.source()->now().events, r.replay.moment());
  }

  // A copy kept on the way holds what applying everything up to it gives.
  void jumpsBeginAtKeyframes() {
    const WholeRun recorded = scripted_run("r", 24, 1200, 3);
    auto source = ReplaySource::open({recorded.summary, recorded.events});
    QVERIFY(source);
    const std::size_t size = recorded.events.size();
    (*source)->seek(size);
    const auto keyframes = RunModel::keyframes_of(**source, recorded.events);
    QCOMPARE(keyframes->frames.size(), (size - 1) / keyframes->spacing);
    // However long the run is, a jump applies what is between two of them.
    QCOMPARE(keyframes->spacing, std::max(RunKeyframes::min_spacing, size / RunKeyframes::max));
    for (std::size_t i = 0; i < keyframes->frames.size(); ++i)
      QCOMPARE(keyframes->frames[i].moment, (i + 1) * keyframes->spacing);
    QVERIFY(keyframes->frames.size() >= 4);
    RunModel from_keyframes(**source), from_the_start(**source);
    for (RunModel* run : {&from_keyframes, &from_the_start}) run->stash();
    from_keyframes.set_keyframes(keyframes);
    Random random(7);
    for (int i = 0; i < 12; ++i) {
      // At a keyframe, right before and behind it, and anywhere.
      const std::size_t frame = keyframes->frames[random.below(keyframes->frames.size())].moment;
      const std::size_t moment =
          i < 3 ? frame - 1 + static_cast<std::size_t>(i) : static_cast<std::size_t>(random.below(size));
      (*source)->seek(moment);
      for (RunModel* run : {&from_keyframes, &from_the_start}) run->rebuild(recorded.events, moment, i % 2 == 0);
      QCOMPARE(shown_by(from_keyframes), shown_by(from_the_start));
      QCOMPARE(from_keyframes.requests_per_second(), from_the_start.requests_per_second());
      QCOMPARE(from_keyframes.now_seconds(), from_the_start.now_seconds());
    }
  }

  // Copies on the way bound what a jump applies, however long the run is.
  void aHundredThousandEventsAreScrubbed() {
#ifdef __SANITIZE_THREAD__
    QSKIP("it measures");
#endif
    for (const int requests : {1'250, 12'500}) {
      Replayed r(scripted_run("big", 200, requests, 6, "lru"));
      QVERIFY2(requests < 10'000 || r.replay.size() >= 100'000, qPrintable(QString::number(r.replay.size())));
      Random random(4);
      std::vector<double> back, near;
      QElapsedTimer timer;
      r.replay.begin_scrub();
      for (int i = 0; i < 40; ++i) {
        const auto moment = static_cast<std::size_t>(random.below(r.replay.size()));
        timer.start();
        r.replay.seek(moment);
        back.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
        timer.start();
        r.replay.seek(moment + 100);
        near.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
      }
      r.replay.end_scrub();
      timer.start();
      r.run.rebuild(r.replay.source()->recorded().events, r.replay.size(), true);
      const double whole = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
      std::ranges::sort(back);
      std::ranges::sort(near);
      qInfo(
          "%zu events, %llu requests: anywhere %.1f ms (median), %.1f ms (most); 100 events on %.1f ms; all rows of "
          "the end %.1f ms",
          r.replay.size(), static_cast<unsigned long long>(r.replay.source()->summary().requests), back[20],
          back.back(), near[20], whole);
      QVERIFY2(back[20] < 100, qPrintable(QString::number(back[20])));
      QVERIFY2(near[20] < 33, qPrintable(QString::number(near[20])));
    }
  }

  void theLiveRunComesBackAsItWas() {
    ScriptedSession session;
    auto library = std::make_shared<MemoryLibrary>();
    library->runs["old"] = scripted_run("old", 12, 80, 2);
    WindowOptions options = scripted_.options();
    options.runs = library;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    QTRY_COMPARE(session.state(), RunState::running);
    session.serve(30);
    QTRY_COMPARE(run_of(window).served(), std::uint64_t{30});
    SessionSettings moved = settings_of(window).committed();
    moved.alpha *= 2;
    QVERIFY(settings_of(window).commit(moved, "alpha", "alpha"));
    QTRY_COMPARE(session.settings().alpha, moved.alpha);
    test::settle(200);
    const QStringList before = shown_by(run_of(window));
    const int steps = settings_of(window).undo_stack().count();

    run_of(window).selection.choose_requests({3, 4});
    replay_of(window).open("old");
    QTRY_VERIFY(replay_of(window).active());
    QVERIFY(run_of(window).selection.chosen_requests().empty());  // the other run has requests of the same numbers
    QCOMPARE(session.state(), RunState::paused);                  // it would share the processor with the views
    QVERIFY2(status_text_of(window).contains("replay of old"), qPrintable(status_text_of(window)));
    QVERIFY(dock_of(window, "replay")->isVisible() && !controls_of(window).isEnabled());
    replay_of(window).seek(replay_of(window).size());
    QCOMPARE(run_of(window).served(), std::uint64_t{80});
    QCOMPARE(run_of(window).info().run_id, std::string("old"));
    QVERIFY(!settings_of(window).commit(moved, "alpha", "alpha"));
    QVERIFY(window.banner().text().contains("recorded run are read-only"));
    // Before its first event nothing is known of its tiers, least of all what the live run has there.
    const auto in_use = [&] {
      QStringList texts;
      for (const QLabel* label : controls_of(window).tier("dram")->findChildren<QLabel*>())
        if (label->text().endsWith("in use")) texts << label->text();
      return texts.join(' ');
    };
    QVERIFY2(QRegularExpression("^[0-9.]+ [KMGT]?i?B in use$").match(in_use()).hasMatch(), qPrintable(in_use()));
    replay_of(window).seek(0);
    QTRY_COMPARE(in_use(), QString("– in use"));
    auto* dock = window.body<ReplayDock>("replay");
    dock->bar().setValue(ScrubBar::steps / 2);  // as a hand would
    QVERIFY(replay_of(window).moment() > 0 && replay_of(window).moment() < replay_of(window).size());
    QVERIFY(dock->text().contains(
        QStringLiteral("event %1 of %2").arg(replay_of(window).moment()).arg(replay_of(window).size())));
    QVERIFY(!dock->bar().marks().empty());
    test::settle(300);

    run_of(window).selection.choose_requests({3, 4});
    replay_of(window).close();
    QVERIFY(run_of(window).selection.chosen_requests().empty());
    QCOMPARE(session.state(), RunState::running);
    QVERIFY(controls_of(window).isEnabled() && !status_text_of(window).contains("replay"));
    QCOMPARE(shown_by(run_of(window)), before);
    QCOMPARE(settings_of(window).committed().alpha, moved.alpha);
    QCOMPARE(settings_of(window).undo_stack().count(), steps);
    session.serve(5);
    QTRY_COMPARE(run_of(window).served(), std::uint64_t{35});
  }

  // The first picture after a jump shows the new moment in every view.
  void allViewsFollowAJumpTogether() {
    ScriptedSession session;
    auto library = std::make_shared<MemoryLibrary>();
    library->runs["old"] = scripted_run("old", 12, 80, 2);
    WindowOptions options = scripted_.options();
    options.runs = library;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    QTRY_COMPARE(session.state(), RunState::running);
    for (const char* id : {"hitRates", "tiers", "contexts", "requests", "events", "sensitivity", "replay"})
      docks_of(window).bring_up(id);
    replay_of(window).open("old");
    QTRY_VERIFY(replay_of(window).active());
    // Which views have something to show when the window is painted.
    struct Painted : QObject {
      MainWindow& window;
      int pictures = 0, stale = 0;
      explicit Painted(MainWindow& shown) : window(shown) { window.installEventFilter(this); }
      bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() != QEvent::UpdateRequest || pictures > 0) return false;
        ++pictures;
        for (const LazyRefresh* refresh : window.findChildren<LazyRefresh*>())
          stale += refresh->waiting() && static_cast<QWidget*>(refresh->parent())->isVisible();
        return false;
      }
    } painted(window);
    for (const std::size_t moment : {replay_of(window).size(), replay_of(window).size() / 3, std::size_t{5}}) {
      test::settle(400);
      int refreshed = 0;
      for (const LazyRefresh* refresh : window.findChildren<LazyRefresh*>()) refreshed -= refresh->refresh_count();
      painted.pictures = painted.stale = 0;
      replay_of(window).seek(moment);
      QTRY_VERIFY(painted.pictures > 0);
      QCOMPARE(painted.stale, 0);
      for (const LazyRefresh* refresh : window.findChildren<LazyRefresh*>()) refreshed += refresh->refresh_count();
      QVERIFY2(refreshed >= 5, qPrintable(QString::number(refreshed)));
    }
  }

  void theToolbarMovesWhatIsShown() {
    ScriptedSession session;
    auto library = std::make_shared<MemoryLibrary>();
    library->runs["old"] = scripted_run("old", 12, 80, 2);
    WindowOptions options = scripted_.options();
    options.runs = library;
    options.start_at_once = false;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    auto* runs = window.body<RunsDock>("runs");
    window.show_view("runs");
    QTRY_COMPARE(runs->model().rowCount(), 1);
    runs->choose({"old"});
    emit runs->replayRequested(runs->chosen().value(0));
    QTRY_VERIFY(replay_of(window).active());
    const auto press = [&](const QString& text) {
      for (QAction* action : window.findChildren<QAction*>())
        if (action->text().remove('&') == text) return action->trigger();
    };
    press("Step");
    QTRY_COMPARE(run_of(window).served(), std::uint64_t{1});
    press("Start");
    QTRY_VERIFY(replay_of(window).playing() && run_of(window).served() > 3);
    press("Stop");
    QTRY_COMPARE(run_of(window).served(), std::uint64_t{0});
    QCOMPARE(replay_of(window).moment(), std::size_t{0});
    QCOMPARE(session.state(), RunState::ready);
    window.set_theme(ThemeKind::dark);
    replay_of(window).open("gone");
    QTRY_VERIFY(window.banner().text().contains("no longer in this database"));
    QVERIFY(replay_of(window).active());  // what was shown stays
  }

  void openingIsCancelledAndWhatWasShownStays() {
    Replayed r(scripted_run("r", 6, 40, 1));
    r.library->runs["other"] = scripted_run("other", 6, 20, 1);
    ReplayDock dock(r.replay);
    dock.resize(900, 84);
    dock.show();
    r.replay.seek(7);
    QVERIFY(!dock.cancel_button().isVisible());
    r.library->hold();
    QSignalSpy progress(&r.replay, &ReplayController::openingProgress), failed(&r.replay, &ReplayController::failed);
    r.replay.open("other");
    QVERIFY(r.replay.opening() && dock.cancel_button().isVisible() && !dock.cancel_button().accessibleName().isEmpty());
    QTRY_VERIFY(progress.count() >= 1);
    QVERIFY(progress.first()[0].toInt() > 0 && progress.first()[0].toInt() < progress.first()[1].toInt());
    dock.cancel_button().click();
    QVERIFY(!r.replay.opening() && r.replay.active() && r.replay.run_id() == "r" && r.replay.moment() == 7);
    QVERIFY(!dock.cancel_button().isVisible() && !dock.empty());
    QTRY_COMPARE(r.library->given_up(), 1);  // though nobody let it go
    r.library->let_go();
    test::settle(50);
    QVERIFY(r.replay.run_id() == "r" && failed.isEmpty());
    r.replay.open("other");
    QTRY_VERIFY(!r.replay.opening());
    QCOMPARE(r.replay.run_id(), QString("other"));
    QVERIFY(r.replay.active());
    // Of two requests the newer counts.
    r.library->hold();
    r.replay.open("r");
    r.library->let_go();
    r.replay.open("other");
    QTRY_VERIFY(!r.replay.opening());
    QCOMPARE(r.replay.run_id(), QString("other"));
  }

  void withoutARunItSaysWhatToDo() {
    Replayed r(scripted_run("r", 6, 10, 1));
    ReplayDock dock(r.replay);
    QVERIFY(!dock.empty());
    r.replay.close();
    QVERIFY(dock.empty());
    bool said = false;
    for (const QLabel* label : dock.findChildren<QLabel*>())
      said = said || label->text().contains("Select a run in Runs");
    QVERIFY(said);
  }
};

KV_TEST_MAIN(ReplayTest)

}  // namespace replay_test

#include "replay_test.moc"
