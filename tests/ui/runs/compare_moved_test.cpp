// links: kv_ui profiles
// Comparing runs whose settings moved: as wholes, whatever the number of periods, and taken apart only where that
// fits.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/report/recorded_run.h"
#include "profiles/run_library.h"
#include "profiles/stores.h"
#include "tests/report/sample_runs.h"
#include "tests/support/test_program.h"
#include "ui/runs/compare_page.h"

namespace compare_moved_test {

using namespace kvantage;

class CompareMovedTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::filesystem::path path_ = folder_.filePath("runs.db").toStdString();
  std::unique_ptr<Stores> stores_ = std::move(*open_stores(path_, StoreAccess::read_write, machine_clock()));
  std::shared_ptr<RunLibrary> library_ = std::move(*open_run_library(path_, machine_clock()));

  /// Alpha moves `moves` times, evenly spread.
  void record(const std::string& id, int moves) {
    const Json settings{{"policy", "evicpress"}, {"alpha", 1.0}, {"quality_metric", "token_f1"}};
    QVERIFY(stores_->runs().begin_run(id, Json{{"settings", settings}}));
    std::uint64_t sequence = 0;
    const auto append = [&](EventPayload payload) {
      Event event;
      event.sequence = ++sequence;
      event.monotonic_ns = static_cast<std::int64_t>(sequence) * 5'000'000;
      event.payload = std::move(payload);
      stores_->runs().append(event);
    };
    append(events::RunStarted{id, settings});
    double alpha = 1;
    int asked = 0;
    for (RequestRecord request : sample_run(1, "evicpress", 60).records) {
      if (moves > 0 && asked > 0 && asked % (60 / (moves + 1)) == 0 && alpha < moves + 1)
        append(events::SettingChanged{"alpha", alpha, ++alpha});
      request.id = static_cast<std::uint64_t>(++asked);
      request.alpha = alpha;
      request.cancelled = false;
      request.held_out = true;
      request.question = "question " + std::to_string(asked);
      append(events::RequestFinished{request});
    }
    QVERIFY(stores_->runs().finish_run(id, "finished"));
  }
  std::vector<RecordedRun> read(const QStringList& ids) {
    std::vector<RecordedRun> runs;
    for (const QString& id : ids) {
      auto run = library_->read(id.toStdString(), report_event_types());
      runs.push_back({run->summary, run->events});
    }
    return runs;
  }

 private slots:
  void initTestCase() {
    record("still", 0);
    record("thrice", 2);
    record("often", 11);
    QCOMPARE(periods_of(read({"often"})), std::size_t{12});
  }

  void manyPeriodsAreComparedAsWholes() {
    RunComparisonModel model(library_);
    ComparePage page(model);
    page.show();
    QSignalSpy failed(&model, &RunComparisonModel::failed);
    model.compare({"still", "often"});
    QTRY_COMPARE(model.sides(), 2);
    QCOMPARE(failed.count(), 0);
    QVERIFY(model.side_name(1).contains("settings changed") && !model.side_name(0).contains("settings changed"));
    // The whole has all that was answered, and the mean of all.
    const auto runs = read({"still", "often"});
    double sum = 0;
    std::size_t answers = 0;
    for (const PolicyRun& part : policy_runs_of(runs[1]))
      for (const RequestRecord& request : part.records) {
        sum += request.timing.ttft_service_seconds;
        ++answers;
      }
    QCOMPARE(answers, std::size_t{60});
    const ComparedMetric& ttft = model.comparison().metrics.front();
    QCOMPARE(ttft.values[1]->n, answers);
    const double scale = ttft.unit == "ms" ? 1000 : 1;
    QVERIFY2(std::abs(ttft.values[1]->value - scale * sum / 60) < 1e-9 * scale,
             qPrintable(QString::number(ttft.values[1]->value)));
    const auto moved = std::ranges::find(model.comparison().settings, "alpha", &DifferingSetting::name);
    QVERIFY(moved != model.comparison().settings.end());
    QCOMPARE(moved->values[1].size(), std::size_t{12});
    QVERIFY(page.periods().isVisible() && !page.periods().isEnabled() && page.periods().toolTip().contains("13") &&
            page.periods().toolTip().contains("fewer runs"));
    model.set_periods(true);  // would not fit
    QVERIFY(!model.showing_periods());
  }

  void fewPeriodsCanBeTakenApart() {
    RunComparisonModel model(library_);
    ComparePage page(model);
    page.show();
    model.compare({"still", "thrice"});
    QTRY_COMPARE(model.sides(), 2);
    QVERIFY(page.periods().isVisible() && page.periods().isEnabled() && !page.periods().isChecked());
    QTest::mouseClick(&page.periods(), Qt::LeftButton, {}, QPoint(6, page.periods().height() / 2));
    QTRY_COMPARE(model.sides(), 4);
    QCOMPARE(to_json(model.comparison()), to_json(compare_runs(read({"still", "thrice"}))));
    QTRY_VERIFY(page.periods().isChecked() && page.periods().isEnabled());
    QTest::mouseClick(&page.periods(), Qt::LeftButton, {}, QPoint(6, page.periods().height() / 2));
    QTRY_COMPARE(model.sides(), 2);
    model.clear();
    model.compare({"still", "thrice"});  // wholes again
    QTRY_COMPARE(model.sides(), 2);
  }

  void aComparisonThatFailsLeavesThePeriods() {
    RunComparisonModel model(library_);
    ComparePage page(model);
    page.show();
    model.compare({"still", "thrice"});
    QTRY_COMPARE(model.sides(), 2);
    model.set_periods(true);
    QTRY_COMPARE(model.sides(), 4);
    QSignalSpy failed(&model, &RunComparisonModel::failed);
    model.compare({"still", "gone"});
    QTRY_COMPARE(failed.count(), 1);
    QCOMPARE(model.sides(), 4);
    QVERIFY(model.showing_periods() && page.periods().isChecked() && page.periods().isEnabled());
    model.set_periods(false);
    QTRY_COMPARE(model.sides(), 2);
  }

  void whereNothingMovedThereIsNothingToChoose() {
    record("also still", 0);
    RunComparisonModel model(library_);
    ComparePage page(model);
    page.show();
    model.compare({"still", "also still"});
    QTRY_COMPARE(model.sides(), 2);
    QVERIFY(page.periods().isHidden());
    QCOMPARE(to_json(model.comparison()), to_json(compare_runs(read({"still", "also still"}))));
  }
};

KV_TEST_MAIN(CompareMovedTest)

}  // namespace compare_moved_test

#include "compare_moved_test.moc"
