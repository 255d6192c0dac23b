// links: kv_reports profiles
// A run that goes into a file and comes back is the same run; what was cut, changed or made up is refused with its
// line.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "core/base/random.h"
#include "profiles/run_file.h"
#include "profiles/run_library.h"
#include "profiles/stores.h"
#include "tests/report/sample_runs.h"
#include "tests/support/test_program.h"

namespace run_file_test {

using namespace kvantage;

namespace {

RunFile sample_file(int requests = 12) {
  RunFile file;
  file.summary = {"20261122T000000Z-abcd",
                  1'000'000'000,
                  9'000'000'000,
                  "lru",
                  "finished",
                  static_cast<std::uint64_t>(requests),
                  Json{{"settings", {{"alpha", 0.1}}}, {"environment", {{"workload", "wörkload"}}}}};
  std::uint64_t sequence = 0;
  const auto add = [&](EventPayload payload) {
    ++sequence;
    file.events.push_back({sequence, static_cast<std::int64_t>(sequence) * 1000,
                           static_cast<std::int64_t>(sequence) * 10, std::move(payload)});
  };
  add(events::RunStarted{file.summary.run_id, file.summary.settings});
  for (const RequestRecord& record : sample_run(3, "lru", requests).records) add(events::RequestFinished{record});
  add(events::Message{"info", "line\nbreak"});
  add(events::RunFinished{file.summary.run_id, "finished", static_cast<std::uint64_t>(requests)});
  return file;
}

RunFile noted_file() {
  RunFile file = sample_file();
  file.notes = {"with the slow disk,\n\"again\"", {"März", "slides"}};
  return file;
}

}  // namespace

class RunFileTest : public QObject {
  Q_OBJECT

 private slots:
  void itIsReadBackTheSame() {
    QTemporaryDir folder;
    const RunFile file = sample_file();
    const std::string text = run_to_text(file);
    const auto read = run_from_text(text, "r");
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(run_to_text(*read), text);
    const auto stores = open_stores(folder.filePath("a.db").toStdString(), StoreAccess::read_write, machine_clock());
    QVERIFY(stores && (*stores)->import_run(read->summary, read->events, read->notes));
    const auto path = std::filesystem::path(folder.filePath("out.kvrun").toStdString());
    QVERIFY(export_run((*stores)->runs(), file.summary.run_id, path));
    QCOMPARE(read_text_file(path).value(), text);
    const auto runs = (*stores)->runs().runs().value();
    QCOMPARE(runs.size(), std::size_t{1});
    QCOMPARE(runs[0].requests, std::uint64_t{12});
    QCOMPARE(runs[0].started_utc_ns, file.summary.started_utc_ns);
  }

  // Notes and tags go with the run, and a run without them is a file that programs of before can read.
  void notesTravelWithTheRun() {
    QTemporaryDir folder;
    const RunFile file = noted_file();
    const std::string text = run_to_text(file);
    QVERIFY(text.find("\"version\":2") < text.find('\n') &&
            run_to_text(sample_file()).find("\"version\":1") != std::string::npos);
    const auto read = run_from_text(text, "r");
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QVERIFY(read->notes == file.notes);
    const auto path = std::filesystem::path(folder.filePath("out.kvrun").toStdString());
    const auto back = std::filesystem::path(folder.filePath("back.kvrun").toStdString());
    QVERIFY(write_text_file(path, text));
    const auto library = open_run_library(folder.filePath("a.db").toStdString(), machine_clock());
    QVERIFY(library && (*library)->import_file(path));
    const auto listed = (*library)->list(0);
    QVERIFY(listed && listed->at(0).notes == file.notes);
    QVERIFY((*library)->export_file(file.summary.run_id, back));
    QCOMPARE(read_text_file(back).value(), text);
  }

  // Exported by the program before notes traveled.
  void aFileOfBeforeNotesStillOpens() {
    const auto read =
        run_from_text(read_text_file(KVANTAGE_SOURCE_DIR "/tests/goldens/run-version-1.kvrun").value(), "old");
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QVERIFY(read->notes == RunNotes{} && read->events.size() == 8);
  }

  void aRunIsThereOnce() {
    QTemporaryDir folder;
    const RunFile file = sample_file();
    const auto stores = open_stores(folder.filePath("a.db").toStdString(), StoreAccess::read_write, machine_clock());
    QVERIFY(stores && (*stores)->import_run(file.summary, file.events, file.notes));
    const Status again = (*stores)->import_run(file.summary, file.events, file.notes);
    QVERIFY(!again && again.error().code == ErrorCode::rejected_input &&
            again.error().message.find("already") != std::string::npos);
    QCOMPARE((*stores)->runs().events(file.summary.run_id).value().size(), file.events.size());
  }

  void damageIsRefusedWithItsLine_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("said");
    const std::string good = run_to_text(sample_file());
    const auto changed = [&](const char* from, const char* to) {
      return QByteArray::fromStdString(good).replace(from, to);
    };
    QTest::newRow("empty") << QByteArray() << "is empty";
    QTest::newRow("cut in a line") << QByteArray::fromStdString(good.substr(0, good.size() / 2)) << "cut";
    QTest::newRow("without its end") << QByteArray::fromStdString(good.substr(0, good.rfind("{\"digest")))
                                     << "last line";
    QTest::newRow("another format") << QByteArray("{\"format\":\"kvantage-profile\"}\n") << "line 1";
    QTest::newRow("a later version") << changed("\"version\":1", "\"version\":3") << "version 3";
    QTest::newRow("notes of none") << changed("\"version\":1", "\"version\":2") << "notes";
    const QByteArray noted = QByteArray::fromStdString(run_to_text(noted_file()));
    const auto with_notes = [&](const char* from, const char* to) {
      QByteArray text = noted;
      return text.replace(from, to);
    };
    QTest::newRow("notes of before notes were") << with_notes("\"version\":2", "\"version\":1") << "notes";
    QTest::newRow("another field in the notes") << with_notes("\"tags\":[", "\"tag\":\"x\",\"tags\":[") << "tag";
    QTest::newRow("a tag that is no text") << with_notes("\"tags\":[\"M", "\"tags\":[7,\"M") << "tags";
    QTest::newRow("a tag of nothing") << with_notes("\"tags\":[\"M", "\"tags\":[\"\",\"M") << "tag ''";
    QTest::newRow("a tag twice") << with_notes("\"slides\"]", "\"slides\",\"slides\"]") << "slides";
    QTest::newRow("a note changed on the way") << with_notes("slow disk", "fast disk") << "digest";
    QTest::newRow("one figure changed") << changed("\"answer_tokens\":1", "\"answer_tokens\":2") << "digest";
    QTest::newRow("one event less") << [&] {
      const QByteArray text = QByteArray::fromStdString(good);
      const auto second = text.indexOf('\n', text.indexOf('\n') + 1), third = text.indexOf('\n', second + 1);
      return text.left(second) + text.mid(third);
    }() << "follows";
    QTest::newRow("two runs") << QByteArray::fromStdString(good + good) << "more follows";
    QTest::newRow("no JSON") << QByteArray("hello\n") << "line 1";
    QTest::newRow("an event of the future")
        << changed("\"type\":\"message\"", "\"type\":\"massage\"") << "unknown type";
  }
  void damageIsRefusedWithItsLine() {
    QFETCH(QByteArray, text);
    QFETCH(QString, said);
    const auto read = run_from_text(text.toStdString(), "r.kvrun");
    QVERIFY(!read);
    QVERIFY2(
        QString::fromStdString(read.error().message).contains(said) && read.error().message.starts_with("r.kvrun: "),
        read.error().message.c_str());
    QCOMPARE(read.error().code, ErrorCode::rejected_input);
  }

  void namesThatArePathsAreRefused() {
    RunFile by_id = sample_file(), by_workload = sample_file();
    by_id.summary.run_id = "../../20261122T000000Z";
    by_workload.summary.settings["environment"]["workload"] = "/abs/evil";
    for (const RunFile& file : {by_id, by_workload}) {
      const auto read = run_from_text(run_to_text(file), "r.kvrun");  // its digest is right
      QVERIFY(!read);
      QCOMPARE(read.error().code, ErrorCode::rejected_input);
      QVERIFY2(read.error().message.find("the name '") != std::string::npos, read.error().message.c_str());
    }
  }

  void nothingMadeUpCrashes() {
    Random random(7);
    const std::string good = run_to_text(sample_file(3));
    for (int i = 0; i < 3000; ++i) {
      std::string bad = good;
      for (std::uint64_t k = 0; k <= random.below(4); ++k)
        bad[random.below(bad.size())] = static_cast<char>(random.below(256));
      if (bad != good) QVERIFY(!run_from_text(bad, "r"));
    }
  }

  void aRunWithoutEndStays() {
    QTemporaryDir folder;
    const auto stores = open_stores(folder.filePath("a.db").toStdString(), StoreAccess::read_write, machine_clock());
    QVERIFY(stores && (*stores)->runs().begin_run("going", Json::object()));
    const Status status = export_run((*stores)->runs(), "going", folder.filePath("x").toStdString());
    QVERIFY(!status && status.error().code == ErrorCode::rejected_input);
    QVERIFY(!export_run((*stores)->runs(), "nowhere", folder.filePath("x").toStdString()));
  }
};

KV_TEST_GUILESS_MAIN(RunFileTest)

}  // namespace run_file_test

#include "run_file_test.moc"
