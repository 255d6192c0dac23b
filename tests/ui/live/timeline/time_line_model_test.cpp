// links: kv_ui_models
// What of a run's events is noted on its timeline.
#include "ui/live/timeline/model/time_line_model.h"

#include <QSignalSpy>
#include <QtTest>

#include "tests/support/test_program.h"
#include "ui/text/words.h"

namespace time_line_model_test {

using namespace kvantage;

namespace {

Event at(double seconds, EventPayload payload) {
  Event event;
  event.monotonic_ns = static_cast<std::int64_t>(seconds * 1e9);
  event.payload = std::move(payload);
  return event;
}

void apply(TimeLineModel& model, double seconds, EventPayload payload) {
  model.apply(at(seconds, std::move(payload)), seconds);
}

events::PlacementCommitted evicted() {
  events::PlacementCommitted event;
  event.action.kind = ActionKind::evict;
  event.context_id = "story-2";
  return event;
}

events::ContextProfiled profiled(bool after_drift) {
  events::ContextProfiled event;
  event.context_id = "story-2";
  event.after_drift = after_drift;
  return event;
}

events::DriftDetected drifted() {
  events::DriftDetected event;
  event.context_id = "story-2";
  return event;
}

events::ReadFailed failed_read(const std::string& reason) {
  events::ReadFailed event;
  event.tier = "ssd";
  event.reason = reason;
  return event;
}

QStringList labels(const TimeLineModel& model) {
  QStringList all;
  for (const TimeAnnotation& each : model.annotations()) all << each.label();
  return all;
}

}  // namespace

class TimeLineModelTest : public QObject {
  Q_OBJECT

 private slots:
  void eachKindIsNoted() {
    TimeLineModel model;
    apply(model, 0, events::RunStarted{"run-7", {}});
    apply(model, 5, events::SettingChanged{"alpha", 0.3, 0.05});
    apply(model, 10, events::SettingChanged{"policy", "lru", "evicpress"});
    apply(model, 15, drifted());
    apply(model, 20, profiled(true));
    apply(model, 25, failed_read("checksum"));
    apply(model, 30, events::Message{"warning", "disk full"});
    apply(model, 35, events::RunFinished{"run-7", "finished", 9});
    QCOMPARE(labels(model),
             (QStringList{"run started", "α 0.3 → 0.05", "lru → evicpress", "story-2 drifted", "story-2 re-profiled",
                          "read from ssd failed: checksum", "disk full", "run ended"}));
    const auto& all = model.annotations();
    const RunMark::Kind kinds[] = {RunMark::start,   RunMark::setting, RunMark::policy, RunMark::drift,
                                   RunMark::profile, RunMark::fault,   RunMark::fault,  RunMark::end};
    for (std::size_t i = 0; i < all.size(); ++i) {
      QCOMPARE(all[i].mark.kind, kinds[i]);
      QCOMPARE(all[i].seconds, 5.0 * static_cast<double>(i));
    }
    QCOMPARE(all[3].mark.context, QString("story-2"));
    QVERIFY2(all[1].text().endsWith("α: 0.3 → 0.05"), qPrintable(all[1].text()));
    // Which run it was is the second line.
    QCOMPARE(all.front().text(), seconds_text(0) + ": run started\nrun-7");
    QCOMPARE(all.back().text(), seconds_text(35) + ": run ended\nrun-7");
    QCOMPARE(model.now(), 35.0);
  }

  void theRestIsNot() {
    TimeLineModel model;
    apply(model, 1, evicted());
    apply(model, 2, profiled(false));
    apply(model, 3, events::Message{"info", "hello"});
    apply(model, 4, events::TokenEmitted{1, " the"});
    QVERIFY(model.annotations().empty());
    QCOMPARE(model.now(), 4.0);
  }

  // A slider changes a setting in every frame.
  void closeChangesOfASettingAreOne() {
    TimeLineModel model;
    for (int i = 0; i < 40; ++i)
      apply(model, 10 + i * 0.1, events::SettingChanged{"alpha", i == 0 ? 0.3 : i * 0.5, (i + 1) * 0.5});
    apply(model, 14, drifted());
    QCOMPARE(labels(model).first(), QString("α 0.3 → 20.0"));
    QCOMPARE(model.annotations().size(), std::size_t{2});
    apply(model, 20, events::SettingChanged{"alpha", 20.0, 1.5});
    QCOMPARE(model.annotations().size(), std::size_t{3});
    // Of another setting, or undone at once.
    apply(model, 20.1, events::SettingChanged{"policy", "lru", "lfu"});
    QCOMPARE(model.annotations().size(), std::size_t{4});
    apply(model, 20.9, events::SettingChanged{"policy", "lfu", "lru"});
    QCOMPARE(model.annotations().size(), std::size_t{3});
  }

  void alikeFaultsAreCounted() {
    TimeLineModel model;
    for (int i = 0; i < 12; ++i) apply(model, 5 + i * 0.5, failed_read("checksum"));
    apply(model, 11, failed_read("unavailable"));
    QCOMPARE(model.annotations().size(), std::size_t{2});
    QCOMPARE(model.annotations()[0].count, 12);
    QCOMPARE(model.annotations()[0].seconds, 10.5);
    QVERIFY2(model.annotations()[0].label().startsWith("12× read from ssd"),
             qPrintable(model.annotations()[0].label()));
    QVERIFY(model.annotations()[0].text().contains("(12 times)"));
  }

  void faultsByTheThousandDisplaceNoChange() {
    TimeLineModel model;
    apply(model, 0, events::SettingChanged{"alpha", 1, 2});
    for (int i = 0; i < 5000; ++i) apply(model, 10 + i * 3.0, failed_read("checksum"));
    QVERIFY(model.annotations().size() <= TimeLineModel::annotation_limit);
    QCOMPARE(model.annotations().front().label(), QString("α 1 → 2"));
    QCOMPARE(model.annotations().back().seconds, 10 + 4999 * 3.0);
    for (std::size_t i = 1; i < model.annotations().size(); ++i)
      QVERIFY(model.annotations()[i - 1].seconds < model.annotations()[i].seconds);
  }

  void longTextsAreShortLabels() {
    TimeLineModel model;
    apply(model, 1, events::Message{"error", std::string(200, 'x') + "\nmore"});
    QVERIFY(model.annotations()[0].label().size() <= 30);
    QVERIFY(model.annotations()[0].text().contains("more"));
  }

  void pausesAreNotedButNotTheFirstStart() {
    TimeLineModel model;
    model.state_changed(RunState::ready, 0);
    model.state_changed(RunState::running, 1);
    QVERIFY(model.annotations().empty());  // RunStarted says so
    model.state_changed(RunState::paused, 5);
    model.state_changed(RunState::paused, 6);
    model.state_changed(RunState::running, 8);
    model.state_changed(RunState::finished, 9);
    QCOMPARE(labels(model), (QStringList{"paused", "resumed"}));
    QCOMPARE(model.annotations()[0].seconds, 5.0);
  }

  void signalsAreFew() {
    TimeLineModel model;
    QSignalSpy changes(&model, &TimeLineModel::changed);
    for (int i = 1; i <= 10'000; ++i) apply(model, i * 1e-4, events::TokenEmitted{1, "a"});  // one second
    QVERIFY2(changes.size() >= 9 && changes.size() <= 11, qPrintable(QString::number(changes.size())));
  }

  void contentIsSavedAndSwapped() {
    TimeLineModel model, other;
    apply(model, 3, drifted());
    const TimeLineModel::Content saved = model.content();
    apply(model, 9, failed_read("checksum"));
    model.set_content(saved);
    QCOMPARE(labels(model), QStringList{"story-2 drifted"});
    QCOMPARE(model.now(), 3.0);
    model.swap_content(other);
    QVERIFY(model.annotations().empty());
    QCOMPARE(labels(other), QStringList{"story-2 drifted"});
    other.clear();
    QVERIFY(other.annotations().empty());
    QCOMPARE(other.now(), 0.0);
  }

  void aRecordedRunIsReadAsAWhole() {
    const auto content = annotations_of({at(100, events::RunStarted{"r", {}}), at(107, drifted()), at(109, evicted())});
    QCOMPARE(content.annotations.size(), std::size_t{2});
    QCOMPARE(content.annotations[1].seconds, 7.0);
    QCOMPARE(content.now, 9.0);
    QVERIFY(annotations_of({}).annotations.empty());
  }
};

KV_TEST_APPLESS_MAIN(TimeLineModelTest)

}  // namespace time_line_model_test

#include "time_line_model_test.moc"
