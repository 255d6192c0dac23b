// links: kv_ui
#include "ui/window/main_window.h"

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/text/words.h"

namespace main_window_test {

using namespace kvantage;

namespace {

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

  ScriptedWindow scripted_;
  WindowOptions options() { return scripted_.options(); }
  std::unique_ptr<MainWindow> loaded(ScriptedSession& session) { return scripted_.loaded(session); }

 private slots:
  void opensAtOnceAndShowsProgressWhileLoading() {
    ScriptedSession session;
    test::OwnTimer timer;
    timer.start();
    MainWindow window(session, options());
    window.show();
    QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(shows_start_page(window));
    session.emit_event(events::Progress{"Reading model weights", 40, 100});
    QTRY_COMPARE(run_of(window).work().size(), 1u);
    QTRY_VERIFY(window.findChild<StartPage*>()->work_count() == 1);
    session.set_state(RunState::ready);
    QTRY_VERIFY(!shows_start_page(window));
    QTRY_COMPARE(session.state(), RunState::running);  // serving begins by itself
  }

  void failedLoadingIsSaidOnceOnTheStartPage() {
    ScriptedSession session;
    MainWindow window(session, options());
    window.show();
    session.emit_event(events::Message{"error", "model.safetensors: ends after 12 of 48 MiB; download it again"});
    session.set_state(RunState::failed);
    const auto said = [&] {
      const auto labels = window.findChild<StartPage*>()->findChildren<QLabel*>();
      return std::ranges::count_if(labels, [](const QLabel* label) {
        return label->isVisible() && label->text().startsWith("Loading failed: ") &&
               label->text().contains("ends after 12 of 48 MiB");
      });
    };
    QTRY_COMPARE(said(), 1);
    QVERIFY(window.banner().isHidden());
    QVERIFY(shows_start_page(window));
  }

  void draggingAlphaMovesTheMarkerAndLeavesTheCurve() {
    ScriptedSession session;
    auto window = loaded(session);
    LogSlider& alpha = controls_of(*window).alpha();
    const auto curve = evicpress_points(*window);
    QVERIFY(curve.size() > 20 && curve.size() <= 600);
    alpha.slider().setSliderDown(true);
    std::vector<double> seen;
    for (int step = 0; step <= LogSlider::steps; step += 50) {
      test::OwnTimer frame;
      frame.start();
      alpha.slider().setValue(step);
      const auto present = run_of(*window).frontier.present();
      QVERIFY2(frame.elapsed() < 16, "the marker follows within a frame");
      QVERIFY(present.has_value());
      QCOMPARE(run_of(*window).frontier.present_alpha(), alpha.value());
      const auto at = frontier_of(*window).present_position();
      QVERIFY(at && distance_to_polyline(*at, curve, frontier_of(*window)) < 1.0);
      seen.push_back(present->quality);
      test::settle(5);
    }
    QVERIFY(seen.back() > seen.front());  // the highest alpha predicts better answers than the lowest
    QVERIFY(session.applied.empty());     // nothing is committed while the slider is held
    QCOMPARE(evicpress_points(*window), curve);
    alpha.slider().setSliderDown(false);
    QTRY_COMPARE(session.applied.size(), 1u);
    QCOMPARE(session.settings().alpha, alpha.value());
  }

  void measuredPointsGrowInAndAChangeStartsANewOne() {
    ScriptedSession session;
    auto window = loaded(session);
    session.serve(60);
    QTRY_COMPARE(run_of(*window).served(), 60u);
    auto measured = run_of(*window).frontier.measured();
    QCOMPARE(measured.size(), 1u);
    QCOMPARE(measured[0].quality.n, 60u);
    QVERIFY(measured[0].quality.has_interval && measured[0].quality.low < measured[0].quality.mean);
    QVERIFY(measured[0].throttled);
    const double first_mean = measured[0].quality.mean;

    SessionSettings settings = session.settings();
    settings.alpha *= 3;
    QVERIFY(settings_of(*window).commit(settings, "alpha", {}));
    QTRY_COMPARE(session.settings().alpha, settings.alpha);
    session.serve(20);
    QTRY_COMPARE(run_of(*window).served(), 80u);
    measured = run_of(*window).frontier.measured();
    QCOMPARE(measured.size(), 2u);
    QCOMPARE(measured[0].quality.n, 60u);
    QCOMPARE(measured[0].quality.mean, first_mean);
    QCOMPARE(measured[1].quality.n, 20u);
    QVERIFY(measured[1].current && !measured[0].current);

    // A family's points hold that family's requests only.
    run_of(*window).frontier.set_family("needle");
    std::uint64_t needle = 0;
    for (const MeasuredPoint& point : run_of(*window).frontier.measured()) needle += point.quality.n;
    std::uint64_t counted = 0;
    for (int r = 0; r < run_of(*window).requests.rowCount(); ++r)
      counted += run_of(*window).requests.row(r)->record.family == "needle";
    QCOMPARE(needle, counted);
    QTRY_VERIFY(!run_of(*window).frontier.curves().empty());  // the curve of that family alone arrives
  }

  // Another run begins: the points measured before stay.
  void aNewRunKeepsMeasuredPoints() {
    ScriptedSession session;
    auto window = loaded(session);
    session.serve(40);
    QTRY_COMPARE(run_of(*window).served(), 40u);
    const double mean = run_of(*window).frontier.measured().at(0).quality.mean;
    session.emit_event(events::RunStarted{"run-2", to_json(session.settings())});
    QTRY_COMPARE(run_of(*window).served(), 0u);
    session.serve(20);
    QTRY_COMPARE(run_of(*window).served(), 20u);
    const auto measured = run_of(*window).frontier.measured();
    QCOMPARE(measured.size(), 2u);
    QVERIFY(measured[0].quality.n == 40 && measured[0].quality.mean == mean && !measured[0].current);
    QVERIFY(measured[1].quality.n == 20 && measured[1].current);
  }

  // Two changes between two frames: each request counts under the settings that it was served with.
  void requestsBelongToTheSettingsOfTheirTime() {
    ScriptedSession session;
    auto window = loaded(session);
    session.serve(30);
    SessionSettings settings = session.settings();
    const std::uint64_t budget = settings.tiers[0].budget.bytes();
    settings.tiers[0].budget = budget / 2;
    QVERIFY(session.apply(settings));
    session.serve(20);
    settings.tiers[0].budget = budget / 4;
    QVERIFY(session.apply(settings));
    session.serve(10);
    QTRY_COMPARE(run_of(*window).served(), 60u);
    const auto measured = run_of(*window).frontier.measured();
    QCOMPARE(measured.size(), 3u);
    QCOMPARE(measured[0].quality.n, 30u);
    QCOMPARE(measured[1].quality.n, 20u);
    QCOMPARE(measured[2].quality.n, 10u);
    QCOMPARE(controls_of(*window).tier("dram")->setting().budget.bytes(), budget / 4);
  }

  void workThatRestsIsNotShownAsRunning() {
    ScriptedSession session;
    auto window = loaded(session);
    session.emit_event(events::Progress{"Profiling contexts", 3, 24});
    QTRY_VERIFY(status_text_of(*window).contains("Profiling contexts"));
    session.pause();
    QTRY_VERIFY(!status_text_of(*window).contains("Profiling contexts"));
    session.start();
    QTRY_VERIFY(status_text_of(*window).contains("Profiling contexts"));
  }

  void whatIfBaselinesServeTheLiveRequests() {
    ScriptedSession session;
    auto window = loaded(session);
    session.serve(40);
    const auto what_if = [&](const QString& policy) -> std::uint64_t {
      for (const SimulatedPoint& point : run_of(*window).frontier.simulated())
        if (point.what_if && point.policy == policy) return point.requests;
      return 0;
    };
    QTRY_COMPARE(what_if("lru"), 40u);
    QCOMPARE(what_if("fixed(keydiff,0.5)"), 40u);
    QCOMPARE(what_if("evicpress"), 0u);
  }

  // At every painting of the table, while requests come and the newest is followed.
  void theMarkedRequestIsTheOneToldAbout() {
    ScriptedSession session;
    auto window = loaded(session);
    dock_of(*window, "requests")->raise();
    struct Watch : QObject {
      RequestsDock* dock = nullptr;
      int paintings = 0;
      QStringList wrong;
      bool eventFilter(QObject*, QEvent* event) override {
        const QModelIndex current = dock->table().currentIndex();
        if (event->type() != QEvent::Paint || !current.isValid()) return false;
        ++paintings;
        const QString marked = current.siblingAtColumn(RequestsModel::number).data().toString();
        if (!dock->detail_text().startsWith("#" + marked + " ")) wrong << marked + ": " + dock->detail_text().left(12);
        return false;
      }
    } watch;
    watch.dock = &requests_of(*window);
    requests_of(*window).table().viewport()->installEventFilter(&watch);
    for (int i = 0; i < 20; ++i) {
      session.serve(1 + i % 3);
      test::settle(60);
    }
    QTRY_COMPARE(requests_of(*window).table().currentIndex().row(),
                 requests_of(*window).table().model()->rowCount() - 1);
    QVERIFY(watch.paintings > 5);
    QVERIFY2(watch.wrong.isEmpty(), qPrintable(watch.wrong.join("; ")));
    requests_of(*window).table().viewport()->removeEventFilter(&watch);
  }

  void tablesSayWhatTheRecordsSay() {
    ScriptedSession session;
    auto window = loaded(session);
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    QTableView& requests = requests_of(*window).table();
    QCOMPARE(requests.model()->rowCount(), 30);
    const RequestRecord& last = run_of(*window).requests.row(29)->record;
    QCOMPARE(requests.model()->index(29, RequestsModel::answer).data().toString(), to_q(last.answer));
    QCOMPARE(requests.model()->index(29, RequestsModel::ttft).data().toString(),
             seconds_text(last.timing.ttft_service_seconds));
    dock_of(*window, "requests")->raise();
    requests.selectRow(29);
    QTRY_VERIFY(requests_of(*window).detail_text().contains(to_q(last.gold)));
    QVERIFY(requests_of(*window).detail_text().contains(to_q(last.question)));

    QTableView& contexts = contexts_of(*window).table();
    QTRY_COMPARE(contexts.model()->rowCount(), 24);
    const auto snapshot = session.snapshot();
    int explained = 0;
    for (int r = 0; r < 24; ++r) {
      const ContextState& state = snapshot->contexts[static_cast<std::size_t>(r)];
      QTRY_COMPARE(run_of(*window).contexts.index(r, ContextsModel::tier).data().toString(),
                   tier_text(*snapshot, state.placement.tier));
      explained += run_of(*window).contexts.index(r, ContextsModel::why).data().toString().contains("utility");
    }
    QVERIFY(explained > 3);
    contexts_of(*window).filter().setText("needle");
    QCOMPARE(contexts.model()->rowCount(), 4);
  }

  void anAnswerStreamsIn() {
    ScriptedSession session;
    auto window = loaded(session);
    const std::uint64_t id = session.begin_request();
    QTRY_VERIFY(run_of(*window).requests.find(id));
    QTRY_COMPARE(to_q(run_of(*window).requests.find(id)->record.answer), QString("In the blue"));
    session.emit_event(events::TokenEmitted{id, " box"});
    QTRY_COMPARE(to_q(run_of(*window).requests.find(id)->record.answer), QString("In the blue box"));
    QVERIFY(run_of(*window).requests.find(id)->running);
  }

  void hitRatesOfAllSourcesSumToOne() {
    ScriptedSession session;
    auto window = loaded(session);
    session.serve(80);
    QTRY_COMPARE(run_of(*window).served(), 80u);
    const HitRateModel& rates = run_of(*window).hit_rates;
    for (const auto measure : {HitRateModel::by_requests, HitRateModel::by_tokens, HitRateModel::by_bytes})
      for (const int length : {0, 10, 25}) {
        double sum = 0;
        for (std::size_t source = 0; source < rates.sources().size(); ++source)
          sum += rates.latest(source, measure, length);
        QVERIFY(std::abs(sum - 1) < 1e-9);
      }
    // Counted by hand from the log.
    int from_prefill = 0;
    for (int r = 0; r < 80; ++r) from_prefill += run_of(*window).requests.row(r)->record.source == "prefill";
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
      test::OwnTimer frame;
      frame.start();
      QCoreApplication::processEvents(QEventLoop::AllEvents, MainWindow::frame_ms);
      longest = std::max(longest, frame.elapsed());
    }
    qInfo("%zu events in %lld ms, longest stretch without an event loop %lld ms", waiting,
          static_cast<long long>(all.elapsed()), static_cast<long long>(longest));
    QCOMPARE(session.waiting_events(), 0u);
    QTRY_COMPARE(run_of(*window).served(), 2500u);
    QVERIFY(longest < 1000);
    for (const auto& tier : run_of(*window).tiers.tiers())
      QVERIFY(tier.samples.size() <= TierSeriesModel::sample_limit + 1);
  }

  void hiddenChartsDoNoWork() {
    ScriptedSession session;
    auto window = loaded(session);
    dock_of(*window, "hitRates")->hide();
    test::settle(50);
    const int before = hit_rates_of(*window).chart().refresh_count();
    session.serve(50);
    QTRY_COMPARE(run_of(*window).served(), 50u);
    test::settle(150);
    QCOMPARE(hit_rates_of(*window).chart().refresh_count(), before);
    dock_of(*window, "hitRates")->show();
    dock_of(*window, "hitRates")->raise();
    QTRY_VERIFY(hit_rates_of(*window).chart().refresh_count() > before);
    QVERIFY(!hit_rates_of(*window).chart().series().at("prefill")->points().isEmpty());
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
      frontier_of(*window).flush();
      QCOMPARE(frontier_of(*window).envelopes().at("evicpress")->pen().color(), theme.policy("evicpress"));
      QCOMPARE(frontier_of(*window).series().at("evicpress")->pen().color().rgb(), theme.policy("evicpress").rgb());
    }
  }

  void layoutsComeBackAfterClosing() {
    ScriptedSession session;
    const WindowOptions kept = options();
    {
      MainWindow window(session, kept);
      window.show();
      test::settle(100);
      dock_of(window, "events")->hide();
      dock_of(window, "sensitivity")->hide();
      layouts_of(window).save("mine");
      window.close();
    }
    MainWindow window(session, kept);
    window.show();
    test::settle(100);
    QVERIFY(dock_of(window, "sensitivity")->isHidden());
    QVERIFY(!dock_of(window, "controls")->isHidden());
    QVERIFY(layouts_of(window).apply("Overview"));
    QVERIFY(!dock_of(window, "sensitivity")->isHidden());
    QCOMPARE(layouts_of(window).saved(), QStringList("mine"));
    QVERIFY(layouts_of(window).apply("mine"));
    QVERIFY(dock_of(window, "sensitivity")->isHidden());
    QVERIFY(!layouts_of(window).apply("nobody's"));
  }

  void closesAtOnceInTheMiddleOfARequest() {
    ScriptedSession session;
    auto window = loaded(session);
    session.begin_request();
    test::settle(40);
    session.serve(3000);  // and with events waiting
    test::OwnTimer timer;
    timer.start();
    window->close();
    window.reset();
    QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(session.stops, 1);
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
          test::settle(folder.isEmpty() ? 60 : 450);  // a picture that is kept shows a window at rest
          const QImage image = window.grab().toImage();
          QCOMPARE(image.size(), window.size());
          if (!folder.isEmpty()) image.save(folder + "/" + name + "-" + what + ".png");
        };
        session.emit_event(events::Progress{"Reading model weights", 100, 100});
        session.emit_event(events::Progress{"Measuring tiers", 3, 8});
        if (size.width() == 1280) picture("loading");
        session.publish_profiles();
        session.set_state(RunState::ready);
        QTRY_VERIFY(!run_of(window).frontier.curves().empty());
        session.emit_event(events::Progress{"Measuring tiers", 8, 8});
        session.serve(140);
        QTRY_COMPARE(run_of(window).served(), 140u);
        SessionSettings settings = session.settings();
        settings.alpha = 0.1;
        settings_of(window).commit(settings, "alpha", {});
        QTRY_COMPARE(session.settings().alpha, 0.1);
        test::settle(60);
        session.serve(90);
        QTRY_COMPARE(run_of(window).served(), 230u);
        session.begin_request();
        test::settle(700);
        picture("overview");
        layouts_of(window).apply("Trade-offs");
        picture("tradeoffs");
        layouts_of(window).apply("Serving");
        sensitivity_of(window).tabs().setCurrentIndex(2);
        picture("serving");
        dock_of(window, "sensitivity")->raise();
        dock_of(window, "events")->raise();
        picture("heatmap-events");
        sensitivity_of(window).tabs().setCurrentIndex(1);
        picture("families");
      }
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  QApplication::setOrganizationName("kvantage-test");
  QApplication::setApplicationName("window-test");
  MainWindowTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace main_window_test

#include "main_window_test.moc"
