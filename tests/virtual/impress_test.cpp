// links: kv_runtime kv_tiers
// Sessions under IMPRESS, on virtual time with the real model: with everything chosen, the answers of uncompressed
// caches; with less, fewer bytes from the slow tier and a shorter wait; copies of chunks on the faster tier.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <map>

#include "core/policy/policy.h"
#include "tests/support/answered_session.h"

namespace impress_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::uint64_t requests = 10;

}  // namespace

class ImpressTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  int sessions_ = 0;

  VirtualSessionOptions options_of(const std::string& policy) {
    VirtualSessionOptions options = answering_options(
        model_directory(), std::filesystem::path(folder_.path().toStdString()) / std::to_string(++sessions_), 40,
        requests);
    options.settings.policy = policy;
    options.settings.tiers = {{.name = "dram", .budget = 64 << 20},
                              {.name = "ssd", .budget = 64 << 20, .throttle = {20e6, 0.001}}};
    return options;
  }
  static std::vector<RequestRecord> serve(VirtualSession& session) {
    auto records = served_by(session);
    if (!session.broken().empty()) QTest::qFail(session.broken().front().c_str(), __FILE__, __LINE__);
    return records;
  }
  static std::vector<RequestRecord> served(const VirtualSessionOptions& options) {
    VirtualSession session(options);
    return serve(session);
  }
  /// Hits that were read by need.
  static std::vector<RequestRecord> by_need(const std::vector<RequestRecord>& records) {
    std::vector<RequestRecord> found;
    for (const RequestRecord& record : records)
      if (record.important_reads) found.push_back(record);
    return found;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void everythingChosenAnswersAsUncompressedCaches() {
    const auto expected = served(options_of("lru"));
    VirtualSessionOptions options = options_of("impress(kept=1)");
    options.settings.requests_per_second = 0.1;  // so that an entry is written before the next request
    const auto got = served(options);
    check_same_answers(got, expected);
    const auto hits = by_need(got);
    QVERIFY(hits.size() >= requests - 2);
    for (const RequestRecord& record : hits) {
      QCOMPARE(record.source, std::string("ssd"));
      QCOMPARE(record.kept_tokens, record.context_tokens);
      QCOMPARE(record.important_reads->chunks_read, record.important_reads->chunks);
      QCOMPARE(record.predicted_ttft_seconds, -1.0);
    }
  }

  // Without a faster tier everything comes from the throttled one.
  void fewerImportantTokensAreFewerBytesAndAShorterWait() {
    std::vector<double> seconds;
    std::vector<std::uint64_t> bytes;
    for (const char* kept : {"1", "0.3", "0.05"}) {
      VirtualSessionOptions options = options_of(std::string("impress(probes=1,chunk=4,kept=") + kept + ")");
      options.settings.tiers.erase(options.settings.tiers.begin());
      options.settings.requests_per_second = 0.1;
      const auto hits = by_need(served(options));
      QVERIFY(hits.size() >= requests - 2);
      double waited = 0;
      std::uint64_t read = 0;
      for (const RequestRecord& record : hits) {
        const ImportantReadsRecord& reads = *record.important_reads;
        QCOMPARE(record.bytes_loaded, reads.probe_bytes + reads.chunk_bytes);
        QCOMPARE(reads.copy_bytes, std::uint64_t{0});
        QVERIFY(record.provenance == Provenance::simulated);
        // It cannot be faster than the bytes pass.
        QVERIFY(record.timing.ttft_service_seconds >= static_cast<double>(record.bytes_loaded) / 20e6);
        waited += record.timing.ttft_service_seconds / static_cast<double>(hits.size());
        read += record.bytes_loaded / hits.size();
      }
      if (!seconds.empty()) QVERIFY(waited < seconds.back() && read < bytes.back());
      seconds.push_back(waited);
      bytes.push_back(read);
    }
  }

  void copiesSpareTheSlowTier() {
    VirtualSessionOptions options = options_of("impress(kept=0.2)");
    options.settings.requests_per_second = 0.1;
    const auto hits = by_need(served(options));
    VirtualSessionOptions alone = options;
    alone.settings.tiers.erase(alone.settings.tiers.begin());
    const auto without = by_need(served(alone));
    QCOMPARE(hits.size(), without.size());
    std::uint64_t from_copies = 0;
    double waited = 0, waited_without = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      QCOMPARE(hits[i].answer, without[i].answer);  // where the bytes come from changes nothing
      QCOMPARE(hits[i].kept_tokens, without[i].kept_tokens);
      from_copies += hits[i].important_reads->copy_bytes;
      waited += hits[i].timing.ttft_service_seconds;
      waited_without += without[i].timing.ttft_service_seconds;
    }
    QVERIFY(from_copies > 0);
    QVERIFY2(waited < waited_without, qPrintable(QString("%1 and %2").arg(waited).arg(waited_without)));
  }

  // As on the paper's machine: the SSD holds one of the two contexts whole, the unlimited tier below it the other. Hits
  // read both by need, and copies of both are on the fastest tier alone.
  void whatTheSsdHasNoRoomForIsReadFromTheTierBelow() {
    VirtualSessionOptions options = options_of("impress(kept=0.2)");
    options.settings.requests_per_second = 0.1;
    options.settings.request_limit = 3 * requests;
    options.workload.arrivals.zipf_exponent = 0;  // both texts are asked often
    std::vector<RequestRecord> expected;
    std::uint64_t both = 0;
    {
      VirtualSession roomy(options);
      expected = by_need(serve(roomy));
      both = roomy.tiers()[1].tier->used_bytes();
      QCOMPARE(roomy.tiers()[1].tier->entries().size(), std::size_t{2});
    }
    options.settings.tiers[1].budget = both * 3 / 4;
    options.settings.tiers.push_back({.name = "far", .budget = TierBudget::unlimited(), .throttle = {2e6, 0.001}});
    VirtualSession session(options);
    const auto hits = by_need(serve(session));
    QCOMPARE(hits.size(), expected.size());
    std::map<std::string, int> sources;
    std::uint64_t from_copies = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      QCOMPARE(hits[i].answer, expected[i].answer);  // where the bytes come from changes nothing
      ++sources[hits[i].source];
      if (hits[i].source == "far") from_copies += hits[i].important_reads->copy_bytes;
    }
    QVERIFY(sources["ssd"] > 0 && sources["far"] > 0);
    QVERIFY(from_copies > 0);
    QCOMPARE(session.tiers()[1].tier->entries().size(), std::size_t{1});  // no copies
    QCOMPARE(session.tiers()[2].tier->entries().size(), std::size_t{1});
    QVERIFY(session.all<events::PlacementFailed>().empty());
  }

  // A small fast tier holds the chunks with the highest scores, never more than its budget.
  void aSmallFastTierIsWithinItsBudget() {
    VirtualSessionOptions options = options_of("impress(kept=0.2,chunk=16)");
    options.settings.tiers[0].budget = 256 << 10;
    options.settings.requests_per_second = 0.1;
    VirtualSession session(options);
    const auto hits = by_need(serve(session));
    std::uint64_t from_copies = 0, all = 0;
    for (const RequestRecord& record : hits) {
      from_copies += record.important_reads->copy_bytes;
      all += record.bytes_loaded;
    }
    QVERIFY(from_copies > 0 && from_copies < all);
    QVERIFY(session.tiers()[0].tier->used_bytes() <= std::uint64_t{256 << 10});
  }

  void flippedBitsAreMisses() {
    const auto expected = served(options_of("lru"));
    VirtualSessionOptions options = options_of("impress(kept=1)");
    options.settings.tiers.erase(options.settings.tiers.begin());  // memory has no faults
    options.settings.tiers[0].throttle = {};
    options.settings.requests_per_second = 0.1;
    options.settings.tiers[0].faults = "flip_on_read:0.1+seed:3";
    const auto got = served(options);
    check_same_answers(got, expected);
    const auto failed = std::ranges::count_if(
        got, [](const RequestRecord& record) { return record.source == "prefill" && record.miss_reason == "corrupt"; });
    QVERIFY2(failed > 0, "no read was damaged: the test shows nothing");
  }

  // Another policy needs the fast tier for itself.
  void anotherPolicyGetsTheSpaceOfCopies() {
    VirtualSessionOptions options = options_of("impress(kept=0.2)");
    options.settings.tiers[0].budget = 4 << 20;
    options.settings.requests_per_second = 0.1;
    VirtualSession session(options);
    const std::size_t read_by_need = by_need(serve(session)).size();
    QVERIFY(session.tiers()[0].tier->used_bytes() > 0);
    SessionSettings settings = session.engine().settings();
    settings.policy = "lru";
    QVERIFY(session.engine().apply(settings).has_value());
    const auto records = serve(session);  // of both runs
    QCOMPARE(records.size(), std::size_t{2 * requests});
    QCOMPARE(by_need(records).size(), read_by_need);
    QVERIFY(session.all<events::PlacementFailed>().empty());
  }
};

KV_TEST_GUILESS_MAIN(ImpressTest)

}  // namespace impress_test

#include "impress_test.moc"
