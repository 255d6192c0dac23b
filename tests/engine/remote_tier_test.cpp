// links: app_wiring
// A run over a remote store whose server goes away and comes back, or whose cluster loses a master, and two workbenches
// on one store.
#include <QtTest>

#include <algorithm>
#include <fstream>
#include <map>

#include "tests/support/engine_harness.h"
#include "tests/support/redis_cluster.h"
#include "tests/support/redis_server.h"
#include "tests/support/s3_server.h"
#include "tests/support/test_program.h"

namespace remote_tier_test {

using namespace kvantage;
using namespace kvantage::test;

class RemoteTierTest : public QObject {
  Q_OBJECT
  static QByteArray message(const auto& expected) {
    return expected ? QByteArray() : QByteArray::fromStdString(expected.error().message);
  }
  static std::size_t from(const std::vector<RequestRecord>& records, const std::string& source) {
    std::size_t count = 0;
    for (const RequestRecord& record : records) count += record.source == source ? 1 : 0;
    return count;
  }
  static std::size_t missed(const std::vector<RequestRecord>& records, const std::string& reason) {
    std::size_t count = 0;
    for (const RequestRecord& record : records) count += record.miss_reason == reason ? 1 : 0;
    return count;
  }
  static std::vector<std::string> tiers_at(const std::string& url) {
    // Host memory for one of the contexts: the others go to the server.
    return {"dram=640KiB", "remote=64MiB,url=" + url + ",connect=1s,timeout=2s"};
  }
  static std::vector<std::string> tiers_on(const RedisServer& server) { return tiers_at(server.url()); }
  using Answers = std::map<std::pair<std::string, std::string>, std::string>;
  static Answers answers_of(const std::vector<RequestRecord>& records) {
    Answers answers;
    for (const RequestRecord& record : records) answers[{record.context_id, record.question}] = record.answer;
    return answers;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
  }

  void aServerKilledInTheMiddleOfARunCostsMissesAndNothingElse() {
    QTemporaryDir folder;
    RedisServer server({"--appendonly", "yes", "--appendfsync", "always"});
    auto harness =
        EngineHarness::open(folder.path().toStdString(), small_workload(3, 16, 15), tiers_on(server), "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    const auto reference = (*harness)->serve("full_prefill", 12);
    QVERIFY2(reference.has_value(), message(reference));
    std::size_t warm_hits = 0;  // what is still on its way to the server is served from memory
    for (int round = 0; round < 20 && warm_hits == 0; ++round) {
      const auto warm = (*harness)->serve("lru", 10);
      QVERIFY2(warm.has_value(), message(warm));
      warm_hits = from(*warm, "remote");
    }
    QVERIFY(warm_hits > 0);

    Engine& engine = (*harness)->engine();
    CollectingSink& sink = (*harness)->sink;
    SessionSettings settings = engine.settings();
    settings.policy = "lru";
    settings.request_limit = 400;
    QVERIFY(engine.apply(settings));
    sink.clear();
    engine.start();
    QTRY_VERIFY_WITH_TIMEOUT(from(sink.records(), "remote") >= 5, 120000);
    server.kill();
    const auto unavailable = [&] { return missed(sink.records(), "unavailable"); };
    QTRY_VERIFY_WITH_TIMEOUT(unavailable() > 0, 120000);
    const std::size_t served = sink.records().size();
    QTRY_VERIFY_WITH_TIMEOUT(sink.records().size() >= served + 5, 120000);  // without it, requests continue
    const std::size_t before = from(sink.records(), "remote");
    server.start();
    QTRY_VERIFY_WITH_TIMEOUT(from(sink.records(), "remote") >= before + 3, 120000);
    engine.stop();
    QVERIFY((*harness)->wait() != RunState::failed);

    const Answers right = answers_of(*reference);
    std::size_t compared = 0;
    for (const RequestRecord& record : sink.records()) {
      if (record.cancelled) continue;  // the one in flight at the end
      const auto found = right.find({record.context_id, record.question});
      if (found == right.end()) continue;
      QCOMPARE(record.answer, found->second);
      ++compared;
    }
    QVERIFY(compared > 5);
    for (const auto& said : sink.all<events::Message>()) QVERIFY2(said.level != "error", said.text.c_str());
    qInfo("%zu requests, %zu from the server, %zu misses while it was away", sink.records().size(),
          from(sink.records(), "remote"), unavailable());
  }

  // A slot with an entry moves key by key, then the master that has it now is killed.
  void aClusterThatMovesASlotAndLosesAMasterCostsMissesAndNothingElse() {
    QTemporaryDir folder;
    RedisCluster cluster;
    auto harness = EngineHarness::open(folder.path().toStdString(), small_workload(6, 16, 20), tiers_at(cluster.url(3)),
                                       "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    const auto undisturbed = (*harness)->serve("lru", 60);
    QVERIFY2(undisturbed.has_value(), message(undisturbed));

    Engine& engine = (*harness)->engine();
    CollectingSink& sink = (*harness)->sink;
    SessionSettings settings = engine.settings();
    settings.request_limit = 5000;
    QVERIFY(engine.apply(settings));
    sink.clear();
    engine.start();
    QTRY_VERIFY_WITH_TIMEOUT(from(sink.records(), "remote") >= 5, 60000);
    QStringList keys;
    QTRY_VERIFY_WITH_TIMEOUT(!(keys = cluster.keys("*:c:*")).isEmpty(), 20000);
    const int slot = cluster.server(0).cli({"CLUSTER", "KEYSLOT", keys.front()}).toInt();
    const int old_master = cluster.master_of(slot), new_master = (old_master + 1) % RedisCluster::masters;
    cluster.move_slot(slot, old_master, new_master, 5);
    QTRY_VERIFY_WITH_TIMEOUT(cluster.errors("MOVED") > 0, 20000);  // it was in use
    QCOMPARE(missed(sink.records(), "unavailable"), std::size_t{0});
    std::size_t before = from(sink.records(), "remote");
    QTRY_VERIFY_WITH_TIMEOUT(from(sink.records(), "remote") >= before + 3, 20000);

    cluster.kill(new_master);
    QTRY_VERIFY_WITH_TIMEOUT(missed(sink.records(), "unavailable") > 0, 20000);
    const std::size_t served = sink.records().size();
    QTRY_VERIFY_WITH_TIMEOUT(sink.records().size() >= served + 5, 20000);
    cluster.wait_until_healthy();
    before = from(sink.records(), "remote");
    QTRY_VERIFY_WITH_TIMEOUT(from(sink.records(), "remote") >= before + 3, 20000);
    QVERIFY(engine.state() == RunState::running);
    engine.stop();
    QVERIFY((*harness)->wait() != RunState::failed);

    const Answers right = answers_of(*undisturbed);
    std::size_t compared = 0, cancelled = 0;
    for (const RequestRecord& record : sink.records()) {
      cancelled += record.cancelled ? 1 : 0;
      if (record.cancelled) continue;
      QVERIFY2(record.source != "prefill" || !record.miss_reason.empty(), record.question.c_str());
      const auto found = right.find({record.context_id, record.question});
      if (found == right.end()) continue;
      QCOMPARE(record.answer, found->second);
      ++compared;
    }
    QVERIFY(cancelled <= 1);  // the one in flight at the end
    QVERIFY(compared > 20);
    for (const auto& said : sink.all<events::Message>()) QVERIFY2(said.level != "error", said.text.c_str());
    qInfo("%zu requests, %zu from the cluster, %zu misses without the master", sink.records().size(),
          from(sink.records(), "remote"), missed(sink.records(), "unavailable"));
  }

  void aSessionOpensWithoutTheServerAndUsesItWhenItIsThere() {
    QTemporaryDir folder;
    RedisServer server;
    server.kill();
    auto harness =
        EngineHarness::open(folder.path().toStdString(), small_workload(3, 16, 16), tiers_on(server), "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    const auto without = (*harness)->serve("lru", 12);
    QVERIFY2(without.has_value(), message(without));
    QCOMPARE(without->size(), std::size_t{12});
    QCOMPARE(from(*without, "remote"), std::size_t{0});
    std::size_t said = 0;
    for (const auto& warning : (*harness)->sink.all<events::Message>())
      said += warning.level == "warning" && warning.text.find("not reachable") != std::string::npos ? 1 : 0;
    QCOMPARE(said, std::size_t{1});
    server.start();
    std::size_t hits = 0;
    for (int round = 0; round < 20 && hits == 0; ++round) {
      const auto with = (*harness)->serve("lru", 12);
      QVERIFY2(with.has_value(), message(with));
      hits = from(*with, "remote");
    }
    QVERIFY(hits > 0);
  }

  // The archive on a server: originals go there, another workbench makes its configurations from them without computing
  // anything again, and while it is away requests continue.
  void originalsOnAServerServeEveryConfiguration() {
    RedisServer server({"--appendonly", "yes", "--appendfsync", "always"});
    Workload workload = small_workload(2, 16, 18);
    workload.arrivals.zipf_exponent = 0;  // both are asked about
    const std::vector<std::string> tiers{"ssd=64MiB",
                                         "archive=unlimited,url=" + server.url() + ",connect=1s,timeout=2s"};
    const auto archived = [](Engine& engine) {
      const auto snapshot = engine.snapshot();
      return std::ranges::count_if(snapshot->contexts, [](const ContextState& context) { return context.archived; });
    };
    QTemporaryDir one_folder, other_folder;
    {
      auto one = EngineHarness::open(one_folder.path().toStdString(), workload, tiers, "lru");
      QVERIFY2(one.has_value(), message(one));
      QCOMPARE((*one)->engine().settings().archive.option("url"), server.url());
      QCOMPARE((*one)->engine().settings().archive.option("timeout"), std::string("2s"));
      QVERIFY((*one)->serve("lru", 8).has_value());
      QCOMPARE(archived((*one)->engine()), 2);
      QVERIFY(!std::filesystem::exists((*one)->session.database.parent_path() / "archive"));
    }
    QCOMPARE(server.keys("*-archive:index").size(), 1);

    auto other = EngineHarness::open(other_folder.path().toStdString(), workload, tiers, "fixed(knorm,0.3)");
    QVERIFY2(other.has_value(), message(other));
    QCOMPARE(archived((*other)->engine()), 2);
    (*other)->engine().profile_all();  // from the originals: no context is prefilled again
    QVERIFY((*other)->wait() == RunState::ready);
    QCOMPARE((*other)->sink.all<events::ContextComputed>().size(), std::size_t{0});
    QCOMPARE((*other)->sink.all<events::ContextProfiled>().size(), std::size_t{2});

    server.kill();
    const auto without = (*other)->serve("lru", 8);
    QVERIFY2(without.has_value(), message(without));
    QCOMPARE(without->size(), std::size_t{8});
    for (const RequestRecord& record : *without) QVERIFY(!record.cancelled);
    for (const auto& said : (*other)->sink.all<events::Message>()) QVERIFY2(said.level != "error", said.text.c_str());
    server.start();
    bool back = false;
    for (int round = 0; round < 40 && !back; ++round) {
      QVERIFY((*other)->serve("lru", 2).has_value());
      back = archived((*other)->engine()) == 2;
    }
    QVERIFY(back);
  }

  void timeLimitsAreKeptInTheSettings() {
    QTemporaryDir folder;
    RedisServer server;
    auto harness =
        EngineHarness::open(folder.path().toStdString(), small_workload(2, 8, 15), tiers_on(server), "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    const SessionSettings settings = (*harness)->engine().settings();
    QCOMPARE(settings.tiers[1].option("connect"), std::string("1s"));
    QCOMPARE(settings.tiers[1].option("timeout"), std::string("2s"));
    // As a session.json of the workload they come back.
    const std::filesystem::path workload = std::filesystem::path(folder.path().toStdString()) / "workload";
    std::ofstream(workload / "session.json") << to_json(settings).dump();
    SessionOptions options;
    options.workload = workload;
    const auto again = session_settings(options);
    QVERIFY2(again.has_value(), message(again));
    QVERIFY(again->tiers == settings.tiers);
    QVERIFY(again->archive == settings.archive);
    SessionSettings moved = settings;
    moved.archive.options["url"] = server.url();
    const Status refused = (*harness)->engine().apply(moved);
    QVERIFY(!refused && refused.error().message.find("archive") != std::string::npos);
  }

  void whatOneWorkbenchStoredServesTheOther() {
    RedisServer server;
    const Workload workload = small_workload(3, 16, 17);
    QTemporaryDir one_folder, other_folder;
    auto one = EngineHarness::open(one_folder.path().toStdString(), workload, tiers_on(server), "lru");
    QVERIFY2(one.has_value(), message(one));
    auto other = EngineHarness::open(other_folder.path().toStdString(), workload, tiers_on(server), "lru");
    QVERIFY2(other.has_value(), message(other));
    const auto stored = (*one)->serve("lru", 10);
    QVERIFY2(stored.has_value(), message(stored));
    const auto is_on_the_server = [](const events::PlacementCommitted& done) { return done.action.to.tier == 1; };
    QTRY_VERIFY_WITH_TIMEOUT(std::ranges::any_of((*one)->sink.all<events::PlacementCommitted>(), is_on_the_server),
                             60000);
    QTest::qWait(1000);  // the other one looks at the server's index ten times a second
    const auto served = (*other)->serve("lru", 10);
    QVERIFY2(served.has_value(), message(served));
    // The first answer of a context that only the other one computed came from the server.
    std::size_t without_computing = 0;
    std::map<std::string, bool> seen;
    for (const RequestRecord& record : *served)
      if (!seen[record.context_id]) {
        seen[record.context_id] = true;
        without_computing += record.source == "remote" ? 1 : 0;
      }
    QVERIFY(without_computing > 0);
    const Answers first = answers_of(*stored);
    for (const auto& [asked, answer] : answers_of(*served))
      if (const auto found = first.find(asked); found != first.end()) QCOMPARE(answer, found->second);
  }

  // Of a bucket, of Redis and of host memory alone; then the bucket's server goes away.
  void aBucketGivesTheSameAnswersAsRedisAndHostMemory() {
    if (const QString missing = S3Server::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    qputenv("AWS_ACCESS_KEY_ID", "test");
    qputenv("AWS_SECRET_ACCESS_KEY", "test");
    S3Server bucket;
    RedisServer redis;
    const Workload workload = small_workload(3, 16, 19);
    const std::vector<std::string> in_bucket{"dram=640KiB", "remote=64MiB,url=" + bucket.url() + ",timeout=5s"};
    const std::vector<std::vector<std::string>> choices{{"dram=64MiB"}, tiers_on(redis), in_bucket};
    std::vector<Answers> answers;
    for (const std::vector<std::string>& tiers : choices) {
      QTemporaryDir folder;
      auto harness = EngineHarness::open(folder.path().toStdString(), workload, tiers, "lru", true);
      if (!harness && harness.error().message.find("built without S3") != std::string::npos) QSKIP("built without S3");
      QVERIFY2(harness.has_value(), message(harness));
      Answers all;
      std::size_t hits = 0;
      for (int round = 0; round < 20 && (round < 2 || (tiers.size() > 1 && hits == 0)); ++round) {
        const auto served = (*harness)->serve("lru", 12);
        QVERIFY2(served.has_value(), message(served));
        all.merge(answers_of(*served));
        hits += from(*served, "remote");
      }
      QVERIFY(tiers.size() == 1 || hits > 0);
      answers.push_back(std::move(all));
      if (tiers != in_bucket) continue;
      const SessionSettings settings = (*harness)->engine().settings();
      QCOMPARE(kind_of(settings.tiers[1]).id, std::string("s3"));
      QCOMPARE(settings.tiers[1].option("url"), bucket.url());
      bucket.kill();
      const auto without = (*harness)->serve("lru", 12);
      QVERIFY2(without.has_value(), message(without));
      QCOMPARE(without->size(), std::size_t{12});
      for (const auto& [asked, answer] : answers_of(*without))
        if (const auto found = answers.front().find(asked); found != answers.front().end())
          QCOMPARE(answer, found->second);
      for (const auto& said : (*harness)->sink.all<events::Message>())
        QVERIFY2(said.level != "error", said.text.c_str());
    }
    std::size_t compared = 0;
    for (std::size_t i = 1; i < answers.size(); ++i)
      for (const auto& [asked, answer] : answers[i])
        if (const auto found = answers.front().find(asked); found != answers.front().end()) {
          QCOMPARE(answer, found->second);
          ++compared;
        }
    QVERIFY(compared > 5);
    qunsetenv("AWS_ACCESS_KEY_ID");
    qunsetenv("AWS_SECRET_ACCESS_KEY");
  }
};

KV_TEST_GUILESS_MAIN(RemoteTierTest)

}  // namespace remote_tier_test

#include "remote_tier_test.moc"
