// links: kv_experiments profiles
// kill -9 again and again over stores in which sessions keep layer inputs in place of keys and values: the next session
// opens it, each entry that is there is bit for bit what an undisturbed session stores, and what is served from them
// are the answers of a fresh store. KVANTAGE_KILLS=N: so many kills instead of 6; KVANTAGE_LONG=1: 1,000.
// KVANTAGE_STORES=N: over so many stores side by side; three from 100 kills on, as sessions wait for disks and timers.
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "core/base/json.h"
#include "core/base/random.h"
#include "tests/support/command_line.h"
#include "tests/support/damage.h"
#include "tests/support/layer_inputs.h"
#include "tests/support/small_workload.h"
#include "tests/support/stored_files.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/support/time_limit.h"

namespace inputs_kill_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

constexpr std::array<const char*, 2> methods{"layer_inputs", "layer_inputs(share=0.5)"};
constexpr std::uint64_t serves_after = 3;           // kills
constexpr std::uint64_t kills_of_every_kind = 300;  // from so many on each kind must be among them
constexpr int least_of_a_kind = 3;
constexpr int contexts = 6;
/// Of a context: so short that a session is loaded, and its longest context timed, in a second or so.
constexpr int sentences = 20;
constexpr const char* tier_of_all = "ssd=64MiB";
/// A session first evicts for an uncompressed entry of 1.6 MiB, as no profile says that this one is shorter: with
/// less it would often keep a single one.
constexpr const char* tier_of_some = "ssd=4MiB";

QString fixed(const char* method) { return QString("fixed(%1,0)").arg(method); }

QStringList session_words(const path& workload, const path& store, const QString& policy, const char* tier,
                          const QStringList& rest) {
  return QStringList{"run",       text_of(workload),
                     "--model",   text_of(source_directory() / "resources/reference-mha"),
                     "--store",   text_of(store),
                     "--tier",    tier,
                     "--methods", "layer_inputs",
                     "--removed", "0.5",
                     "--threads", "1",
                     "--policy",  policy,
                     "--quiet"} +
         rest;
}

/// The number in a query's only row, 0 without one.
int number_in(const path& database, const std::string& query) {
  const auto rows = rows_of(database, query.c_str());
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

/// Asks about every context. What the store holds is loaded, never computed by choice.
Answer serve(const path& workload, const path& store, const QString& policy, Served& served) {
  const Answer answer =
      call(session_words(workload, store, policy, tier_of_all,
                         {"--limit", "12", "--seed", "11", "--keep-store", "--no-warmup", "--compute-or-load", "off"}));
  for (const auto& row : rows_of(store / "kvantage.db",
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

/// What undisturbed sessions stored and answered.
struct Reference {
  path workload;
  std::map<std::string, StoredFile> files;
  Served fresh;
};

struct Totals {
  int compared = 0, others = 0;  // stored entries that an undisturbed session stores as well, and others
  int hits = 0, kept_hits = 0, tokens_from_inputs = 0;
  /// Kills by what the session was doing, as its store and its journal show it afterwards. The journal may be a tenth
  /// of a second behind.
  std::map<std::string, int> moments{
      {"loading", 0},         // no run had begun
      {"first requests", 0},  // by whether each context had been asked about
      {"later requests", 0},
      {"answering", 0},  // a request had begun and not ended
      {"writing", 0}};   // an entry was in a segment, at least in part, and not in the index

  void add(const Totals& more) {
    compared += more.compared;
    others += more.others;
    hits += more.hits;
    kept_hits += more.kept_hits;
    tokens_from_inputs += more.tokens_from_inputs;
    for (const auto& [moment, count] : more.moments) moments[moment] += count;
  }
};

/// A store, and sessions over it one after the other, each killed. On a thread of its own: what is wrong is a text, and
/// empty for nothing.
class KilledStore {
 public:
  KilledStore(const Reference& reference, path store, std::uint64_t seed)
      : reference_(reference), store_(std::move(store)), seed_(seed), random_(seed) {}

  /// Until something is wrong, in this store or another one.
  void run(std::uint64_t kills, std::atomic<bool>& stop) {
    for (std::uint64_t round = 1; round <= kills && !stop; ++round) {
      std::string wrong = kill_one();
      if (wrong.empty()) wrong = check_store();
      const char* method = methods[round / serves_after % methods.size()];
      if (wrong.empty() && round % serves_after == 0) wrong = check_answers(method);
      if (wrong.empty()) continue;
      problem_ = "kill " + std::to_string(round) + " of KVANTAGE_SEED=" + std::to_string(seed_) +
                 " KVANTAGE_STORES=1: " + wrong;
      stop = true;
    }
  }
  const std::string& problem() const { return problem_; }
  const Totals& totals() const { return totals_; }

 private:
  path database() const { return store_ / "kvantage.db"; }
  std::string newer(int run) const { return " FROM runs WHERE id > " + std::to_string(run); }
  int answered_since(int run) const { return number_in(database(), "SELECT coalesce(sum(requests), 0)" + newer(run)); }

  /// A session over the store of before, killed while it loads or serves.
  std::string kill_one() {
    const int before = number_in(database(), "SELECT coalesce(max(id), 0) FROM runs");
    const bool loading = random_.below(5) == 0;
    const auto wanted = static_cast<int>(random_.below(12));
    const char* method = methods[random_.below(methods.size())];
    QProcess process;
    process.start(command_line_program(), session_words(reference_.workload, store_, fixed(method), tier_of_some,
                                                        {"--keep-store", "--limit", "1000000", "--seed",
                                                         QString::number(1 + random_.below(1'000'000))}));
    if (!process.waitForStarted()) return "the program does not start";
    QElapsedTimer timer;
    timer.start();
    while (!loading && answered_since(before) <= wanted && process.state() == QProcess::Running &&
           timer.elapsed() < 120'000)
      process.waitForFinished(10);
    process.waitForFinished(static_cast<int>(random_.below(loading ? 1500 : 300)));
    process.kill();
    if (!process.waitForFinished(60'000) || process.exitStatus() != QProcess::CrashExit)
      return "it ended by itself: " + process.readAllStandardError().toStdString();
    if (!loading && answered_since(before) <= wanted) return "no answers within two minutes";
    note_moment(before);
    return {};
  }

  void note_moment(int before) {
    std::map<std::string, int>& moments = totals_.moments;
    if (number_in(database(), "SELECT count(*)" + newer(before)) == 0)
      ++moments["loading"];
    else
      ++moments[answered_since(before) < contexts ? "first requests" : "later requests"];
    if (number_in(database(),
                  "SELECT coalesce(sum(type = 'request.started') - sum(type = 'request.finished'), 0) FROM "
                  "events WHERE run > " +
                      std::to_string(before)) > 0)
      ++moments["answering"];
    if (!std::filesystem::exists(store_)) return;
    const std::size_t known = cut_short_.size();
    cut_short_.merge(unindexed_headers(store_));
    if (cut_short_.size() > known) ++moments["writing"];
  }

  std::string check_store() {
    if (!std::filesystem::exists(store_)) return {};  // killed before it made one
    for (const auto& [name, file] : stored_files(store_)) {
      if (!file.whole) return name + " does not fit its checksum";
      const auto same = reference_.files.find(name);
      if (same == reference_.files.end()) {
        ++totals_.others;
        continue;
      }
      if (file.bytes != same->second.bytes) return name + " is not what an undisturbed session stores";
      ++totals_.compared;
    }
    if (!std::filesystem::exists(database())) return {};
    const auto rows = rows_of(database(), "PRAGMA integrity_check");
    return rows == std::vector<std::vector<std::string>>{{"ok"}} ? std::string() : "the database is damaged";
  }

  std::string check_answers(const char* method) {
    Served served;
    const Answer answer = serve(reference_.workload, store_, fixed(method), served);
    if (answer.exit_code != 0 || answer.error.contains("error") || answer.error.contains("warning"))
      return answer.text().toStdString();
    if (served.answers != reference_.fresh.answers) return "the answers are not those of a fresh store";
    totals_.hits += served.hits;
    totals_.kept_hits += served.kept_hits;
    totals_.tokens_from_inputs += served.tokens_from_inputs;
    return check_store();
  }

  const Reference& reference_;
  path store_;
  std::uint64_t seed_;
  Random random_;
  std::set<std::string> cut_short_;
  Totals totals_;
  std::string problem_;
};

}  // namespace

class InputsKillTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  Reference reference_;

  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }

 private slots:
  void initTestCase() {
    if (!std::filesystem::exists(source_directory() / "resources/reference-mha/model.safetensors"))
      QSKIP("resources/reference-mha is not there");
    if (!layer_inputs_are_short()) QSKIP(no_short_inputs);
    reference_.workload = at("workload");
    QVERIFY(write_workload(small_workload(contexts, sentences, 5), reference_.workload));
    for (const char* method : methods) {
      // It begins with one request about each context.
      const Answer answer =
          call(session_words(reference_.workload, at("reference"), fixed(method), tier_of_all, {"--limit", "1"}));
      QVERIFY2(answer.exit_code == 0, answer.text());
      reference_.files.merge(stored_files(at("reference")));
    }
    const Served& served = reference_.fresh;
    const Answer fresh = serve(reference_.workload, at("fresh"), "full_prefill", reference_.fresh);
    QVERIFY2(fresh.exit_code == 0 && served.answers.size() == 12 && served.hits == 0, fresh.text());
    QCOMPARE(served.asked.size(), std::size_t{contexts});
    QCOMPARE(reference_.files.size(), contexts * (1 + methods.size()));  // originals and each form
    for (const auto& [name, file] : reference_.files) QVERIFY2(file.whole, name.c_str());
    QVERIFY(unindexed_headers(at("reference")).empty());
  }

  void storedInputsSurviveKills() {
    const std::uint64_t kills = fuzz_number("KVANTAGE_KILLS", is_long_run() ? 1'000 : 6);
    const std::uint64_t stores = std::max<std::uint64_t>(1, fuzz_number("KVANTAGE_STORES", kills < 100 ? 1 : 3));
    const std::uint64_t seed = fuzz_number("KVANTAGE_SEED", 20261130);
    std::vector<KilledStore> killed;
    for (std::uint64_t i = 0; i < stores; ++i)
      killed.emplace_back(reference_, at("store" + std::to_string(i)), seed + i);
    std::atomic<bool> stop{false};
    {
      std::vector<std::jthread> threads;
      for (std::uint64_t i = 0; i < stores; ++i)
        threads.emplace_back(
            [&killed, &stop, i, share = kills / stores + (i < kills % stores ? 1 : 0)] { killed[i].run(share, stop); });
    }
    Totals totals;
    for (const KilledStore& store : killed) {
      QVERIFY2(store.problem().empty(), store.problem().c_str());
      totals.add(store.totals());
    }
    std::string kinds;
    for (const auto& [kind, count] : totals.moments) kinds += ", " + std::to_string(count) + " " + kind;
    qInfo(
        "%llu kills%s: %d stored entries were those of an undisturbed session, %d had no such one; %d hits, %d of them "
        "entries of sessions before; %d tokens from layer inputs",
        static_cast<unsigned long long>(kills), kinds.c_str(), totals.compared, totals.others, totals.hits,
        totals.kept_hits, totals.tokens_from_inputs);
    if (kills < 2 * serves_after * stores) return;
    QVERIFY(totals.compared > 0 && totals.kept_hits > 0 && totals.tokens_from_inputs > 0);
    if (kills < kills_of_every_kind) return;
    for (const auto& [kind, count] : totals.moments) QVERIFY2(count >= least_of_a_kind, kind.c_str());
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs("KVANTAGE_KILLS");
  return run_test<InputsKillTest, QCoreApplication>(argc, argv);
}

}  // namespace inputs_kill_test

#include "inputs_kill_test.moc"
