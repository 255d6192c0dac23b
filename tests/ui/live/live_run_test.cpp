// links: kv_ui app_wiring
// The window on a real engine and a real model: what the controls do to predictions, placements and bytes while
// requests run, and closing at any moment.
#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "tests/support/live_window.h"
#include "tests/support/test_program.h"
#include "tests/ui/live/evicted_answers.h"
#include "tests/ui/live/live_run_checks.h"
#include "tests/ui/live/live_run_readings.h"
#include "tests/ui/live/offloaded_answers.h"
#include "ui/text/words.h"

namespace live_run_test {

using namespace kvantage;
using namespace kvantage::test;

class LiveRunTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;  // with profiles of `workload_`, made once
  Workload workload_ = mixed_workload({"registry", "config", "meeting", "fewshot"}, 2, 400, 3);
  std::uint64_t all_bytes_ = 0;  // of all contexts uncompressed

  static std::string bytes(double number) { return std::to_string(static_cast<std::uint64_t>(number)); }

  /// Tiers that hold a third of the bytes, made so slow that computing, loading from the SSD and from DRAM take some
  /// 10 : 3 : 1, as with real models.
  std::vector<std::string> tiers() const {
    const double all = static_cast<double>(all_bytes_);
    return {"dram=" + bytes(all * 0.2) + ",bandwidth=200MB/s",
            "ssd=" + bytes(all * 0.14) + ",bandwidth=60MB/s,latency=1ms"};
  }

  /// A window on the profiled workload that has loaded and shows its curve.
  Expected<std::unique_ptr<LiveWindow>> loaded(int max_batch = 1) const {
    auto live = LiveWindow::open(folder_.path().toStdString(), workload_, {.tiers = tiers(), .max_batch = max_batch});
    if (!live) return live;
    MainWindow& window = *(*live)->window;
    if (!QTest::qWaitFor([&] { return run_of(window).state() == RunState::ready && evicpress_curve(window); },
                         patience_ms))
      return fail(ErrorCode::internal, "no curve");
    return live;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    CollectingSink sink;
    auto session = LiveWindow::open_engine(folder_.path().toStdString(), workload_, {.tiers = {"dram=64MiB"}}, {&sink});
    QVERIFY2(session.has_value(), message(session));
    session->engine->profile_all();
    QTRY_VERIFY_WITH_TIMEOUT(session->engine->wait_while_busy(0.5) == RunState::ready, patience_ms);
    const auto snapshot = session->engine->snapshot();
    QCOMPARE(snapshot->contexts.size(), std::size_t{8});
    for (const ContextState& context : snapshot->contexts) {
      QVERIFY(context.profile && context.profile->points.size() == 5);
      all_bytes_ += context.full_bytes;
    }
  }

  void startUpShowsProgressAndProfilesWhileServing() {
    QTemporaryDir fresh;
    auto live = LiveWindow::open(fresh.path().toStdString(), mixed_workload({"registry"}, 3, 200, 5),
                                 {.tiers = {"dram=64MiB"}, .start_at_once = true});
    QVERIFY2(live.has_value(), message(live));
    MainWindow& window = *(*live)->window;
    // Where both cores are busy the model may be loaded before this is asked.
    if (shows_start_page(window)) QVERIFY(!controls_of(window).isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(window.findChild<StartPage*>()->work_count() > 0, patience_ms);
    const auto bars = window.findChild<StartPage*>()->findChildren<QProgressBar*>();
    QVERIFY(
        std::ranges::any_of(bars, [](const QProgressBar* b) { return b->accessibleName() == "Loading the model"; }));
    QTRY_VERIFY(
        std::ranges::any_of(bars, [&](const auto* b) { return b->isVisibleTo(window.findChild<StartPage*>()); }));
    // As long as the start page shows; a small model is loaded before one has looked.
    QVERIFY(!shows_start_page(window) || status_text_of(window).contains(state_text(RunState::loading)));

    QTRY_VERIFY_WITH_TIMEOUT(!shows_start_page(window), patience_ms);
    QVERIFY(controls_of(window).isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(status_text_of(window).contains("Profiling contexts"), patience_ms);
    QTRY_VERIFY_WITH_TIMEOUT(run_of(window).served() > 0, patience_ms);  // serving begins by itself and continues
    for (const auto& work : run_of(window).work()) QVERIFY(work.what == "Profiling contexts" || work.finished());
    // Closed in the middle of profiling, or of a request.
    window.close();
    live->reset();
  }

  void draggingAlphaMovesMarkerAndPlacementsAndLeavesTheCurve() {
    auto live = loaded();
    QVERIFY2(live.has_value(), message(live));
    MainWindow& window = *(*live)->window;
    (*live)->action("Start")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(current_point(window) && run_of(window).served() >= 24, patience_ms);

    drag_alpha(**live, 0);
    if (QTest::currentTestFailed()) return;
    const double lowest_alpha = controls_of(window).alpha().value();
    QTRY_COMPARE_WITH_TIMEOUT((*live)->engine().settings().alpha, lowest_alpha, patience_ms);
    // Dozens of requests pass between two looks at the engine's state: what they brought is waited for, not counted.
    QTRY_VERIFY_WITH_TIMEOUT(run_of(window).snapshot()->alpha == lowest_alpha && holds_compressed_only(window),
                             patience_ms);
    QVERIFY(serves(window, 20));
    const QStringList lowest_shown = shown_placements(window);
    const auto lowest_placements = placements(window);
    const auto lowest_point = current_point(window);
    QVERIFY(lowest_point && lowest_point->alpha == lowest_alpha && lowest_point->quality.n >= 10);

    const double lowest_quality = run_of(window).frontier.present()->quality;  // on the curve of this moment
    drag_alpha(**live, LogSlider::steps);
    if (QTest::currentTestFailed()) return;
    const double highest_alpha = controls_of(window).alpha().value();
    const double highest_quality = run_of(window).frontier.present()->quality;
    qInfo("alpha %.3g: predicted quality %.3f; alpha %.3g: %.3f", lowest_alpha, lowest_quality, highest_alpha,
          highest_quality);
    QVERIFY(highest_alpha > 1000 * lowest_alpha);
    QVERIFY(highest_quality > lowest_quality);
    QTRY_VERIFY_WITH_TIMEOUT(shown_placements(window) != lowest_shown &&
                                 quality_of(window, placements(window)) > quality_of(window, lowest_placements),
                             patience_ms);
    QTRY_VERIFY_WITH_TIMEOUT(
        current_point(window) && current_point(window)->alpha == highest_alpha && current_point(window)->quality.n >= 8,
        patience_ms);
    qInfo("lowest: %s", qPrintable(lowest_shown.join(", ")));
    qInfo("highest: %s", qPrintable(shown_placements(window).join(", ")));

    QVERIFY(pauses(**live));
    compare_curve_with_core(**live, lowest_alpha, highest_alpha);
    if (QTest::currentTestFailed()) return;
    compare_points_with_records(**live);
    if (QTest::currentTestFailed()) return;
    if (const QString folder = qEnvironmentVariable("KVANTAGE_PICTURES"); !folder.isEmpty())
      window.grab().save(folder + "/live-run.png");
    int in_chart = 0;
    for (const QStringList& row : frontier_of(window).table().rows)
      in_chart += row[1] == "shaped" || row[1] == "measured" ? 1 : 0;
    QCOMPARE(in_chart, 3);
  }

  void halvingTheDramBudgetMovesTheCurveAndTheBytes() {
    auto live = loaded();
    QVERIFY2(live.has_value(), message(live));
    MainWindow& window = *(*live)->window;
    LogSlider& alpha_slider = controls_of(window).alpha();
    LogSlider& budget = controls_of(window).tier("dram")->budget();
    // Where speed and quality weigh alike, DRAM is filled with all that fits.
    alpha_slider.slider().setValue(LogSlider::steps / 2);
    QTRY_COMPARE_WITH_TIMEOUT((*live)->engine().settings().alpha, alpha_slider.value(), patience_ms);
    const auto before = static_cast<std::uint64_t>(budget.value());
    QCOMPARE(before, (*live)->engine().settings().tiers[0].budget.bytes());
    (*live)->action("Start")->trigger();
    const auto used = [&] { return run_of(window).tiers.find("dram")->samples.back().used_bytes; };
    QTRY_VERIFY_WITH_TIMEOUT(current_point(window) && used() > before * 3 / 5, patience_ms);
    qInfo("%llu bytes of %llu", static_cast<unsigned long long>(used()), static_cast<unsigned long long>(before));

    budget.slider().setSliderDown(true);
    budget.slider().setValue(position_of(budget, static_cast<double>(before) / 2));
    const auto after = static_cast<std::uint64_t>(std::llround(budget.value()));
    QVERIFY(std::abs(static_cast<double>(after) / static_cast<double>(before) - 0.5) < 0.01);
    // The run continues while the hand holds the slider, and the curve is that of the new budget, not of the old one.
    const double alpha = (*live)->engine().settings().alpha;
    // (The state that it was drawn from is up to a second old, so it need not be the same to the last digit.)
    QTRY_VERIFY_WITH_TIMEOUT(distance(evicpress_curve(window), core_prediction(window, alpha, after)) <
                                 0.2 * distance(evicpress_curve(window), core_prediction(window, alpha, before)),
                             patience_ms);
    QCOMPARE((*live)->engine().settings().tiers[0].budget.bytes(), before);
    QTRY_VERIFY_WITH_TIMEOUT(used() > after, patience_ms);  // plans continue meanwhile: something must be there to move
    budget.slider().setSliderDown(false);
    QTRY_COMPARE_WITH_TIMEOUT((*live)->engine().settings().tiers[0].budget.bytes(), after, patience_ms);
    QVERIFY(serves(window, 24));
    QVERIFY(pauses(**live));
    QTRY_COMPARE_WITH_TIMEOUT(distance(evicpress_curve(window), core_prediction(window, alpha, after)), 0.0,
                              patience_ms);
    QVERIFY(distance(evicpress_curve(window), core_prediction(window, alpha, before)) > 0.01);

    check_bytes_fit((*live)->sink, after, used());
    if (QTest::currentTestFailed()) return;
    // The window says the same: its series, its controls, its table.
    QVERIFY(used() <= after);
    QCOMPARE(failed_placements((*live)->sink), std::size_t{0});
    QCOMPARE(run_of(window).tiers.find("dram")->samples.back().budget_bytes, after);
    QTRY_COMPARE(bytes_in_table(window, 0), used());
    // A change of budget starts a measured point of its own; every request counts, those in its transient included.
    run_of(window).frontier.set_split({.at_changes = true, .leave_out_transient = false});
    const auto points = run_of(window).frontier.measured();
    QCOMPARE(points.size(), std::size_t{2});
    QVERIFY(points[1].current && points[1].quality.n > 0);
    QCOMPARE(points[0].quality.n + points[1].quality.n, counting_requests(**live));
  }

  // None, PagedEviction at a quarter, and back: pool, inter-token latency and quality follow with the next answers.
  void decodeEvictionShowsInTheNextAnswers() {
    auto live = loaded(/*max_batch=*/3);  // when an answer ends others are in flight, and the pool is sampled
    QVERIFY2(live.has_value(), message(live));
    MainWindow& window = *(*live)->window;
    DecodeControls& decoding = controls_of(window).decoding();
    const auto choose = [&](const char* method) {
      const int index = decoding.method().findData(QString::fromLatin1(method));
      decoding.method().setCurrentIndex(index);
      emit decoding.method().activated(index);
    };
    const CollectingSink& sink = (*live)->sink;
    (*live)->action("Start")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(answers_under(sink, "").size() >= 24 && pool_bytes_of(sink).whole.size() >= 8,
                             patience_ms);
    QVERIFY(!decoding.budget().isEnabled());

    choose("paged_eviction");
    decoding.budget().setValue(25);
    const std::string paged = "paged_eviction(budget=25%)";
    QTRY_COMPARE_WITH_TIMEOUT((*live)->engine().settings().decode_eviction, paged, patience_ms);
    QVERIFY(decoding.budget().isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(answers_under(sink, paged).size() >= 24, patience_ms);
    const Means before = means_of(answers_under(sink, "")), evicted = means_of(answers_under(sink, paged));
    QVERIFY2(evicted.held < 0.6 * before.held, qPrintable(QString("%1 of %2").arg(evicted.held).arg(before.held)));
    QVERIFY2(evicted.quality < before.quality, qPrintable(QString("%1, %2").arg(evicted.quality).arg(before.quality)));
    QVERIFY(evicted.itl > 0 && before.itl > 0);
    for (const RequestRecord& record : answers_under(sink, paged)) QVERIFY(record.decoding.evicted_entries > 0);
    // So does the pool of the session, which counts what its requests evicted and freed.
    const auto& pool = run_of(window).pool.report();
    QTRY_VERIFY_WITH_TIMEOUT(pool && pool->decoding.evicted_entries > 0 && pool->decoding.blocks_freed > 0,
                             patience_ms);
    QVERIFY(pool->live_blocks <= pool->capacity_blocks && pool->decoding.answers >= 24);
    QTRY_VERIFY_WITH_TIMEOUT(pool_bytes_of(sink).cut.size() >= 8, patience_ms);
    const PoolBytes sampled = pool_bytes_of(sink);
    QVERIFY2(median_of(sampled.cut) < 0.85 * median_of(sampled.whole),
             qPrintable(QString("%1 of %2").arg(median_of(sampled.cut)).arg(median_of(sampled.whole))));
    check_reads_follow_budget(sink, paged, 0.25, (*live)->engine().info());
    if (QTest::currentTestFailed()) return;

    // The Requests dock shows all three, and the answers of each period make a measured point of their own.
    check_rows(run_of(window).requests, paged);
    if (QTest::currentTestFailed()) return;
    const auto points = run_of(window).frontier.measured();
    QVERIFY(points.size() >= 2);
    const MeasuredPoint &first = points.front(), &present = points.back();
    QVERIFY(!first.current && !first.settings.contains("paged_eviction"));
    QVERIFY(present.current && present.settings.contains("decode eviction: paged_eviction(budget=25%)"));
    QVERIFY(first.quality.mean != present.quality.mean && first.ttft.mean != present.ttft.mean);

    choose("none");
    QTRY_COMPARE_WITH_TIMEOUT((*live)->engine().settings().decode_eviction, std::string("none"), patience_ms);
    const std::size_t known = answers_under(sink, "").size();
    QTRY_VERIFY_WITH_TIMEOUT(answers_under(sink, "").size() >= known + 12, patience_ms);
    QVERIFY(!decoding.budget().isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(compare_with_before(sink.records()).same >= 12, patience_ms);
    QCOMPARE(compare_with_before(sink.records()).other, 0);
    settings_of(window).undo_stack().undo();
    QTRY_COMPARE_WITH_TIMEOUT((*live)->engine().settings().decode_eviction, paged, patience_ms);
    check_same_answers(answers_under(sink, ""));
    if (QTest::currentTestFailed()) return;
    window.close();
    live->reset();
  }

  void recomputationShowsInTheNextAnswers() {
    QTemporaryDir folder;
    check_offload(folder.path().toStdString());
  }

  // A budget of 0 would mean "no limit" to a tier.
  void noControlGivesABudgetOfZero() {
    auto live = loaded();
    QVERIFY2(live.has_value(), message(live));
    MainWindow& window = *(*live)->window;
    for (const char* tier : {"dram", "ssd"}) {
      LogSlider& budget = controls_of(window).tier(tier)->budget();
      const auto applied = [&] {
        return (*live)->engine().settings().tiers[tier == std::string("dram") ? 0 : 1].budget.bytes();
      };
      budget.slider().setValue(0);
      QTRY_COMPARE(applied(), static_cast<std::uint64_t>(budget.value()));
      QVERIFY(applied() >= 65536);
      budget.slider().setValue(LogSlider::steps);
      budget.box().setValue(0);
      QTRY_VERIFY(applied() < 1'000'000);
      QVERIFY(applied() >= 65536);
      SessionSettings wrong = (*live)->engine().settings();
      wrong.tiers[0].budget = 0;
      QVERIFY(!(*live)->engine().apply(wrong));
    }
  }

  // Numbers can be typed while requests run: what the engine says in the meantime does not wipe them out.
  void aBudgetCanBeTypedDuringARun() {
    auto live = loaded();
    QVERIFY2(live.has_value(), message(live));
    MainWindow& window = *(*live)->window;
    (*live)->action("Start")->trigger();
    QDoubleSpinBox& box = controls_of(window).tier("dram")->budget().box();
    window.activateWindow();
    box.setFocus();
    box.selectAll();
    for (const char key : {'1', '.', '2', '5'}) {
      QTest::keyClick(&box, key);
      QVERIFY(serves(window, 2));
    }
    QTest::keyClick(&box, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT((*live)->engine().settings().tiers[0].budget.bytes(), std::uint64_t{1310720},
                              patience_ms);
  }

  void closesInTheMiddleOfARequest_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<QString>("tier");
    QTest::newRow("computing the context") << "full_prefill"
                                           << "dram=64MiB";
    QTest::newRow("loading from the ssd") << "lru"
                                          << "ssd=256MiB,bandwidth=8MB/s";
    QTest::newRow("profiling in between") << "evicpress"
                                          << "dram=64MiB";
  }
  void closesInTheMiddleOfARequest() {
    QFETCH(QString, policy);
    QFETCH(QString, tier);
    QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    const Workload workload = mixed_workload({"registry", "story"}, 1, 1050, 7);
    Random random(11);
    int cancelled = 0;
    for (int round = 0; round < 2; ++round) {
      auto live = LiveWindow::open(
          path, workload, {.tiers = {tier.toStdString()}, .policy = policy.toStdString(), .start_at_once = true});
      QVERIFY2(live.has_value(), message(live));
      MainWindow& window = *(*live)->window;
      // Compulsory misses compute and store; from then on each request of lru is a load.
      if (policy == "lru" && round == 0) QTRY_VERIFY_WITH_TIMEOUT(run_of(window).served() >= 3, patience_ms);
      for (;;) {
        QTRY_VERIFY_WITH_TIMEOUT((*live)->request_in_flight(), patience_ms);
        QTest::qWait(static_cast<int>(random.below(120)));
        if ((*live)->request_in_flight()) break;
      }
      for (const ContextState& context : (*live)->engine().snapshot()->contexts) QVERIFY(context.tokens >= 1000);
      QElapsedTimer timer;
      timer.start();
      window.close();
      (*live)->window.reset();
      const qint64 window_ms = timer.elapsed();
      (*live)->session.engine.reset();
      (*live)->session.stores.reset();
      qInfo("window closed in %lld ms, engine in %lld ms", static_cast<long long>(window_ms),
            static_cast<long long>(timer.elapsed() - window_ms));
      QVERIFY(!(*live)->request_in_flight());
      cancelled += (*live)->sink.records().back().cancelled ? 1 : 0;

      check_recorded(path, static_cast<std::size_t>(round) + 1);
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(cancelled > 0);

    // And what is stored still serves: every answer without a failed read.
    auto live = LiveWindow::open(
        path, workload, {.tiers = {tier.toStdString()}, .policy = policy.toStdString(), .start_at_once = true});
    QVERIFY2(live.has_value(), message(live));
    QVERIFY(serves(*(*live)->window, 3));
    QCOMPARE((*live)->sink.all<events::ReadFailed>().size(), std::size_t{0});
    QCOMPARE(failed_placements((*live)->sink), std::size_t{0});
    // Which contexts had been written before the rounds ended is a matter of time; in the end each is read from there.
    if (policy == "lru") QTRY_VERIFY_WITH_TIMEOUT(all_last_from_ssd((*live)->sink, 2), patience_ms);
    QCOMPARE((*live)->sink.all<events::ReadFailed>().size(), std::size_t{0});
  }

  void closesAtAnyMomentOfTheStart() {
    Random random(13);
    for (int round = 0; round < 5; ++round) {
      auto live = LiveWindow::open(folder_.path().toStdString(), workload_, {.tiers = tiers(), .start_at_once = true});
      QVERIFY2(live.has_value(), message(live));
      QTest::qWait(static_cast<int>(round == 0 ? 0 : random.below(900)));
      const RunState state = (*live)->engine().state();
      QElapsedTimer timer;
      timer.start();
      (*live)->window->close();
      live->reset();
      qInfo("closed while %s in %lld ms", to_string(state), static_cast<long long>(timer.elapsed()));
    }
    QVERIFY2(loaded().has_value(), "the store opens again");
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  QApplication::setOrganizationName("kvantage-test");
  QApplication::setApplicationName("live-run-test");
  LiveRunTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace live_run_test

#include "live_run_test.moc"
