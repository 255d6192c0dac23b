// links: app_wiring
// Sessions with speculation answer what sessions without it answer: on the sample workloads, on contexts in any form,
// several requests at once. In virtual time `auto` drafts where that saves time, and turns itself off where it does
// not.
#include <QtTest>

#include <algorithm>
#include <filesystem>

#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace speculation_sessions_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

struct Drafts {
  int passes = 0, drafted = 0, accepted = 0;
};

/// Fails the test where the records of a session with speculation are not those of one without.
void compare(const std::vector<RequestRecord>& with, const std::vector<RequestRecord>& without, Drafts& drafts) {
  QCOMPARE(with.size(), without.size());
  for (std::size_t i = 0; i < with.size(); ++i) {
    QCOMPARE(with[i].question, without[i].question);
    QCOMPARE(with[i].answer, without[i].answer);
    QCOMPARE(with[i].answer_tokens, without[i].answer_tokens);
    QCOMPARE(with[i].source, without[i].source);
    QCOMPARE(with[i].kept_tokens, without[i].kept_tokens);
    QVERIFY(!without[i].decoding.speculation);
    const auto& speculation = with[i].decoding.speculation;
    if (!speculation) continue;  // an answer of one token
    QVERIFY(speculation->used() && speculation->accepted <= speculation->drafted);
    const int decoded = speculation->passes + speculation->accepted;
    QVERIFY(decoded == with[i].answer_tokens - 1 || decoded == with[i].answer_tokens);
    drafts.passes += speculation->passes;
    drafts.drafted += speculation->drafted;
    drafts.accepted += speculation->accepted;
  }
}

double decode_seconds(const std::vector<RequestRecord>& records) {
  double seconds = 0;
  for (const RequestRecord& record : records)
    for (const double gap : record.timing.token_gaps_seconds) seconds += gap;
  return seconds;
}

}  // namespace

class SpeculationSessionsTest : public QObject {
  Q_OBJECT

  /// The same requests with each setting, in one session.
  static std::vector<std::vector<RequestRecord>> served(EngineHarness& harness, const std::string& policy, int requests,
                                                        int batch, const std::vector<std::string>& settings) {
    std::vector<std::vector<RequestRecord>> all;
    for (const std::string& setting : settings) {
      SessionSettings changed = harness.engine().settings();
      changed.speculation = setting;
      changed.max_batch = batch;
      if (const auto applied = harness.engine().apply(changed); !applied) qFatal("%s", applied.error().message.c_str());
      auto records = harness.serve(policy, static_cast<std::uint64_t>(requests));
      if (!records) qFatal("%s", records.error().message.c_str());
      std::ranges::sort(*records, {}, [](const RequestRecord& record) { return record.id; });  // they end in any order
      all.push_back(std::move(*records));
    }
    return all;
  }

  /// Records without drafts, with lookup, and with auto, all from the same stored contexts in virtual time.
  static std::vector<std::vector<RequestRecord>> timed(const ModelCosts& costs, int requests, Drafts& lookup,
                                                       Drafts& automatic) {
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(2, 12, 3), {"ssd=256MiB"}, "lru", false, {},
                                ModelKind::timed, costs);
    if (!harness) qFatal("%s", harness.error().message.c_str());
    (void)served(**harness, "lru", 12, 1, {"off"});  // what is stored then serves all of them
    auto records = served(**harness, "lru", requests, 1, {"off", "lookup", "auto"});
    compare(records[1], records[0], lookup);
    compare(records[2], records[0], automatic);
    return records;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor the trial checkpoint is there");
  }

  void sampleWorkloadsAreAnsweredAlike_data() {
    QTest::addColumn<QString>("workload");
    int found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_directory() / "sample_workloads")) {
      if (!std::filesystem::exists(entry.path() / "workload.json")) continue;
      QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().string());
      ++found;
    }
    QVERIFY(found >= 6);
  }
  void sampleWorkloadsAreAnsweredAlike() {
    QFETCH(QString, workload);
    QTemporaryDir folder;
    SessionOptions options;
    options.model = model_directory();
    options.workload = workload.toStdString();
    options.store = folder.path().toStdString();
    options.policy = "lru";
    options.cold_start = true;
    options.compute_or_load = "off";
    options.reprofile = false;
    auto harness = open_virtual(options, ModelKind::real);
    QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
    const auto records = served(**harness, "lru", 6, 1, {"off", "lookup", "auto"});
    for (const std::size_t with : {1, 2}) {
      Drafts drafts;
      compare(records[with], records[0], drafts);
      if (QTest::currentTestFailed()) return;
      qInfo("%d passes, %d drafts, %d accepted", drafts.passes, drafts.drafted, drafts.accepted);
      QVERIFY(with != 1 || drafts.drafted > 0);
    }
  }

  void anyFormOfAContextIsAnsweredAlike_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<bool>("quantized");
    QTest::addColumn<int>("batch");
    QTest::newRow("uncompressed") << "lru" << false << 1;
    QTest::newRow("several at once") << "lru" << false << 4;
    QTest::newRow("ragged heads") << "fixed(adakv(knorm),0.5)" << false << 1;
    QTest::newRow("ragged heads, several at once") << "fixed(adakv(knorm),0.5)" << false << 4;
    QTest::newRow("quantized rows") << "fixed(kivi4,0)" << true << 1;
    QTest::newRow("fewer rows, quantized") << "fixed(keydiff+kivi4,0.6)" << true << 4;
  }
  void anyFormOfAContextIsAnsweredAlike() {
    QFETCH(QString, policy);
    QFETCH(bool, quantized);
    QFETCH(int, batch);
    QTemporaryDir folder;
    const std::string name = policy.toStdString();
    auto harness = open_virtual(folder.path().toStdString(), small_workload(3, 40, 3), {"ssd=256MiB"}, name, false, {},
                                ModelKind::real);
    QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
    SessionSettings settings = (*harness)->engine().settings();
    settings.attend_quantized = quantized;
    QVERIFY((*harness)->engine().apply(settings).has_value());
    (void)served(**harness, name, 12, batch, {"off"});  // what is stored then serves all of them
    const auto records = served(**harness, name, 12, batch, {"off", "lookup", "lookup(n=1)"});
    Drafts drafts;
    for (const std::size_t with : {1, 2}) compare(records[with], records[0], drafts);
    if (QTest::currentTestFailed()) return;
    QVERIFY(drafts.drafted > 0);
  }

  void decodeTimeEvictionExcludesIt() {
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(1, 20, 3), {"ssd=256MiB"}, "lru", false, {},
                                ModelKind::real);
    QVERIFY(harness.has_value());
    SessionSettings settings = (*harness)->engine().settings();
    settings.decode_eviction = "paged_eviction(budget=50%)";
    QVERIFY((*harness)->engine().apply(settings).has_value());
    const auto records = served(**harness, "lru", 4, 1, {"lookup"});
    int answers = 0;
    for (const RequestRecord& record : records[0]) {
      if (!record.decoding.speculation) continue;
      ++answers;
      QCOMPARE(record.decoding.speculation->not_applied, std::string("decode-time eviction works token by token"));
      QCOMPARE(record.decoding.speculation->drafted, 0);
    }
    QVERIFY(answers > 0);
  }

  void frozenRunsTakeNoTimeIntoAccount() {
    QTemporaryDir folder;
    HarnessOptions frozen;
    frozen.frozen = true;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(1, 20, 3), {"ssd=256MiB"}, "lru", true,
                                frozen, ModelKind::real);
    QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
    const auto records = served(**harness, "lru", 6, 1, {"off", "auto", "lookup"});
    for (const RequestRecord& record : records[1]) QVERIFY(!record.decoding.speculation);
    Drafts drafts;
    compare(records[2], records[0], drafts);
    if (QTest::currentTestFailed()) return;
    QVERIFY(drafts.drafted > 0);
  }

  // A row takes nothing beside its pass: every accepted draft is a pass that is not needed.
  void autoDraftsWhereItSavesTime() {
    Drafts lookup, automatic;
    const auto records = timed({.decode_per_sequence = 1e-6, .decode_per_step = 10e-3}, 30, lookup, automatic);
    if (QTest::currentTestFailed()) return;
    QVERIFY2(lookup.accepted > 0 && automatic.accepted > 0,
             qPrintable(QString("%1 accepted, auto %2").arg(lookup.accepted).arg(automatic.accepted)));
    const double off = decode_seconds(records[0]);
    for (const std::size_t with : {1, 2})
      QVERIFY2(decode_seconds(records[with]) < off,
               qPrintable(QString("%1 s, %2 s without").arg(decode_seconds(records[with])).arg(off)));
  }

  // A row takes as long as a pass: no draft can pay off.
  void autoTurnsItselfOffWhereItDoesNotSaveTime() {
    Drafts lookup, automatic;
    const auto records = timed({.decode_per_sequence = 10e-3, .decode_per_step = 0}, 60, lookup, automatic);
    if (QTest::currentTestFailed()) return;
    QVERIFY2(automatic.drafted > 0 && automatic.drafted * 5 < lookup.drafted,
             qPrintable(QString("%1 drafts, always %2").arg(automatic.drafted).arg(lookup.drafted)));
    QVERIFY(decode_seconds(records[1]) > decode_seconds(records[0]));
  }
};

KV_TEST_GUILESS_MAIN(SpeculationSessionsTest)

}  // namespace speculation_sessions_test

#include "speculation_sessions_test.moc"
