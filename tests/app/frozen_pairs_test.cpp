// links: kv_reports profiles
// A/A through the real command line, while up to four cores are busy with something else: two frozen runs of the same
// seed are never called different, in TTFT or quality. A tier that is slower by far is.
#include <QTemporaryDir>
#include <QThread>
#include <QtTest>

#include <algorithm>
#include <map>
#include <memory>

#include "core/base/json.h"
#include "profiles/stores.h"
#include "tests/support/command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace frozen_pairs_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

/// A process for each core, up to four, that computes as long as this object, and not longer than this program.
class BusyLoops {
 public:
  BusyLoops() {
    const int loops = std::clamp(QThread::idealThreadCount(), 1, 4);
    for (int i = 0; i < loops; ++i) {
      loops_.push_back(std::make_unique<QProcess>());
      loops_.back()->start("/bin/sh", {"-c", "while kill -0 \"$1\" 2>/dev/null; do :; done", "sh",
                                       QString::number(QCoreApplication::applicationPid())});
    }
  }
  BusyLoops(const BusyLoops&) = delete;
  BusyLoops& operator=(const BusyLoops&) = delete;
  ~BusyLoops() {
    for (const auto& loop : loops_) {
      loop->kill();
      loop->waitForFinished();
    }
  }
  bool are_running() const {
    return std::ranges::all_of(loops_, [](const auto& loop) { return loop->waitForStarted(); });
  }

 private:
  std::vector<std::unique_ptr<QProcess>> loops_;
};

}  // namespace

class FrozenPairsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }
  QString text(const std::string& name) const { return text_of(at(name)); }

  /// The id of a frozen run; empty where it fails, which is said.
  QString serve(const QString& policy, int seed, const QStringList& more) const {
    const Answer answer = call(QStringList{"run",       text("workload"),
                                           "--model",   text_of(model_directory()),
                                           "--store",   text("store"),
                                           "--db",      text("runs.db"),
                                           "--policy",  policy,
                                           "--seed",    QString::number(seed),
                                           "--limit",   "16",
                                           "--methods", "knorm",
                                           "--removed", "0.5",
                                           "--alpha",   "0.5",
                                           "--threads", "1",
                                           "--freeze",  "--quiet"} +
                               more);
    if (answer.exit_code != 0) {
      qWarning("%s", answer.text().constData());
      return {};
    }
    const auto stores = open_stores(at("runs.db"), StoreAccess::read_only, machine_clock());
    const auto runs = stores ? (*stores)->runs().runs() : tl::unexpected(stores.error());
    return runs && !runs->empty() ? QString::fromStdString(runs->back().run_id) : QString();
  }

  /// Of the second run beside the first, by figure.
  std::map<std::string, std::string> verdicts(const QString& first, const QString& second) const {
    const Answer answer = call({"compare", first, second, "--db", text("runs.db"), "--json"});
    const Json json = parse_json(answer.out.toStdString(), "output").value_or(Json::object());
    std::map<std::string, std::string> said;
    if (!json.contains("figures")) {
      qWarning("%s", answer.text().constData());
      return said;
    }
    for (const Json& figure : json.at("figures"))
      if (const Json& value = figure.at("values").at(1); value.is_object())
        said[figure.at("name").get<std::string>()] = value.at("verdict").get<std::string>();
    return said;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QVERIFY(write_workload(small_workload(5, 32, 5), at("workload")));
  }

  void twoFrozenRunsUnderLoadAreNeverWorse_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<int>("seed");
    QTest::newRow("lru") << "lru" << 11;
    QTest::newRow("evicpress") << "evicpress" << 12;
    QTest::newRow("fixed") << "fixed(knorm,0.5)" << 13;
  }
  void twoFrozenRunsUnderLoadAreNeverWorse() {
    QFETCH(QString, policy);
    QFETCH(int, seed);
    const QStringList tiers{"--tier", "dram=1MiB", "--tier", "ssd=2MiB,bandwidth=400MB/s"};
    const BusyLoops loops;
    QVERIFY(loops.are_running());
    const QString first = serve(policy, seed, tiers), second = serve(policy, seed, tiers);
    QVERIFY(!first.isEmpty() && !second.isEmpty() && first != second);
    const auto said = verdicts(first, second);
    QVERIFY(said.contains("TTFT, service"));
    int qualities = 0;
    for (const auto& [name, verdict] : said) {
      const std::string line = name + ": " + verdict;
      if (name.starts_with("TTFT"))
        QVERIFY2(!verdict.starts_with("worse") && !verdict.starts_with("better"), line.c_str());
      if (!name.starts_with("quality, ")) continue;
      ++qualities;  // answers are the same, however long they took
      QVERIFY2(verdict.starts_with("the same for each of ") || verdict == "quality cannot be compared here",
               line.c_str());
    }
    QVERIFY(qualities > 0);
  }

  // A pair says nothing where a fixed load took longer around one of its runs: one of three pairs must say it.
  void aFarSlowerTierIsWorse() {
    const QStringList loads{"--compute-or-load", "off", "--tier"};
    std::string verdict;
    for (int pair = 0; pair < 3 && !verdict.starts_with("worse: "); ++pair) {
      const QString fast = serve("lru", 14, loads + QStringList{"dram=64MiB"}),
                    slow = serve("lru", 14, loads + QStringList{"dram=64MiB,latency=200ms"});
      QVERIFY(!fast.isEmpty() && !slow.isEmpty() && fast != slow);
      verdict = verdicts(fast, slow)["TTFT, service"];
      QVERIFY2(verdict.starts_with("worse: ") || verdict == "not judged: the machine was disturbed", verdict.c_str());
    }
    QVERIFY2(verdict.starts_with("worse: "), verdict.c_str());
  }
};

KV_TEST_GUILESS_MAIN(FrozenPairsTest)

}  // namespace frozen_pairs_test

#include "frozen_pairs_test.moc"
