// links: kv_ui
// What the status bar says of serving: speed, queue, memory, and the provenance of metrics.
#include <QApplication>
#include <QLabel>
#include <QStatusBar>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/session/serving_gauges.h"
#include "ui/widgets/eliding_label.h"

namespace status_bar_test {

using namespace kvantage;

class StatusBarTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static QString part(const MainWindow& window, const char* name) {
    return window.findChild<QLabel*>(QString::fromLatin1(name))->text();
  }
  static RequestRecord answered(std::uint64_t id, int tokens, double queued, Provenance provenance) {
    RequestRecord record;
    record.id = id;
    record.context_id = "needle-1";
    record.answer_tokens = tokens;
    record.timing.queue_seconds = queued;
    record.timing.ttft_service_seconds = 0.05;
    record.provenance = provenance;
    return record;
  }

 private slots:
  // Its own hint is room enough, whatever the letters measure: nothing is cut beside free room.
  void aLabelOfItsOwnWidthIsWhole() {
    ElidingLabel label;
    for (int tenths = 70; tenths <= 200; ++tenths) {
      QFont font = label.font();
      font.setPointSizeF(tenths / 10.0);
      label.setFont(font);
      for (const char* text :
           {"1 running, 0 waiting", "378.9 MiB", "Running", "quickstart: 28 contexts", "1.234 requests/s"}) {
        label.setText(text);
        label.resize(label.sizeHint());
        QCOMPARE(label.painted(), label.text());
      }
    }
  }

  // While something is worked on there is too little room for everything: what says least goes, and no word is cut
  // of the state, the work and what was served.
  void whatSaysLeastGoesWhereRoomIsShort() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    window->resize(1000, 700);
    session.serve(40);
    session.emit_event(events::Progress{"Profiling contexts", 0, 24});
    session.advance(30);
    session.emit_event(events::Progress{"Profiling contexts", 3, 24});
    QTRY_VERIFY(status_text_of(*window).contains("Profiling contexts"));
    QTRY_VERIFY(window->findChild<QLabel*>("memoryLabel")->isHidden());
    for (const auto* label : window->statusBar()->findChildren<ElidingLabel*>())
      if (label->isVisible() && (label->text() == "Running" || label->text().startsWith("Profiling") ||
                                 label->objectName() == "provenanceBadge" || label->text().contains("requests")))
        QTRY_COMPARE(label->painted(), label->text());
    window->resize(2000, 700);
    session.advance(1);
    session.emit_event(events::Progress{"Profiling contexts", 4, 24});
    QTRY_VERIFY(!window->findChild<QLabel*>("memoryLabel")->isHidden());
  }

  // The model's device is the longest part: it is cut before the workload's name is.
  void theWorkloadIsWholeWhileTheModelIsCut() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    window->resize(1280, 800);
    session.serve(40);
    session.emit_event(events::Progress{"Profiling contexts", 0, 24});
    session.advance(30);
    session.emit_event(events::Progress{"Profiling contexts", 3, 24});
    QTRY_VERIFY(status_text_of(*window).contains("Profiling contexts"));
    const auto part = [&](const QString& begin) {
      for (const auto* label : window->statusBar()->findChildren<ElidingLabel*>())
        if (label->text().startsWith(begin)) return label;
      return static_cast<const ElidingLabel*>(nullptr);
    };
    const ElidingLabel *workload = part("quickstart"), *model = part("kvantage-12M");
    QVERIFY(workload != nullptr && model != nullptr);
    window->resize(1000, 800);
    session.advance(1);
    session.emit_event(events::Progress{"Profiling contexts", 4, 24});
    QTRY_VERIFY(model->painted() != model->text());
    QTRY_COMPARE(workload->painted(), workload->text());
  }

  void connectedProgramsAreShown() {
    int programs = 0;
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.connections = [&programs] { return programs; };
    auto window = scripted_.loaded(session, options);
    const auto* label = window->findChild<QLabel*>("connectedLabel");
    QVERIFY(label->isHidden());
    programs = 2;
    QTRY_COMPARE(label->text(), QString("connected: 2"));
    QVERIFY(!label->isHidden() && status_text_of(*window).contains("connected: 2"));
    programs = 0;
    QTRY_VERIFY(label->isHidden() && !status_text_of(*window).contains("connected"));
  }

  void speedAndQueueFollowTheRequests() {
    ScriptedSession session;
    SessionSettings unthrottled = session.settings();
    for (TierConfig& tier : unthrottled.tiers) tier.throttle = {};
    QVERIFY(session.apply(unthrottled));
    auto window = scripted_.loaded(session);
    // Two requests a second, of twelve tokens each.
    for (std::uint64_t i = 1; i <= 10; ++i) {
      session.advance(0.5);
      session.emit_event(events::RequestFinished{answered(100 + i, 12, 0, Provenance::measured)});
    }
    QTRY_COMPARE(part(*window, "speedLabel"), QString("24.0 tokens/s"));
    QCOMPARE(part(*window, "queueLabel"), QString("0 running, 0 waiting"));
    session.begin_request();
    session.begin_request();
    QTRY_COMPARE(part(*window, "queueLabel"), QString("2 running, 0 waiting"));
    QVERIFY(part(*window, "provenanceBadge").contains("measured"));
    // With a rate of their own they wait: 4 a second, 3 s each.
    SessionSettings settings = session.settings();
    settings.requests_per_second = 4;
    QVERIFY(session.apply(settings));
    session.emit_event(events::RequestFinished{answered(30, 12, 3, Provenance::throttled)});
    QTRY_COMPARE(part(*window, "queueLabel"), QString::fromUtf8("2 running, ≈ 12 waiting"));
    QTRY_VERIFY(part(*window, "provenanceBadge").contains("throttled"));
    // A prefill beside throttled tiers reads none of them: what is shown stays throttled.
    settings = session.settings();
    settings.tiers[0].throttle.bytes_per_second = 1e8;
    QVERIFY(session.apply(settings));
    session.emit_event(events::RequestFinished{answered(32, 12, 3, Provenance::measured)});
    QTRY_VERIFY(run_of(*window).requests.row(run_of(*window).requests.rowCount() - 1)->record.id == 32);
    test::settle(150);
    QVERIFY(part(*window, "provenanceBadge").contains("throttled"));
    session.emit_event(events::RequestFinished{answered(31, 12, 3, Provenance::simulated)});
    QTRY_VERIFY(part(*window, "provenanceBadge").contains("simulated"));
    for (const char* name : {"speedLabel", "queueLabel", "memoryLabel", "provenanceBadge"}) {
      const auto* label = window->findChild<QLabel*>(QString::fromLatin1(name));
      QVERIFY2(label->isVisible() && !label->toolTip().isEmpty() && !label->accessibleName().isEmpty(), name);
      QVERIFY(status_text_of(*window).contains(label->text()));
    }
    QVERIFY(status_text_of(*window).contains("kvantage-12M"));  // the model
    session.set_state(RunState::finished);
    QTRY_VERIFY(part(*window, "speedLabel").isEmpty() && part(*window, "queueLabel").isEmpty());
  }

  void partsShrinkForLargeText() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    window->resize(1280, 800);
    const int least = window->statusBar()->minimumSizeHint().width();
    QList<ElidingLabel*> labels = window->statusBar()->findChildren<ElidingLabel*>();
    QVERIFY(labels.size() >= 8);
    for (ElidingLabel* label : labels) {
      if (!label->isVisible()) continue;
      label->setText(QStringLiteral("123456 of 200000 requests of a very long name, 12.3/s"));
      label->setToolTip(QStringLiteral("What it is"));
    }
    window->set_font_size(200);
    for (ElidingLabel* label : labels)
      if (label->isVisible()) label->setText(QStringLiteral("123456 of 200000 requests of a very long name, 12.3/s"));
    QCoreApplication::processEvents();
    QVERIFY2(window->width() <= 1280 && window->statusBar()->minimumSizeHint().width() <= 1280,
             qPrintable(QStringLiteral("%1, status bar %2, before %3")
                            .arg(window->width())
                            .arg(window->statusBar()->minimumSizeHint().width())
                            .arg(least)));
    int cut = 0;
    for (ElidingLabel* label : labels)
      if (label->isVisible() && label->painted() != label->text()) {
        ++cut;
        QVERIFY2(label->painted().isEmpty() || label->painted().endsWith(QChar(0x2026)), qPrintable(label->painted()));
      }
    QVERIFY(cut > 3);
    window->set_font_size(100);
  }

  // Words that fit are whole; the sign before them is never cut, nor is it part of them.
  void aLabelIsCutOnlyWhereThereIsNoRoom() {
    ElidingLabel label;
    QCOMPARE(label.sizeHint().width(), 0);  // without words it takes no room
    label.setText("measured");
    const int words = label.sizeHint().width();
    label.set_sign("■", Qt::red);
    QVERIFY(label.sizeHint().width() > words);
    label.resize(label.sizeHint());
    QCOMPARE(label.painted(), QString("measured"));
    label.setText("measured on throttled tiers and more");
    QVERIFY(label.minimumSizeHint().width() < label.sizeHint().width());
    label.resize(label.minimumSizeHint());
    QVERIFY(label.painted().endsWith(QChar(0x2026)) && label.painted().startsWith("m"));
    QCOMPARE(label.text(), QString("measured on throttled tiers and more"));
    QVERIFY(!label.grab().isNull());
  }

  void memoryIsThatOfTheProgram() {
    const std::uint64_t before = resident_bytes();
    QVERIFY(before > (4u << 20));
    std::vector<char> more(64u << 20, 1);
    const std::uint64_t after = resident_bytes();
    QVERIFY(after >= before + (56u << 20) && after <= before + (96u << 20) && more.back() == 1);
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QVERIFY2(part(*window, "memoryLabel").endsWith("iB"), qPrintable(part(*window, "memoryLabel")));
  }
};

KV_TEST_MAIN(StatusBarTest)

}  // namespace status_bar_test

#include "status_bar_test.moc"
