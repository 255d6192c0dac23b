// links: kv_experiments profiles
// kill -9 again and again over one store in which sessions keep layer inputs in place of keys and values: the next
// session opens it, each entry that is there is bit for bit what an undisturbed session stores, and what is served from
// them are the answers of a fresh store. KVANTAGE_KILLS=N: so many kills instead of 6; KVANTAGE_LONG=1: 1,000.
#include <signal.h>

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <set>

#include "core/base/json.h"
#include "core/base/random.h"
#include "tests/support/command_line.h"
#include "tests/support/damage.h"
#include "tests/support/layer_inputs.h"
#include "tests/support/small_workload.h"
#include "tests/support/stored_files.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace inputs_kill_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

constexpr std::array<const char*, 2> methods{"layer_inputs", "layer_inputs(share=0.5)"};
constexpr std::uint64_t serves_after = 3;  // kills
constexpr std::size_t contexts = 6;
constexpr const char* tier_of_all = "ssd=64MiB";
/// A session first evicts for an uncompressed entry of 6.2 MiB, as no profile says that this one is shorter: with
/// less it would often keep a single one.
constexpr const char* tier_of_some = "ssd=16MiB";

QString fixed(const char* method) { return QString("fixed(%1,0)").arg(method); }

int requests_in(const path& database) {
  const auto rows = rows_of(database, "SELECT sum(requests) FROM runs");
  return rows.empty() ? 0 : std::atoi(rows[0][0].c_str());
}

/// What a run of requests answered, and how much of it came from layer inputs.
struct Served {
  std::vector<std::pair<std::string, std::string>> answers;  // by question, in order
  std::set<std::string> asked;                               // contexts
  int hits = 0;
  int kept_hits = 0;  // first requests of a context, whose entry a session before stored
  int tokens_from_inputs = 0;
};

}  // namespace

class InputsKillTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::map<std::string, StoredFile> reference_;  // entries that undisturbed sessions stored
  Served fresh_, totals_;
  int compared_ = 0, others_ = 0;

  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }
  path database() const { return at("store/kvantage.db"); }
  QStringList words(const QString& policy, const char* store, const char* tier, const QStringList& rest) const {
    return QStringList{"run",       text_of(at("workload")),
                       "--model",   text_of(source_directory() / "resources/reference-mha"),
                       "--store",   text_of(at(store)),
                       "--tier",    tier,
                       "--methods", "layer_inputs",
                       "--removed", "0.5",
                       "--threads", "1",
                       "--policy",  policy,
                       "--quiet"} +
           rest;
  }
  /// Asks about every context. What the store holds is loaded, never computed by choice.
  Answer serve(const QString& policy, const char* store, Served& served) const {
    const Answer answer =
        call(words(policy, store, tier_of_all,
                   {"--limit", "12", "--seed", "11", "--keep-store", "--no-warmup", "--compute-or-load", "off"}));
    for (const auto& row : rows_of(at(store) / "kvantage.db",
                                   "SELECT body FROM events WHERE type = 'request.finished' AND run = (SELECT max(id) "
                                   "FROM runs) ORDER BY id")) {
      const Json record = Json::parse(row[0]).at("data").at("record");
      served.answers.emplace_back(record.at("question").get<std::string>(), record.at("answer").get<std::string>());
      const bool hit = record.at("source") != "prefill";
      const bool first = served.asked.insert(record.at("context_id").get<std::string>()).second;
      served.hits += hit ? 1 : 0;
      served.kept_hits += hit && first ? 1 : 0;
      served.tokens_from_inputs += record.at("compute_or_load").value("tokens_from_inputs", 0);
    }
    return answer;
  }

  /// A session over the store of before, killed while it loads or serves.
  void kill_one(Random& random) {
    const int before = requests_in(database());
    const bool loading = random.below(5) == 0;
    const auto wanted = static_cast<int>(random.below(12));
    QProcess process;
    process.start(command_line_program(), words(fixed(methods[random.below(methods.size())]), "store", tier_of_some,
                                                {"--keep-store", "--limit", "1000000", "--seed",
                                                 QString::number(1 + random.below(1'000'000))}));
    QVERIFY(process.waitForStarted());
    QElapsedTimer timer;
    timer.start();
    while (!loading && requests_in(database()) <= before + wanted && process.state() == QProcess::Running &&
           timer.elapsed() < 120'000)
      process.waitForFinished(10);
    process.waitForFinished(static_cast<int>(random.below(loading ? 1500 : 300)));
    ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
    QVERIFY(process.waitForFinished(60'000));
    QVERIFY2(process.exitStatus() == QProcess::CrashExit, process.readAllStandardError());
    QVERIFY(loading || requests_in(database()) > before + wanted);
  }

  void check_store() {
    if (!std::filesystem::exists(at("store"))) return;  // killed before it made one
    for (const auto& [name, file] : stored_files(at("store"))) {
      QVERIFY2(file.whole, name.c_str());
      const auto same = reference_.find(name);
      if (same == reference_.end()) {
        ++others_;
        continue;
      }
      QVERIFY2(file.bytes == same->second.bytes, name.c_str());
      ++compared_;
    }
    if (std::filesystem::exists(database()))
      QCOMPARE(rows_of(database(), "PRAGMA integrity_check"), std::vector<std::vector<std::string>>{{"ok"}});
  }

  void check_answers(const char* method) {
    Served served;
    const Answer answer = serve(fixed(method), "store", served);
    QVERIFY2(answer.exit_code == 0 && !answer.error.contains("error") && !answer.error.contains("warning"),
             answer.text());
    QCOMPARE(served.answers, fresh_.answers);
    totals_.hits += served.hits;
    totals_.kept_hits += served.kept_hits;
    totals_.tokens_from_inputs += served.tokens_from_inputs;
  }

 private slots:
  void initTestCase() {
    if (!std::filesystem::exists(source_directory() / "resources/reference-mha/model.safetensors"))
      QSKIP("resources/reference-mha is not there");
    if (!layer_inputs_are_short()) QSKIP(no_short_inputs);
    QVERIFY(write_workload(small_workload(contexts, 80, 5), at("workload")));
    for (const char* method : methods) {
      // It begins with one request about each context.
      const Answer answer = call(words(fixed(method), "reference", tier_of_all, {"--limit", "1"}));
      QVERIFY2(answer.exit_code == 0, answer.text());
      reference_.merge(stored_files(at("reference")));
    }
    const Answer fresh = serve("full_prefill", "fresh", fresh_);
    QVERIFY2(fresh.exit_code == 0 && fresh_.answers.size() == 12 && fresh_.hits == 0, fresh.text());
    QCOMPARE(fresh_.asked.size(), contexts);
    QCOMPARE(reference_.size(), contexts * (1 + methods.size()));  // originals and each form
    for (const auto& [name, file] : reference_) QVERIFY2(file.whole, name.c_str());
  }

  void storedInputsSurviveKills() {
    const std::uint64_t kills = fuzz_number("KVANTAGE_KILLS", is_long_run() ? 1'000 : 6);
    const std::uint64_t seed = fuzz_number("KVANTAGE_SEED", 20261130);
    Random random(seed);
    for (std::uint64_t round = 1; round <= kills; ++round) {
      kill_one(random);
      if (!QTest::currentTestFailed()) check_store();
      if (!QTest::currentTestFailed() && round % serves_after == 0) {
        check_answers(methods[round / serves_after % methods.size()]);
        check_store();
      }
      if (QTest::currentTestFailed()) {
        qWarning("kill %llu of seed %llu", static_cast<unsigned long long>(round),
                 static_cast<unsigned long long>(seed));
        return;
      }
    }
    qInfo(
        "%llu kills: %d stored entries were those of an undisturbed session, %d had no such one; %d hits, %d of them "
        "entries of sessions before; %d tokens from layer inputs",
        static_cast<unsigned long long>(kills), compared_, others_, totals_.hits, totals_.kept_hits,
        totals_.tokens_from_inputs);
    if (kills < 2 * serves_after) return;
    QVERIFY(compared_ > 0 && totals_.kept_hits > 0 && totals_.tokens_from_inputs > 0);
  }
};

KV_TEST_GUILESS_MAIN(InputsKillTest)

}  // namespace inputs_kill_test

#include "inputs_kill_test.moc"
