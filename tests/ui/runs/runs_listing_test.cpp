// links: kv_ui_models
// What a reading of the list of runs hands to the window: what changed since the one before, and nothing else.
#include <QTest>

#include "tests/support/test_program.h"
#include "ui/runs/model/runs_listing.h"

namespace runs_listing_test {

using namespace kvantage;

namespace {

/// As a database has them: settings of those only whose place is beyond the one asked for.
class ListLibrary final : public RunLibrary {
 public:
  std::vector<ListedRun> runs;
  bool broken = false;

  void add(std::int64_t place, const std::string& id, std::uint64_t requests = 5) {
    const Json settings{{"settings", {{"policy", "lru"}, {"alpha", 0.25}}},
                        {"environment", {{"workload", "quickstart"}}}};
    runs.push_back({place, {id, 1'000 + place, 2'000 + place, "lru", "finished", requests, settings}, {}, {}});
  }
  std::filesystem::path database() const override { return "list.db"; }
  Expected<std::vector<ListedRun>> list(std::int64_t settings_after) override {
    if (broken) return fail(ErrorCode::io, "list.db: cannot be read, its disk is gone; open another database");
    std::vector<ListedRun> listed = runs;
    for (ListedRun& run : listed)
      if (run.row <= settings_after) run.summary.settings = Json();
    return listed;
  }
  Expected<RecordsAfter> records_after(const std::string&, std::int64_t place) override {
    return RecordsAfter{{}, place};
  }
  Expected<WholeRun> read(const std::string&, const std::vector<std::string>&, const ShouldContinue&) override {
    return WholeRun{};
  }
  Status save_notes(const std::string&, const RunNotes&) override { return {}; }
  Status save_metrics(const std::string&, const Json&) override { return {}; }
  Status remove(const std::string&) override { return {}; }
  Status export_file(const std::string&, const std::filesystem::path&, const ShouldContinue&) override { return {}; }
  Expected<std::string> import_file(const std::filesystem::path&, const ShouldContinue&) override {
    return std::string();
  }
  Expected<WholeRun> read_file(const std::filesystem::path&, const ShouldContinue&) override { return WholeRun{}; }
};

struct Fixture {
  std::shared_ptr<ListLibrary> library = std::make_shared<ListLibrary>();
  RunsListing listing{library};

  Fixture() {
    for (int i = 1; i <= 4; ++i) library->add(i, "run-" + std::to_string(i));
  }
  /// "added changed gone", by their ids.
  QString read() {
    const auto listed = listing.read({});
    if (!listed) return QString::fromStdString(listed.error().message);
    QStringList words;
    if (listed->complete) words << "complete";
    for (const auto& row : listed->added)
      words << '+' + row->cells[RunsModel::workload] + ':' + QString::fromStdString(row->run.summary.run_id);
    for (const ListedRun& run : listed->changed) words << '~' + QString::fromStdString(run.summary.run_id);
    for (const std::string& id : listed->gone) words << '-' + QString::fromStdString(id);
    return words.join(' ');
  }
};

}  // namespace

class RunsListingTest : public QObject {
  Q_OBJECT

 private slots:
  void whatDidNotChangeIsNotHandedOver() {
    Fixture f;
    QCOMPARE(f.read(), QString("+quickstart:run-1 +quickstart:run-2 +quickstart:run-3 +quickstart:run-4"));
    QCOMPARE(f.read(), QString());
    f.library->runs[1].summary.requests = 9;
    f.library->runs[3].notes.tags = {"slides"};
    QCOMPARE(f.read(), QString("~run-2 ~run-4"));
    QCOMPARE(f.read(), QString());
    f.library->runs.erase(f.library->runs.begin());
    f.library->add(5, "run-5");
    f.library->runs.back().summary.finished_utc_ns = 0;
    QCOMPARE(f.read(), QString("+quickstart:run-5 -run-1"));
    f.library->runs.back().summary.finished_utc_ns = 3'000;
    QCOMPARE(f.read(), QString("~run-5"));
    QCOMPARE(f.read(), QString());
  }

  // A database gives the place of its newest run to the next when that was deleted: what is listed there has no
  // settings then.
  void aPlaceThatWentToAnotherRunIsReadAgain() {
    Fixture f;
    f.read();
    f.library->runs.pop_back();
    f.library->add(4, "other");
    QCOMPARE(f.read(), QString("complete +quickstart:run-1 +quickstart:run-2 +quickstart:run-3 +quickstart:other"));
    QCOMPARE(f.read(), QString());
  }

  // What the window shows and the database refused to keep is reported again as the database has it.
  void whatIsDoubtedIsToldAgain() {
    Fixture f;
    f.read();
    f.listing.doubt("run-3");
    f.listing.doubt("nobody");
    QCOMPARE(f.read(), QString("~run-3"));
    QCOMPARE(f.read(), QString());
  }

  void aReadingThatFailsForgetsNothing() {
    Fixture f;
    f.read();
    f.library->broken = true;
    QCOMPARE(f.read(), QString("list.db: cannot be read, its disk is gone; open another database"));
    f.library->broken = false;
    QCOMPARE(f.read(), QString());
  }
};

KV_TEST_GUILESS_MAIN(RunsListingTest)

}  // namespace runs_listing_test

#include "runs_listing_test.moc"
