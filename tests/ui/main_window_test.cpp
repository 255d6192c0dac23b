// links: kv_ui
#include "ui/main_window.h"

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "tests/ui/scripted_session.h"
#include "ui/models/words.h"

using namespace kvantage;

namespace {

QList<QPointF> evicpress_points(MainWindow& window) {
  window.frontier().flush();
  const auto found = window.frontier().series().find("evicpress");
  return found == window.frontier().series().end() ? QList<QPointF>() : found->second->points();
}

double distance_to_polyline(const QPointF& at, const QList<QPointF>& line, const FrontierChart& chart) {
  double best = 1e9;
  for (qsizetype i = 0; i + 1 < line.size(); ++i) {
    const QPointF a = chart.chart().mapToPosition(line[i], chart.series().at("evicpress"));
    const QPointF b = chart.chart().mapToPosition(line[i + 1], chart.series().at("evicpress"));
    const QPointF d = b - a;
    const double length = QPointF::dotProduct(d, d);
    const double t = length > 0 ? std::clamp(QPointF::dotProduct(at - a, d) / length, 0.0, 1.0) : 0;
    const QPointF near = a + t * d - at;
    best = std::min(best, std::hypot(near.x(), near.y()));
  }
  return best;
}

}  // namespace

class MainWindowTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  int files_ = 0;
  WindowOptions options() { return {folder_.filePath(QStringLiteral("window%1.ini").arg(++files_)), true}; }

  /// A window that has loaded and shows a predicted curve.
  std::unique_ptr<MainWindow> loaded(ScriptedSession& session) {
    auto window = std::make_unique<MainWindow>(session, options());
    window->show();
    session.set_state(RunState::ready);
    if (!QTest::qWaitFor(
            [&] { return !window->run().frontier.curves().empty() && session.state() == RunState::running; }, 10000))
      QTest::qFail("no curve", __FILE__, __LINE__);
    return window;
  }

 private slots:
  void opensAtOnceAndShowsProgressWhileLoading() {
    ScriptedSession session;
    QElapsedTimer timer;
    timer.start();
    MainWindow window(session, options());
    window.show();
    QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(window.showing_start_page());
    session.emit_event(events::Progress{"Reading model weights", 40, 100});
    QTRY_COMPARE(window.run().work().size(), 1u);
    QTRY_VERIFY(window.findChild<StartPage*>()->work_count() == 1);
    session.set_state(RunState::ready);
    QTRY_VERIFY(!window.showing_start_page());
    QTRY_COMPARE(session.state(), RunState::running);  // serving begins by itself
  }

  void failedLoadingIsSaidInTheBanner() {
    ScriptedSession session;
    MainWindow window(session, options());
    window.show();
    session.emit_event(events::Message{"error", "model.safetensors: ends after 12 of 48 MiB; download it again"});
    session.set_state(RunState::failed);
    QTRY_VERIFY(window.banner().isVisible());
    QVERIFY(window.banner().text().contains("ends after 12 of 48 MiB"));
    QCOMPARE(window.banner().level(), QString("error"));
    QVERIFY(window.showing_start_page());
  }

  void draggingAlphaMovesTheMarkerAndLeavesTheCurve() {
    ScriptedSession session;
    auto window = loaded(session);
    LogSlider& alpha = window->controls().alpha();
    const auto curve = evicpress_points(*window);
    QVERIFY(curve.size() > 20 && curve.size() <= 600);
    alpha.slider().setSliderDown(true);
    std::vector<double> seen;
    for (int step = 0; step <= LogSlider::steps; step += 50) {
      QElapsedTimer frame;
      frame.start();
      alpha.slider().setValue(step);
      const auto present = window->run().frontier.present();
      QVERIFY2(frame.elapsed() < 16, "the marker follows within a frame");
      QVERIFY(present.has_value());
      QCOMPARE(window->run().frontier.present_alpha(), alpha.value());
      const auto at = window->frontier().present_position();
      QVERIFY(at && distance_to_polyline(*at, curve, window->frontier()) < 1.0);
      seen.push_back(present->quality);
      QTest::qWait(5);
    }
    QVERIFY(seen.back() > seen.front());  // the highest alpha predicts better answers than the lowest
    QVERIFY(session.applied.empty());     // nothing is committed while the slider is held
    QCOMPARE(evicpress_points(*window), curve);
    alpha.slider().setSliderDown(false);
    QTRY_COMPARE(session.applied.size(), 1u);
    QCOMPARE(session.settings().alpha, alpha.value());
  }

  void halvingABudgetMovesTheCurveBeforeItIsCommitted() {
    ScriptedSession session;
    auto window = loaded(session);
    const auto curve = evicpress_points(*window);
    TierControls* dram = window->controls().tier("dram");
    QVERIFY(dram);
    dram->budget().slider().setSliderDown(true);
    dram->budget().slider().setValue(dram->budget().slider().value() / 2);
    QElapsedTimer timer;
    timer.start();
    QTRY_VERIFY(evicpress_points(*window) != curve);
    qInfo("curve under the new budget after %lld ms", static_cast<long long>(timer.elapsed()));
    QVERIFY(session.applied.empty());
    dram->budget().slider().setSliderDown(false);
    QTRY_COMPARE(session.applied.size(), 1u);
    QCOMPARE(session.settings().tiers[0].budget_bytes, dram->setting().budget_bytes);
  }

  void faultsAreSwitchedOnAndOffWhileItRuns() {
    ScriptedSession session;
    auto window = loaded(session);
    auto* badge = window->findChild<QLabel*>("faultsLabel");
    QVERIFY(badge && !badge->isVisible());
    TierControls* dram = window->controls().tier("dram");
    TierControls* ssd = window->controls().tier("ssd");
    QVERIFY(dram && ssd);
    QVERIFY(!dram->faults().isVisibleTo(dram));  // host memory has no files
    QVERIFY(ssd->faults().isVisibleTo(ssd));
    QVERIFY(!ssd->faults().probability().isVisibleTo(ssd));
    QComboBox& preset = ssd->faults().preset();
    const auto choose = [&](const QString& name) {
      const int index = preset.findText(name);
      QVERIFY2(index >= 0, qPrintable(name));
      preset.setCurrentIndex(index);
      emit preset.activated(index);
    };
    choose("Torn writes");
    QTRY_COMPARE(QString::fromStdString(session.settings().tiers[1].faults), QString("torn_write:0.05"));
    QVERIFY(badge->isVisible() && badge->text().contains("faults injected"));
    QVERIFY(badge->toolTip().contains("ssd: Torn writes at 5 %, seed 1"));
    QVERIFY(window->run().tiers.find("ssd")->faulty && !window->run().tiers.find("dram")->faulty);
    QVERIFY(ssd->faults().probability().isVisibleTo(ssd));
    ssd->faults().probability().setValue(25);
    QTRY_COMPARE(session.settings().tiers[1].faults, std::string("torn_write:0.25"));
    ssd->faults().seed().setValue(9);
    QTRY_COMPARE(session.settings().tiers[1].faults, std::string("torn_write:0.25+seed:9"));
    QUndoStack& undo = window->settings().undo_stack();
    while (undo.canUndo()) undo.undo();  // one step, unless the machine was slow between them
    QTRY_COMPARE(session.settings().tiers[1].faults, std::string());
    QTRY_VERIFY(!badge->isVisible());
    QCOMPARE(preset.currentText(), QString("none"));
    while (undo.canRedo()) undo.redo();
    QTRY_COMPARE(session.settings().tiers[1].faults, std::string("torn_write:0.25+seed:9"));
    QCOMPARE(preset.currentText(), QString("Torn writes"));
    QCOMPARE(ssd->faults().seed().value(), 9);

    // The same as actions.
    QMenu& menu = window->fault_menu();
    emit menu.aboutToShow();
    QCOMPARE(menu.actions().size(), 1);  // dram has none
    const auto entries = menu.actions()[0]->menu()->actions();
    QCOMPARE(entries.size(), 6);
    QVERIFY(entries[2]->isChecked());
    entries[4]->trigger();
    QTRY_COMPARE(session.settings().tiers[1].faults, std::string("no_space:1+seed:9"));
    QCOMPARE(preset.currentText(), QString("Full disk"));

    // A mixture from the command line stands as it is given.
    SessionSettings mixed = session.settings();
    mixed.tiers[1].faults = "torn_write:0.5+read_error:0.25";
    QVERIFY(session.apply(mixed));
    QTRY_COMPARE(preset.currentText(), QString("as given"));
    TierStatistics counted;
    counted.misses = {{"checksum", 3}, {"absent", 9}};
    counted.failed_writes = {{"no_space", 2}};
    counted.faults_struck = {{"flip_on_read", 4}};
    ssd->faults().show_counts(counted);
    QCOMPARE(ssd->faults().counts_text(), QString("struck: 4 flip_on_read\nreads failed: 3 checksum\nwrites failed: 2 no_space"));
    choose("none");
    QTRY_COMPARE(session.settings().tiers[1].faults, std::string());
  }

  void everyChangeIsOneUndoStep() {
    ScriptedSession session;
    auto window = loaded(session);
    const SessionSettings before = session.settings();
    auto& stack = window->settings().undo_stack();
    LogSlider& alpha = window->controls().alpha();
    alpha.slider().setSliderDown(true);
    for (int step = 300; step < 700; step += 20) alpha.slider().setValue(step);
    alpha.slider().setSliderDown(false);
    QCOMPARE(stack.count(), 1);
    const double moved = alpha.value();
    QComboBox& policy = window->controls().policy();
    policy.setCurrentIndex(policy.findData("lru"));
    emit policy.activated(policy.currentIndex());
    QCOMPARE(stack.count(), 2);
    QTRY_COMPARE(session.settings().policy, std::string("lru"));
    stack.undo();
    QTRY_COMPARE(session.settings().policy, before.policy);
    QCOMPARE(session.settings().alpha, moved);
    QCOMPARE(policy.currentData().toString(), to_q(before.policy));
    stack.undo();
    QTRY_COMPARE(session.settings().alpha, before.alpha);
    QCOMPARE(alpha.value(), before.alpha);
    stack.redo();
    QTRY_COMPARE(session.settings().alpha, moved);
  }

  void senselessSettingsAreRefusedInOneLineAndChangeNothing() {
    ScriptedSession session;
    auto window = loaded(session);
    SessionSettings wrong = session.settings();
    wrong.removed_fractions.clear();
    QVERIFY(!window->settings().commit(wrong, "none", {}));
    QVERIFY(window->banner().isVisible());
    QVERIFY(window->banner().text().contains("removed_fractions"));
    QCOMPARE(window->settings().undo_stack().count(), 0);
    QVERIFY(session.applied.empty());
  }

  void measuredPointsGrowInAndAChangeStartsANewOne() {
    ScriptedSession session;
    auto window = loaded(session);
    session.serve(60);
    QTRY_COMPARE(window->run().served(), 60u);
    auto measured = window->run().frontier.measured();
    QCOMPARE(measured.size(), 1u);
    QCOMPARE(measured[0].quality.n, 60u);
    QVERIFY(measured[0].quality.has_interval && measured[0].quality.low < measured[0].quality.mean);
    QVERIFY(measured[0].shaped);
    const double first_mean = measured[0].quality.mean;

    SessionSettings settings = session.settings();
    settings.alpha *= 3;
    QVERIFY(window->settings().commit(settings, "alpha", {}));
    QTRY_COMPARE(session.settings().alpha, settings.alpha);
    session.serve(20);
    QTRY_COMPARE(window->run().served(), 80u);
    measured = window->run().frontier.measured();
    QCOMPARE(measured.size(), 2u);
    QCOMPARE(measured[0].quality.n, 60u);
    QCOMPARE(measured[0].quality.mean, first_mean);
    QCOMPARE(measured[1].quality.n, 20u);
    QVERIFY(measured[1].current && !measured[0].current);

    // A family's points hold that family's requests only.
    window->run().frontier.set_family("needle");
    std::uint64_t needle = 0;
    for (const MeasuredPoint& point : window->run().frontier.measured()) needle += point.quality.n;
    std::uint64_t counted = 0;
    for (int r = 0; r < window->run().requests.rowCount(); ++r)
      counted += window->run().requests.row(r)->record.family == "needle";
    QCOMPARE(needle, counted);
    QTRY_VERIFY(!window->run().frontier.curves().empty());  // the curve of that family alone arrives
  }

  // Two changes between two frames: each request counts under the settings that it was served with.
  void requestsBelongToTheSettingsOfTheirTime() {
    ScriptedSession session;
    auto window = loaded(session);
    session.serve(30);
    SessionSettings settings = session.settings();
    const std::uint64_t budget = settings.tiers[0].budget_bytes;
    settings.tiers[0].budget_bytes = budget / 2;
    QVERIFY(session.apply(settings));
    session.serve(20);
    settings.tiers[0].budget_bytes = budget / 4;
    QVERIFY(session.apply(settings));
    session.serve(10);
    QTRY_COMPARE(window->run().served(), 60u);
    const auto measured = window->run().frontier.measured();
    QCOMPARE(measured.size(), 3u);
    QCOMPARE(measured[0].quality.n, 30u);
    QCOMPARE(measured[1].quality.n, 20u);
    QCOMPARE(measured[2].quality.n, 10u);
    QCOMPARE(window->controls().tier("dram")->setting().budget_bytes, budget / 4);
  }

  void workThatRestsIsNotShownAsGoingOn() {
    ScriptedSession session;
    auto window = loaded(session);
    session.emit_event(events::Progress{"Profiling contexts", 3, 24});
    QTRY_VERIFY(window->status_text().contains("Profiling contexts"));
    session.pause();
    QTRY_VERIFY(!window->status_text().contains("Profiling contexts"));
    session.start();
    QTRY_VERIFY(window->status_text().contains("Profiling contexts"));
  }

  // The range of a slider follows the profiles, but never under the hand; a number being typed is not overwritten.
  void aHeldSliderKeepsItsRangeAndABoxItsText() {
    LogSlider slider("Budget", "MiB", 1048576, 2);
    slider.set_smallest(65536);
    slider.set_range(1e6, 1e8);
    slider.set_value(1e7);
    slider.slider().setSliderDown(true);
    slider.slider().setValue(250);
    const double meant = slider.value();
    slider.set_range(1e5, 1e9);
    QCOMPARE(slider.slider().value(), 250);
    QCOMPARE(slider.value(), meant);
    double released = 0;
    connect(&slider, &LogSlider::released, this, [&](double value) { released = value; });
    slider.slider().setSliderDown(false);
    QCOMPARE(released, meant);
    QCOMPARE(slider.high(), 1e9);
    QCOMPARE(slider.value(), meant);

    slider.show();
    slider.box().setFocus();
    slider.box().selectAll();
    QTest::keyClicks(&slider.box(), "12.");
    slider.set_range(2e5, 1e9);
    slider.set_value(meant);
    QTest::keyClicks(&slider.box(), "5");
    QTest::keyClick(&slider.box(), Qt::Key_Return);
    QCOMPARE(slider.value(), 12.5 * 1048576);

    slider.box().setValue(0);
    QCOMPARE(slider.value(), 65536.0);
    slider.slider().setValue(1);
    slider.slider().setValue(0);
    QVERIFY(slider.value() >= 65536);
  }

  void shadowBaselinesServeTheLiveRequests() {
    ScriptedSession session;
    auto window = loaded(session);
    session.serve(40);
    const auto shadow = [&](const QString& policy) -> std::uint64_t {
      for (const ModelledPoint& point : window->run().frontier.modelled())
        if (point.shadow && point.policy == policy) return point.requests;
      return 0;
    };
    QTRY_COMPARE_WITH_TIMEOUT(shadow("lru"), 40u, 10000);
    QCOMPARE(shadow("fixed(keydiff,0.5)"), 40u);
    QCOMPARE(shadow("evicpress"), 0u);
  }

  void tablesSayWhatTheRecordsSay() {
    ScriptedSession session;
    auto window = loaded(session);
    session.serve(30);
    QTRY_COMPARE(window->run().served(), 30u);
    QTableView& requests = window->requests().table();
    QCOMPARE(requests.model()->rowCount(), 30);
    const RequestRecord& last = window->run().requests.row(29)->record;
    QCOMPARE(requests.model()->index(29, RequestsModel::answer).data().toString(), to_q(last.answer));
    QCOMPARE(requests.model()->index(29, RequestsModel::ttft).data().toString(),
             seconds_text(last.timing.ttft_service_seconds));
    window->dock("requests")->raise();
    requests.selectRow(29);
    QTRY_VERIFY(window->requests().detail_text().contains(to_q(last.gold)));
    QVERIFY(window->requests().detail_text().contains(to_q(last.question)));

    QTableView& contexts = window->contexts().table();
    QTRY_COMPARE(contexts.model()->rowCount(), 24);
    const auto snapshot = session.snapshot();
    int explained = 0;
    for (int r = 0; r < 24; ++r) {
      const ContextState& state = snapshot->contexts[static_cast<std::size_t>(r)];
      QTRY_COMPARE(window->run().contexts.index(r, ContextsModel::tier).data().toString(),
                   tier_text(*snapshot, state.placement.tier));
      explained += window->run().contexts.index(r, ContextsModel::why).data().toString().contains("utility");
    }
    QVERIFY(explained > 3);
    window->contexts().filter().setText("needle");
    QCOMPARE(contexts.model()->rowCount(), 4);
  }

  void anAnswerStreamsIn() {
    ScriptedSession session;
    auto window = loaded(session);
    const std::uint64_t id = session.begin_request();
    QTRY_VERIFY(window->run().requests.find(id));
    QTRY_COMPARE(to_q(window->run().requests.find(id)->record.answer), QString("In the blue"));
    session.emit_event(events::TokenEmitted{id, " box"});
    QTRY_COMPARE(to_q(window->run().requests.find(id)->record.answer), QString("In the blue box"));
    QVERIFY(window->run().requests.find(id)->running);
  }

  void hitRatesOfAllSourcesSumToOne() {
    ScriptedSession session;
    auto window = loaded(session);
    session.serve(80);
    QTRY_COMPARE(window->run().served(), 80u);
    const HitRateModel& rates = window->run().hit_rates;
    for (const auto measure : {HitRateModel::by_requests, HitRateModel::by_tokens, HitRateModel::by_bytes})
      for (const int length : {0, 10, 25}) {
        double sum = 0;
        for (std::size_t source = 0; source < rates.sources().size(); ++source)
          sum += rates.latest(source, measure, length);
        QVERIFY(std::abs(sum - 1) < 1e-9);
      }
    // Counted by hand from the log.
    int from_prefill = 0;
    for (int r = 0; r < 80; ++r) from_prefill += window->run().requests.row(r)->record.source == "prefill";
    QCOMPARE(rates.latest(rates.sources().size() - 1, HitRateModel::by_requests, 0), from_prefill / 80.0);
    for (std::size_t source = 0; source < rates.sources().size(); ++source)
      QVERIFY(rates.series(source, HitRateModel::by_requests, 10).size() <= 600);
  }

  void tenThousandEventsDoNotLag() {
    ScriptedSession session;
    auto window = loaded(session);
    session.serve(2500);  // some 10,000 events
    const std::size_t waiting = session.waiting_events();
    QVERIFY2(waiting >= 9000, qPrintable(QString::number(waiting)));
    qint64 longest = 0;
    QElapsedTimer all;
    all.start();
    while (session.waiting_events() > 0 && all.elapsed() < 20000) {
      QElapsedTimer frame;
      frame.start();
      QCoreApplication::processEvents(QEventLoop::AllEvents, MainWindow::frame_ms);
      longest = std::max(longest, frame.elapsed());
    }
    qInfo("%zu events in %lld ms, longest stretch without an event loop %lld ms", waiting,
          static_cast<long long>(all.elapsed()), static_cast<long long>(longest));
    QCOMPARE(session.waiting_events(), 0u);
    QTRY_COMPARE(window->run().served(), 2500u);
    QVERIFY(longest < 1000);
    for (const auto& tier : window->run().tiers.tiers())
      QVERIFY(tier.samples.size() <= TierSeriesModel::sample_limit + 1);
  }

  void hiddenChartsDoNoWork() {
    ScriptedSession session;
    auto window = loaded(session);
    window->dock("hitRates")->hide();
    QTest::qWait(50);
    const int before = window->hit_rates().chart().refresh_count();
    session.serve(50);
    QTRY_COMPARE(window->run().served(), 50u);
    QTest::qWait(150);
    QCOMPARE(window->hit_rates().chart().refresh_count(), before);
    window->dock("hitRates")->show();
    window->dock("hitRates")->raise();
    QTRY_VERIFY(window->hit_rates().chart().refresh_count() > before);
    QVERIFY(!window->hit_rates().chart().series().at("prefill")->points().isEmpty());
  }

  void bothThemesReachEveryChart() {
    ScriptedSession session;
    auto window = loaded(session);
    session.serve(30);
    for (const ThemeKind kind : {ThemeKind::dark, ThemeKind::light, ThemeKind::dark}) {
      window->set_theme(kind);
      const Theme& theme = theme_of(kind);
      QCOMPARE(QApplication::palette().color(QPalette::WindowText), theme.text);
      for (const ChartPanel* chart : window->findChildren<ChartPanel*>()) {
        QCOMPARE(chart->chart().backgroundBrush().color(), theme.base);
        for (const QAbstractAxis* axis : chart->chart().axes()) QCOMPARE(axis->labelsColor(), theme.muted);
      }
      window->frontier().flush();
      QCOMPARE(window->frontier().series().at("evicpress")->pen().color(), theme.policy("evicpress"));
    }
  }

  void layoutsComeBackAfterClosing() {
    ScriptedSession session;
    const WindowOptions kept = options();
    {
      MainWindow window(session, kept);
      window.show();
      QTest::qWait(100);
      window.dock("events")->hide();
      window.dock("sensitivity")->hide();
      window.layouts().save("mine");
      window.close();
    }
    MainWindow window(session, kept);
    window.show();
    QTest::qWait(100);
    QVERIFY(window.dock("sensitivity")->isHidden());
    QVERIFY(!window.dock("controls")->isHidden());
    QVERIFY(window.layouts().apply("Overview"));
    QVERIFY(!window.dock("sensitivity")->isHidden());
    QCOMPARE(window.layouts().saved(), QStringList("mine"));
    QVERIFY(window.layouts().apply("mine"));
    QVERIFY(window.dock("sensitivity")->isHidden());
    QVERIFY(!window.layouts().apply("nobody's"));
  }

  void closesAtOnceInTheMiddleOfARequest() {
    ScriptedSession session;
    auto window = loaded(session);
    session.begin_request();
    QTest::qWait(40);
    session.serve(3000);  // and with events waiting
    QElapsedTimer timer;
    timer.start();
    window->close();
    window.reset();
    QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(session.stops, 1);
  }

  void everyControlHasANameAndATip() {
    ScriptedSession session;
    auto window = loaded(session);
    for (QWidget* widget : window->controls().findChildren<QWidget*>()) {
      if (widget->focusPolicy() == Qt::NoFocus || qobject_cast<QScrollBar*>(widget) ||
          widget->objectName().startsWith("qt_") || !widget->parentWidget() || widget->window() != window.get())
        continue;
      if (qobject_cast<QAbstractSpinBox*>(widget->parentWidget()) || qobject_cast<QComboBox*>(widget->parentWidget()) ||
          qobject_cast<LogSlider*>(widget))
        continue;
      QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
      QVERIFY2(!widget->toolTip().isEmpty(), qPrintable(widget->accessibleName()));
    }
  }

  /// Pictures for eyes: KVANTAGE_PICTURES=folder writes them; without it this only proves that painting works.
  void paintsInBothThemesAndSizes() {
    const QString folder = qEnvironmentVariable("KVANTAGE_PICTURES");
    for (const QSize size : {QSize(1280, 800), QSize(1600, 1000)})
      for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
        ScriptedSession session;
        MainWindow window(session, options());
        window.set_theme(kind);
        window.resize(size);
        window.show();
        const QString name = QStringLiteral("%1x%2-%3")
                                 .arg(size.width())
                                 .arg(size.height())
                                 .arg(kind == ThemeKind::dark ? "dark" : "light");
        const auto picture = [&](const QString& what) {
          QTest::qWait(450);
          const QImage image = window.grab().toImage();
          QCOMPARE(image.size(), window.size());
          if (!folder.isEmpty()) image.save(folder + "/" + name + "-" + what + ".png");
        };
        session.emit_event(events::Progress{"Reading model weights", 100, 100});
        session.emit_event(events::Progress{"Measuring tiers", 3, 8});
        if (size.width() == 1280) picture("loading");
        session.publish_profiles();
        session.set_state(RunState::ready);
        QTRY_VERIFY(!window.run().frontier.curves().empty());
        session.emit_event(events::Progress{"Measuring tiers", 8, 8});
        session.serve(140);
        QTRY_COMPARE(window.run().served(), 140u);
        SessionSettings settings = session.settings();
        settings.alpha = 0.1;
        window.settings().commit(settings, "alpha", {});
        QTRY_COMPARE(session.settings().alpha, 0.1);
        QTest::qWait(60);
        session.serve(90);
        QTRY_COMPARE(window.run().served(), 230u);
        session.begin_request();
        QTest::qWait(700);
        picture("overview");
        window.layouts().apply("Trade-offs");
        picture("tradeoffs");
        window.layouts().apply("Serving");
        window.sensitivity().tabs().setCurrentIndex(2);
        picture("serving");
        window.dock("sensitivity")->raise();
        window.dock("events")->raise();
        picture("heatmap-events");
        window.sensitivity().tabs().setCurrentIndex(1);
        picture("families");
      }
  }
};

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  QApplication::setOrganizationName("kvantage-test");
  QApplication::setApplicationName("window-test");
  MainWindowTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "main_window_test.moc"
