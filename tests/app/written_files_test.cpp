// links: kv_reports profiles
// What released programs wrote (tests/goldens/written) opens with this program, and says what it said then:
// databases with profiles and runs, runs as files, folders of tiers, workloads with their sessions.
#include <QTemporaryDir>
#include <QtTest>

#include <set>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/ports/session.h"
#include "core/workload/workload.h"
#include "profiles/stores.h"
#include "tests/support/command_line.h"
#include "tests/support/test_program.h"

namespace written_files_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

Json parsed(const std::string& text) { return parse_json(text, "test").value(); }

/// The answers of a run, in order.
std::vector<std::string> answers_of(const std::vector<Event>& events) {
  std::vector<std::string> answers;
  for (const Event& event : events)
    if (const auto* finished = std::get_if<events::RequestFinished>(&event.payload))
      answers.push_back(finished->record.answer);
  return answers;
}

}  // namespace

class WrittenFilesTest : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> copies_;
  path folder_;
  Json facts_;

 private slots:
  void opens_data() {
    QTest::addColumn<QString>("written");
    int folders = 0;
    for (const auto& item : std::filesystem::directory_iterator(KVANTAGE_SOURCE_DIR "/tests/goldens/written"))
      if (item.is_directory()) {
        QTest::newRow(item.path().filename().c_str()) << text_of(item.path());
        ++folders;
      }
    QVERIFY(folders > 0);
  }
  void opens() {
    QFETCH(QString, written);
    copies_ = std::make_unique<QTemporaryDir>();
    folder_ = path(copies_->path().toStdString()) / "written";
    std::filesystem::copy(written.toStdString(), folder_, std::filesystem::copy_options::recursive);
    facts_ = parsed(read_text_file(folder_ / "facts.json").value());
    const std::vector<std::pair<const char*, void (WrittenFilesTest::*)()>> parts{
        {"runs", &WrittenFilesTest::theDatabaseHoldsItsProfilesAndRuns},
        {"exported", &WrittenFilesTest::theRunsFileIsTheRun},
        {"entries", &WrittenFilesTest::theTiersFolderHoldsItsEntries},
        {"workload", &WrittenFilesTest::theWorkloadIsRead},
        {"session", &WrittenFilesTest::theSessionIsRead}};
    int checked = 0;
    for (const auto& [fact, check] : parts) {
      if (!facts_.contains(fact)) continue;
      (this->*check)();
      if (QTest::currentTestFailed()) return;
      ++checked;
    }
    QVERIFY(checked > 0);
  }

 private:
  void theDatabaseHoldsItsProfilesAndRuns() {
    const auto stores = open_stores(folder_ / "kvantage.db", StoreAccess::read_write, machine_clock());
    QVERIFY2(stores.has_value(), stores ? "" : stores.error().message.c_str());
    const ProfileScope scope{Digest128::from_hex(facts_["model"].get<std::string>()).value(),
                             Digest128::from_hex(facts_["workload"].get<std::string>()).value(),
                             facts_["quality_metric"]};
    QCOMPARE((*stores)->profiles().load_profiles(scope).value().size(), facts_["profile_cells"].get<std::size_t>());
    const auto runs = (*stores)->runs().runs().value();
    QCOMPARE(runs.size(), facts_["runs"].size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      QCOMPARE(runs[i].policy, facts_["runs"][i]["policy"].get<std::string>());
      QCOMPARE(runs[i].requests, facts_["runs"][i]["requests"].get<std::uint64_t>());
      QCOMPARE(runs[i].outcome, std::string("finished"));
      const Answer replayed =
          call({"replay", QString::fromStdString(runs[i].run_id), "--db", text_of(folder_ / "kvantage.db"), "--quiet"});
      QVERIFY2(replayed.exit_code == 0, replayed.text());
    }
  }

  // Into a new database: the same answers as in the one that it came from.
  void theRunsFileIsTheRun() {
    const path database = folder_ / "new.db";
    const Answer imported =
        call({"runs", "import", text_of(folder_ / "run.kvrun"), "--db", text_of(database), "--quiet"});
    QVERIFY2(imported.exit_code == 0, imported.text());
    const std::string id = facts_["exported"];
    const auto there = open_stores(folder_ / "kvantage.db", StoreAccess::read_write, machine_clock())
                           .value()
                           ->runs()
                           .events(id)
                           .value();
    const auto here =
        open_stores(database, StoreAccess::read_write, machine_clock()).value()->runs().events(id).value();
    QCOMPARE(here.size(), there.size());
    const std::vector<std::string> answers = answers_of(here);
    QVERIFY(!answers.empty() && !answers.front().empty());
    QVERIFY(answers == answers_of(there));
  }

  void theTiersFolderHoldsItsEntries() {
    const Answer checked = call({"store", "check", text_of(folder_ / "store"), "--json"});
    QVERIFY2(checked.exit_code == 0, checked.text());
    const Answer told = call({"store", "stat", text_of(folder_ / "store"), "--json"});
    QVERIFY2(told.exit_code == 0, told.text());
    std::size_t entries = 0;
    for (const Json& tier : parsed(told.out.toStdString())) entries += tier.at("entries").get<std::size_t>();
    QCOMPARE(entries, facts_["entries"].get<std::size_t>());
    if (!facts_.contains("methods")) return;
    std::set<std::string> methods;
    for (const Json& tier : parsed(told.out.toStdString()))
      for (const auto& [method, bytes] : tier.at("by_method").items()) methods.insert(method);
    QVERIFY(methods == facts_["methods"].get<std::set<std::string>>());
  }

  void theWorkloadIsRead() {
    const auto workload = read_workload(folder_ / "workload");
    QVERIFY2(workload.has_value(), workload ? "" : workload.error().message.c_str());
    QCOMPARE(workload->digest().hex(), facts_["workload"].get<std::string>());
  }

  void theSessionIsRead() {
    const auto session =
        session_settings_from_json(parsed(read_text_file(folder_ / "workload" / "session.json").value()), "session");
    QVERIFY2(session.has_value(), session ? "" : session.error().message.c_str());
    const Status valid = validate(*session);
    QVERIFY2(valid.has_value(), valid ? "" : valid.error().message.c_str());
    const Json& expected = facts_["session"];
    const Json kept = to_json(*session);
    for (const auto& [field, value] : expected.items())
      if (field != "tiers") QVERIFY2(kept.at(field) == value, field.c_str());
    QCOMPARE(session->tiers.size(), expected["tiers"].size());
    for (std::size_t t = 0; t < session->tiers.size(); ++t)
      for (const auto& [field, value] : expected["tiers"][t].items()) QVERIFY(kept["tiers"][t].at(field) == value);
  }
};

KV_TEST_GUILESS_MAIN(WrittenFilesTest)

}  // namespace written_files_test

#include "written_files_test.moc"
