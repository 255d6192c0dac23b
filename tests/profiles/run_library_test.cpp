// links: kv_reports profiles
// The runs of a database looked through while it is written to: what is listed is what was recorded, notes stay, what
// is deleted is gone and nothing else is.
#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>

#include "core/report/recorded_run.h"
#include "core/report/run_metrics.h"
#include "profiles/run_library.h"
#include "profiles/stores.h"
#include "tests/report/sample_runs.h"
#include "tests/support/test_program.h"

namespace run_library_test {

using namespace kvantage;

namespace {

std::vector<Event> events_of(const std::string& run_id, std::uint64_t seed, int requests) {
  std::vector<Event> events;
  const auto add = [&](EventPayload payload) {
    const auto sequence = static_cast<std::uint64_t>(events.size()) + 1;
    events.push_back({sequence, static_cast<std::int64_t>(sequence) * 1000, static_cast<std::int64_t>(sequence) * 10,
                      std::move(payload)});
  };
  add(events::RunStarted{run_id, Json::object()});
  for (const RequestRecord& record : sample_run(seed, "lru", requests).records) add(events::RequestFinished{record});
  return events;
}

struct Fixture {
  QTemporaryDir folder;
  std::filesystem::path path = folder.filePath("a.db").toStdString();
  std::unique_ptr<Stores> stores;
  std::unique_ptr<RunLibrary> library;
  Fixture() {
    stores = std::move(*open_stores(path, StoreAccess::read_write, machine_clock()));
    library = std::move(*open_run_library(path, machine_clock()));
  }
  void record(const std::string& run_id, std::uint64_t seed, int requests, bool ended = true) {
    RunStore& runs = stores->runs();
    QVERIFY(runs.begin_run(run_id, Json{{"policy", "lru"}, {"warmup", 2}, {"environment", {{"workload", "w"}}}}));
    for (const Event& event : events_of(run_id, seed, requests)) runs.append(event);
    if (ended)
      QVERIFY(runs.finish_run(run_id, "finished"));
    else
      QVERIFY(runs.flush());
  }
};

}  // namespace

class RunLibraryTest : public QObject {
  Q_OBJECT

 private slots:
  void whatIsListedIsWhatWasRecorded() {
    Fixture f;
    f.record("a", 1, 12);
    f.record("b", 2, 7, false);
    const auto all = f.library->list(0);
    QVERIFY2(all, all ? "" : all.error().message.c_str());
    QCOMPARE(all->size(), std::size_t{2});
    QCOMPARE(all->at(0).summary.run_id, std::string("a"));
    QCOMPARE(all->at(0).summary.requests, std::uint64_t{12});
    QCOMPARE(all->at(0).summary.settings.at("warmup"), Json(2));
    QVERIFY(all->at(0).summary.finished_utc_ns > 0 && all->at(1).summary.finished_utc_ns == 0);
    const auto later = f.library->list(all->at(0).row);  // settings of the new ones only
    QVERIFY(later->at(0).summary.settings.is_null() && later->at(1).summary.settings.is_object());
    const auto whole = f.library->read("b");
    QVERIFY(whole && whole->events.size() == 8 && whole->summary.settings == all->at(1).summary.settings);
    QCOMPARE(f.library->read("nobody").error().code, ErrorCode::not_found);
  }

  // Read in two parts while the run continues, they are the means of its report.
  void figuresThatGrowAreThoseOfTheReport() {
    Fixture f;
    f.record("a", 5, 40, false);
    const auto first = f.library->records_after("a", 0);
    QVERIFY(first && first->records.size() == 40);
    RunMetrics metrics(Json{{"warmup", 2}});
    for (std::size_t i = 0; i < 25; ++i) metrics.add(first->records[i]);
    const Json saved = metrics.to_json(77);
    auto again = RunMetrics::from_json(Json::parse(saved.dump()));
    QVERIFY(again && again->first == metrics && again->second == 77);
    for (std::size_t i = 25; i < 40; ++i) again->first.add(first->records[i]);
    RunStore& runs = f.stores->runs();
    Event more;
    more.sequence = 99;
    more.payload = events::RequestFinished{sample_run(6, "lru", 3).records[2]};
    runs.append(more);
    QVERIFY(runs.flush());
    const auto rest = f.library->records_after("a", first->place);
    QCOMPARE(rest->records.size(), std::size_t{1});
    QVERIFY(rest->place > first->place);
    again->first.add(rest->records[0]);
    const auto whole = f.library->read("a", report_event_types());
    RecordedRun recorded{whole->summary, whole->events};
    PolicyRun run;
    for (const PolicyRun& part : policy_runs_of(recorded))
      run.records.insert(run.records.end(), part.records.begin(), part.records.end());
    const PolicyRow row = build_report(Json::object(), Json::object(), {run}).rows.front();
    QCOMPARE(again->first.answered(), std::uint64_t{row.ttft_service_seconds.n});
    QVERIFY(std::abs(again->first.ttft_service_seconds().mean() - row.ttft_service_seconds.mean) < 1e-12);
    QVERIFY(std::abs(again->first.ttft_seconds().mean() - row.ttft_seconds.mean) < 1e-12);
    QCOMPARE(again->first.quality().size(), row.quality.size());
    for (const auto& [metric, mean] : again->first.quality()) {
      QCOMPARE(mean.n, std::uint64_t{row.quality.at(metric).n});
      QVERIFY(std::abs(mean.mean() - row.quality.at(metric).mean) < 1e-12);
    }
    QCOMPARE(again->first.provenance(), row.ttft_service_seconds.provenance);
    QVERIFY(!RunMetrics::from_json(Json{{"version", 1}, {"place", "x"}}) && !RunMetrics::from_json(Json()));
  }

  void notesStayWithTheirRun() {
    Fixture f;
    f.record("a", 1, 3);
    f.record("b", 1, 3);
    const RunNotes notes{"with the slow disk,\n\"again\"", {"slides", "März"}};
    QVERIFY(f.library->save_notes("a", notes));
    QVERIFY(f.library->save_metrics("b", Json{{"version", 1}}));
    QVERIFY(!f.library->save_notes("nobody", notes));
    const auto reopened = open_run_library(f.path, machine_clock());
    const auto runs = (*reopened)->list(0);
    QVERIFY(runs->at(0).notes == notes && runs->at(1).notes == RunNotes{});
    QVERIFY(runs->at(0).metrics.is_null() && runs->at(1).metrics.is_object());
  }

  // The session's own writer continues recording meanwhile.
  void whatIsDeletedIsGoneAndNothingElse() {
    Fixture f;
    f.record("a", 1, 30);
    f.record("b", 2, 5);
    QVERIFY(f.library->save_notes("a", {"note", {}}));
    QVERIFY(f.stores->runs().begin_run("c", Json::object()));
    QVERIFY(f.library->remove("a"));
    for (const Event& event : events_of("c", 4, 6)) f.stores->runs().append(event);
    QVERIFY(f.stores->runs().finish_run("c", "finished"));
    const auto runs = f.library->list(0);
    QCOMPARE(runs->size(), std::size_t{2});
    QCOMPARE(runs->at(0).summary.run_id, std::string("b"));
    QCOMPARE(f.library->read("b")->events.size(), std::size_t{6});
    QCOMPARE(f.library->read("c")->events.size(), std::size_t{7});
    QVERIFY(!f.library->read("a"));
    QCOMPARE(f.library->remove("a").error().code, ErrorCode::not_found);
  }

  void aFileTakesARunToAnotherDatabase() {
    Fixture f, other;
    f.record("a", 3, 9);
    f.record("open", 3, 2, false);
    const auto path = std::filesystem::path(f.folder.filePath("a.kvrun").toStdString());
    QVERIFY(f.library->export_file("a", path));
    QVERIFY(!f.library->export_file("open", path.parent_path() / "open.kvrun"));
    QCOMPARE(other.library->read_file(path)->events.size(), std::size_t{10});
    QVERIFY(other.library->list(0)->empty());  // looked at, not added
    QCOMPARE(other.library->import_file(path).value(), std::string("a"));
    QCOMPARE(other.library->list(0)->size(), std::size_t{1});
    QVERIFY(!other.library->import_file(path));
  }

  // Wherever it is given up, nothing of it stays, and the same work goes through afterwards.
  void whatIsGivenUpLeavesNothing() {
    Fixture f, other;
    f.record("a", 3, 700);
    const auto path = std::filesystem::path(f.folder.filePath("a.kvrun").toStdString());
    const auto asked = [](const auto& work) {
      int times = 0;
      std::uint64_t last = 0;
      bool ascending = true;
      const auto result = work([&](std::uint64_t done, std::uint64_t total) {
        ++times;
        ascending = ascending && done >= last && done <= total;
        last = done;
        return true;
      });
      return result && ascending ? times : 0;
    };
    const auto given_up_at = [](int time, const auto& work) {
      const auto result = work([time, now = 0](std::uint64_t, std::uint64_t) mutable { return now++ != time; });
      return !result && result.error().code == ErrorCode::cancelled &&
             result.error().message.find("; start it again") != std::string::npos;
    };
    const auto write = [&](const ShouldContinue& should_continue) {
      return f.library->export_file("a", path, should_continue);
    };
    const int writes = asked(write);
    QVERIFY2(writes >= 6, qPrintable(QString::number(writes)));
    std::filesystem::rename(path, path.string() + ".kept");
    for (int time = 0; time < writes; ++time) {
      QVERIFY2(given_up_at(time, write), qPrintable(QString::number(time)));
      QCOMPARE(QDir(f.folder.path()).entryList({"*.kvrun", "*.part*"}, QDir::Files).size(), qsizetype{0});
    }
    std::filesystem::rename(path.string() + ".kept", path);
    const auto look = [&](const ShouldContinue& should_continue) {
      return other.library->read_file(path, should_continue);
    };
    const int looks = asked(look);
    QVERIFY(looks >= 2);
    for (int time = 0; time < looks; ++time) QVERIFY(given_up_at(time, look));
    const auto take = [&](const ShouldContinue& should_continue) {
      return other.library->import_file(path, should_continue);
    };
    for (int time = 0; time < 6; ++time) {
      QVERIFY2(given_up_at(time, take), qPrintable(QString::number(time)));
      QVERIFY(other.library->list(0)->empty());
      QVERIFY(other.stores->runs().events("a", {}).error().code == ErrorCode::not_found);
    }
    QVERIFY(asked(take) > 6);  // some of those were within the transaction
    QCOMPARE(other.library->read("a")->events.size(), std::size_t{701});
    const auto read = [&](const ShouldContinue& should_continue) {
      return other.library->read("a", {}, should_continue);
    };
    const int reads = asked(read);
    QVERIFY(reads >= 3);
    for (int time = 0; time < reads; ++time) QVERIFY(given_up_at(time, read));
  }

  void settingsAreNotReadTwice() {
    Fixture f;
    RunStore& runs = f.stores->runs();
    Json settings{{"policy", "lru"}};
    settings["filling"] = std::string(3000, 'x');
    for (int i = 0; i < 300; ++i) QVERIFY(runs.begin_run("run " + std::to_string(i), settings));
    QElapsedTimer timer;
    timer.start();
    const auto all = f.library->list(0);
    const qint64 whole = timer.restart();
    const auto again = f.library->list(all->back().row);
    const qint64 light = timer.elapsed();
    qInfo("300 runs with 3 KB of settings each: %lld ms, again without settings: %lld ms", whole, light);
    QCOMPARE(again->size(), std::size_t{300});
    QVERIFY(light <= 30);  // of ten thousand: a second at most
  }
};

KV_TEST_GUILESS_MAIN(RunLibraryTest)

}  // namespace run_library_test

#include "run_library_test.moc"
