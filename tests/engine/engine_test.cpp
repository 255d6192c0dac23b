// links: app_wiring
// What holds of a session as a whole, in virtual time: the real model where its numbers decide, else hashed rows.
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace engine_test {

using namespace kvantage;
using namespace kvantage::test;

class EngineTest : public QObject {
  Q_OBJECT
  static constexpr int sentences = 40;

  static QByteArray message(const auto& expected) {
    return expected ? QByteArray() : QByteArray::fromStdString(expected.error().message);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  // Full prefill, uncompressed caches from memory and from files: the same answers, request by request.
  void storedCachesAnswerLikeNoCache() {
    QTemporaryDir folder;
    const Workload workload = small_workload(5, sentences, 3);
    // Frozen: an entry has arrived in its tier before the next request.
    auto harness = open_virtual(folder.path().toStdString(), workload, {"dram=3MiB", "ssd=64MiB"}, "full_prefill", true,
                                {.frozen = true}, ModelKind::real);
    QVERIFY2(harness.has_value(), message(harness));
    const auto without = (*harness)->serve("full_prefill", 16);
    const auto with = (*harness)->serve("lru", 16);
    QVERIFY2(without && with, message(without) + message(with));
    QCOMPARE(without->size(), std::size_t{16});
    QCOMPARE(with->size(), std::size_t{16});
    std::map<std::string, int> sources;
    for (std::size_t i = 0; i < 16; ++i) {
      QCOMPARE((*with)[i].question, (*without)[i].question);
      QCOMPARE((*with)[i].answer, (*without)[i].answer);
      QCOMPARE((*without)[i].source, std::string("prefill"));
      ++sources[(*with)[i].source];
    }
    QVERIFY(sources["dram"] > 0);
    QVERIFY(sources["ssd"] > 0);
    QCOMPARE(sources["prefill"], 5);  // each context once
  }

  void timingsAddUp() {
    QTemporaryDir folder;
    auto harness =
        open_virtual(folder.path().toStdString(), small_workload(3, sentences, 5), {"dram=64MiB"}, "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    const auto records = (*harness)->serve("lru", 12);
    QVERIFY2(records.has_value(), message(records));
    std::vector<double> shares;  // of the service time that the parts explain; the rest is the loop between steps
    for (const RequestRecord& record : *records) {
      const RequestTiming& t = record.timing;
      const double parts =
          t.lookup_seconds + t.load_seconds + t.decode_seconds + t.context_prefill_seconds + t.question_prefill_seconds;
      QVERIFY(parts <= t.ttft_service_seconds * 1.0001);
      shares.push_back(parts / t.ttft_service_seconds);
      QVERIFY(t.ttft_seconds >= t.ttft_service_seconds);
      QVERIFY(t.e2e_seconds >= t.ttft_seconds);
      QCOMPARE(record.source == "prefill", t.context_prefill_seconds > 0);
      QCOMPARE(record.source != "prefill", record.bytes_loaded > 0);
    }
    std::ranges::sort(shares);
    QVERIFY2(shares[shares.size() / 2] >= 0.8, qPrintable(QString::number(shares[shares.size() / 2])));
  }

  void budgetsHoldAtEveryChange_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"lru", "fixed(keydiff,0.5)", "evicpress"}) QTest::newRow(policy) << QString(policy);
  }
  void budgetsHoldAtEveryChange() {
    QFETCH(QString, policy);
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(6, sentences, 7), {"dram=2MiB", "ssd=3MiB"},
                                "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    const auto records = (*harness)->serve(policy.toStdString(), 24);
    QVERIFY2(records.has_value(), message(records));
    const auto occupancy = (*harness)->sink.all<events::TierOccupancy>();
    QVERIFY(occupancy.size() > 4);
    bool held = false;
    for (const auto& tier : occupancy) {
      QVERIFY2(tier.used_bytes <= tier.budget_bytes, tier.tier.c_str());
      std::uint64_t by_method = 0;
      for (const auto& [method, bytes] : tier.bytes_by_method) by_method += bytes;
      QCOMPARE(by_method, tier.used_bytes);
      held = held || tier.used_bytes > 0;
    }
    QVERIFY(held);
  }

  void compressedEntriesTakeTheirShareOfBytes() {
    QTemporaryDir folder;
    auto harness =
        open_virtual(folder.path().toStdString(), small_workload(3, sentences, 12), {"dram=64MiB"}, "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY((*harness)->serve("fixed(knorm,0.5)", 40).has_value());
    for (const auto& failed : (*harness)->sink.all<events::PlacementFailed>()) qWarning("%s", failed.reason.c_str());
    const auto snapshot = (*harness)->engine().snapshot();
    int stored = 0;
    for (const ContextState& context : snapshot->contexts) {
      if (!context.placement.stored()) continue;
      ++stored;
      QCOMPARE(context.placement.method, std::string("knorm"));
      // Payload halves; header, token ids, bitmaps and page padding (under 4 KiB per layer and the header) stay.
      const double overhead = 7 * 4096.0 + context.tokens * 4.0;
      QVERIFY(static_cast<double>(context.stored_bytes) <= 0.5 * static_cast<double>(context.full_bytes) + overhead);
      QVERIFY(static_cast<double>(context.stored_bytes) >= 0.5 * static_cast<double>(context.full_bytes) - overhead);
    }
    QCOMPARE(stored, 3);
  }

  // Only what a curve of the method says is a prediction: not of a method that is no candidate, nor of contexts without
  // a profile.
  void nothingIsForetoldOfAMethodWithoutACurve() {
    QTemporaryDir folder;
    auto harness =
        open_virtual(folder.path().toStdString(), small_workload(3, sentences, 12), {"dram=64MiB"}, "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    (*harness)->engine().profile_all();
    (*harness)->wait();
    for (const auto& [policy, foretold] : {std::pair{"fixed(knorm,0.5)", true}, {"fixed(streaming_llm,0.5)", false}}) {
      const auto records = (*harness)->serve(policy, 24);
      QVERIFY2(records.has_value(), message(records));
      int hits = 0;
      for (const RequestRecord& record : *records) {
        const bool compressed = record.method != "none";
        hits += compressed ? 1 : 0;
        QVERIFY2((record.predicted_quality >= 0) == (foretold || !compressed), policy);
      }
      QVERIFY2(hits > 10, policy);
    }
  }

  void growingSessionIsAPartialHit() {
    QTemporaryDir folder;
    const Workload workload = growing_session(60, 11);
    auto harness =
        open_virtual(folder.path().toStdString(), workload, {"dram=64MiB"}, "lru", true, {}, ModelKind::real);
    QVERIFY2(harness.has_value(), message(harness));
    const auto without = (*harness)->serve("full_prefill", 20);
    const auto with = (*harness)->serve("lru", 20);
    QVERIFY2(without && with, message(without) + message(with));
    int partial = 0;
    for (std::size_t i = 0; i < with->size(); ++i) {
      QCOMPARE((*with)[i].answer, (*without)[i].answer);
      if ((*with)[i].prefix_hit_tokens > 0 && (*with)[i].prefix_hit_tokens < (*with)[i].context_tokens) ++partial;
    }
    // The longer context meets the shorter one at least once, unless it was asked first.
    const bool shorter_first = (*with)[0].context_id == "c0";
    QCOMPARE(partial > 0, shorter_first);
  }

  void flippedBitsOnDiskAreMissesAndNeverAnswers() {
    QTemporaryDir folder;
    const Workload workload = small_workload(4, sentences, 13);
    auto harness = open_virtual(folder.path().toStdString(), workload, {"ssd=64MiB"}, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    const auto clean = (*harness)->serve("full_prefill", 12);
    QVERIFY2(clean && (*harness)->serve("lru", 12), message(clean));
    // Spoil the middle of every stored file behind the engine's back.
    int spoiled = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path().toStdString() + "/store")) {
      if (!entry.is_regular_file() || entry.path().string().find("/ssd/") == std::string::npos ||
          entry.file_size() < 100000)
        continue;
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
      const std::string noise(4096, '\x5a');
      file.write(noise.data(), static_cast<std::streamsize>(noise.size()));
      ++spoiled;
    }
    QVERIFY(spoiled > 0);
    const auto spoiled_run = (*harness)->serve("lru", 12);
    QVERIFY2(spoiled_run.has_value(), message(spoiled_run));
    int corrupt = 0;
    for (std::size_t i = 0; i < 12; ++i) {
      QCOMPARE((*spoiled_run)[i].answer, (*clean)[i].answer);
      corrupt += (*spoiled_run)[i].miss_reason == "corrupt" ? 1 : 0;
    }
    QVERIFY(corrupt > 0);
    QCOMPARE(static_cast<std::size_t>(corrupt), (*harness)->sink.all<events::ReadFailed>().size());
  }

  void restartKeepsTheStore() {
    QTemporaryDir folder;
    const Workload workload = small_workload(3, sentences, 15);
    {
      auto harness = open_virtual(folder.path().toStdString(), workload, {"ssd=64MiB"}, "lru");
      QVERIFY2(harness.has_value(), message(harness));
      QVERIFY((*harness)->serve("lru", 12).has_value());
    }
    auto again = open_virtual(folder.path().toStdString(), workload, {"ssd=64MiB"}, "lru");
    QVERIFY2(again.has_value(), message(again));
    const auto records = (*again)->serve("lru", 12);
    QVERIFY2(records.has_value(), message(records));
    for (const RequestRecord& record : *records) QCOMPARE(record.source, std::string("ssd"));
  }

  void profilesAreMeasuredOnceAndReused() {
    QTemporaryDir folder;
    const Workload workload = small_workload(2, sentences, 17);
    {
      auto harness = open_virtual(folder.path().toStdString(), workload, {"dram=64MiB"}, "evicpress");
      QVERIFY2(harness.has_value(), message(harness));
      (*harness)->engine().profile_all();
      QCOMPARE((*harness)->wait(), RunState::ready);
      QCOMPARE((*harness)->sink.all<events::ContextProfiled>().size(), std::size_t{2});
      for (const ContextState& context : (*harness)->engine().snapshot()->contexts) {
        QVERIFY(context.profile != nullptr);
        QCOMPARE(context.profile->points.size(), std::size_t{5});  // none, two methods at two fractions
        for (const ProfilePoint& point : context.profile->points) QVERIFY(point.n > 0);
      }
    }
    auto again = open_virtual(folder.path().toStdString(), workload, {"dram=64MiB"}, "evicpress");
    QVERIFY2(again.has_value(), message(again));
    const auto profiled = (*again)->sink.all<events::ContextProfiled>();
    QCOMPARE(profiled.size(), std::size_t{2});
    for (const auto& event : profiled) QVERIFY(event.from_store);
  }

  void stoppingInTheMiddleGivesEverythingBack() {
    QTemporaryDir folder;
    auto harness =
        open_virtual(folder.path().toStdString(), small_workload(4, 120, 19), {"dram=64MiB", "ssd=64MiB"}, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    for (int round = 0; round < 6; ++round) {
      (*harness)->engine().start();
      pass(**harness, 0.015 + 0.04 * round);
      (*harness)->engine().stop();
      for (int i = 0; i < 200 && (*harness)->engine().state() != RunState::ready; ++i) pass(**harness, 0.01);
      QCOMPARE((*harness)->engine().state(), RunState::ready);
    }
    const auto records = (*harness)->serve("lru", 8);
    QVERIFY2(records.has_value(), message(records));
    QCOMPARE(records->size(), std::size_t{8});
  }

  void everyRequestIsAHitOrAMissWithAReason() {
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(6, sentences, 21),
                                {"dram=1MiB", "ssd=2MiB"}, "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    const auto records = (*harness)->serve("lru", 30);
    QVERIFY2(records.has_value(), message(records));
    for (const RequestRecord& record : *records) QCOMPARE(record.source == "prefill", !record.miss_reason.empty());
    std::uint64_t expected = 1;
    bool in_run = false;
    for (const Event& event : (*harness)->sink.events()) {
      if (std::holds_alternative<events::RunStarted>(event.payload)) in_run = true, expected = 1;
      if (!in_run) continue;
      QCOMPARE(event.sequence, expected++);
    }
  }
};

KV_TEST_GUILESS_MAIN(EngineTest)

}  // namespace engine_test

#include "engine_test.moc"
