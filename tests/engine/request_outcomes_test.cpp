// links: core_engine tiers
// What follows from requests, alone: each request is served by the test and handed in; kept is what is asked of the
// other parts.
#include "core/engine/request_outcomes.h"

#include <QtTest>

#include "tests/support/engine_parts_work.h"
#include "tests/support/test_program.h"

namespace request_outcomes_test {

using namespace kvantage;
using namespace kvantage::test;

using Asked = std::vector<std::string>;

std::string text_of(PolicyEvent::Kind kind) {
  switch (kind) {
    case PolicyEvent::Kind::requested:
      return "requested";
    case PolicyEvent::Kind::context_computed:
      return "context_computed";
    case PolicyEvent::Kind::profile_changed:
      return "profile_changed";
    default:
      return "another event";
  }
}

/// Keeps what is asked, and answers as a test wants.
struct AskedParts final : OutcomeParts {
  void poll_tiers(const std::vector<TierConfig>& tiers) override { note("poll " + tiers.at(0).name); }
  void learn_costs(const RequestTask&, const Configuration& served_from) override {
    note("costs of tier " + std::to_string(served_from.tier));
  }
  void learn_hit(RequestTask&, std::size_t entry, const Configuration& served_from) override {
    note("hit of entry " + std::to_string(entry) + " in tier " + std::to_string(served_from.tier));
  }
  void publish_costs() override { note("publish costs"); }
  const Policy& policy() const override { return *used; }
  void dispatch_event(const PolicyEvent& event) override {
    note(text_of(event.kind));
    dispatched.push_back(event.context);
  }
  void measure_quality(RequestTask& task, std::size_t context, std::size_t question) override {
    note("measure " + std::to_string(context) + ", " + std::to_string(question));
    task.record().quality["token_f1"] = 0.5;
  }
  bool note_answer(const CacheUse& use, const AnswerScores& scores, std::size_t context, std::size_t question,
                   std::size_t entry) override {
    note("answer " + std::to_string(static_cast<int>(scores.predicted_quality)) + " of " + use.source + " to " +
         std::to_string(context) + ", " + std::to_string(question) + " from " + std::to_string(entry));
    const auto score = scores.quality.find("token_f1");
    if (score != scores.quality.end()) noted_quality = score->second;
    return drifted;
  }
  void count_first_token() override { note("first token"); }
  void count_serving(double seconds) override { serving_seconds += seconds; }
  void count_decoding(const EvictionWork& answer) override { evicted_entries += answer.evicted_entries; }
  void recheck_curves() override { note("recheck curves"); }
  bool free_memory_of_profile() override {
    note("memory of a profile");
    return profile_has_memory;
  }
  bool free_memory_of_inspection() override {
    note("memory of an inspection");
    return inspection_has_memory;
  }
  void retry_profile() override { note("retry profile"); }
  void retry_inspection() override { note("retry inspection"); }

  void use(const std::string& policy) { used = make_policy(policy).value(); }

  Asked asked;
  std::vector<Digest128> dispatched;  // contexts of events
  std::shared_ptr<const Policy> used = make_policy("lru").value();
  bool drifted = false, profile_has_memory = false, inspection_has_memory = false;
  double serving_seconds = 0;
  std::uint64_t evicted_entries = 0;
  std::optional<double> noted_quality;  // with the last noted answer

 private:
  void note(const std::string& what) { asked.push_back(what); }
};

/// Whether the spans of an answer are there when it is reported.
struct SpansAtAnswer final : EventSink {
  explicit SpansAtAnswer(const SpanKeeper& spans) : spans_(spans) {}
  void publish(const Event& event) override {
    if (std::holds_alternative<events::RequestFinished>(event.payload)) there = spans_.span_count() > 0;
  }
  bool there = false;

 private:
  const SpanKeeper& spans_;
};

struct Outcomes {
  explicit Outcomes(const std::string& policy = "lru") { parts.use(policy); }
  /// A request that was served alone.
  ServedRequest request(std::size_t context, std::optional<CacheHit> hit = std::nullopt, std::uint64_t id = 1) {
    ServedRequest request;
    request.arrival = {.context = context, .question = 1, .id = id};
    request.entry = hit ? hit->context : context;
    request.entry_header = world.catalog->details(request.entry).header;
    request.task = served(world, context, 1, std::move(hit));
    request.task->record().id = id;
    request.task->record().predicted_quality = static_cast<double>(id);  // note_answer() knows it by this
    return request;
  }
  CacheHit stored_hit(std::size_t context) {
    store_context(world, context, {.tier = 0});
    return world.store->find(world.catalog->details(context).tokens).value();
  }
  const ContextState& state(std::size_t context) { return world.catalog->state(context); }

  SpanKeeper spans;
  SpansAtAnswer at_answer{spans};
  EngineParts world{small_workload(2, 8, 3), with_pool(32 << 20), {&at_answer}};
  std::vector<TierConfig> settings{{.name = "dram", .budget = 1000}};
  AskedParts parts;
  RequestOutcomes outcomes{world.services(), parts, spans, settings};
};

class RequestOutcomesTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void tiersArePolledBeforeARequest() {
    Outcomes of;
    of.outcomes.about_to_begin();
    QCOMPARE(of.parts.asked, Asked{"poll dram"});
  }

  void whatWasComputedIsKeptAndTold() {
    Outcomes of;
    ServedRequest request = of.request(1);
    of.world.catalog->mark_published();
    of.outcomes.context_served(request);
    QCOMPARE(of.parts.asked, (Asked{"costs of tier -1", "hit of entry 1 in tier -1", "publish costs", "requested",
                                    "context_computed"}));
    QCOMPARE(of.parts.dispatched, (std::vector<Digest128>{of.state(1).key, of.state(1).key}));
    QVERIFY(of.world.store->originals().cached(1) != nullptr);
    const auto computed = of.world.sink.all<events::ContextComputed>();
    QCOMPARE(computed.size(), std::size_t{1});
    QVERIFY(computed[0].context == of.state(1).key && computed[0].bytes == of.state(1).full_bytes);
    QVERIFY(of.state(1).frequency > 0 && of.state(0).frequency == 0);
    QVERIFY(of.world.catalog->changed());
    QVERIFY(of.outcomes.take_placing_turn());
    QVERIFY(!of.outcomes.take_placing_turn());
  }

  // An archive of originals that no plan will ask for is only work.
  void theArchiveKeepsWhatAPolicyMayStore_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<bool>("archived");
    QTest::newRow("stores") << "lru" << true;
    QTest::newRow("plans") << "evicpress" << true;
    QTest::newRow("does neither") << "full_prefill" << false;
  }
  void theArchiveKeepsWhatAPolicyMayStore() {
    QFETCH(QString, policy);
    QFETCH(bool, archived);
    Outcomes of(policy.toStdString());
    ServedRequest request = of.request(0);
    of.outcomes.context_served(request);
    QCOMPARE(of.state(0).archived, archived);
    QCOMPARE(of.world.sink.all<events::ContextComputed>().at(0).archived, archived);
  }

  void aHitKeepsNoOriginal() {
    Outcomes of;
    const CacheHit hit = of.stored_hit(0);
    (void)of.world.store->originals().forget();
    ServedRequest request = of.request(0, hit);
    of.outcomes.context_served(request);
    QCOMPARE(of.parts.asked, (Asked{"costs of tier 0", "hit of entry 0 in tier 0", "publish costs", "requested"}));
    QVERIFY(of.world.store->originals().cached(0) == nullptr);
    QCOMPARE(of.world.sink.count<events::ContextComputed>(), std::size_t{0});
    QVERIFY(!of.outcomes.take_placing_turn());
  }

  // A request that is preempted and served again is still one request.
  void aRequestIsCountedOnce() {
    Outcomes of;
    ServedRequest request = of.request(0);
    request.arrival.counted = true;
    of.outcomes.context_served(request);
    QCOMPARE(of.state(0).frequency, 0.0);
    QCOMPARE(of.parts.asked.at(3), std::string("context_computed"));
    ServedRequest first = of.request(1);
    of.outcomes.context_served(first);
    const double once = of.state(1).frequency;
    QVERIFY(once > 0 && first.arrival.counted);
    ServedRequest again = of.request(1, std::nullopt, 2);
    again.arrival.counted = true;
    of.outcomes.context_served(again);
    QCOMPARE(of.state(1).frequency, once);
  }

  void anEntryThatCannotBeReadIsDropped_data() {
    QTest::addColumn<bool>("rewritten");
    QTest::newRow("the one that was read") << false;
    QTest::newRow("written again meanwhile") << true;
  }
  void anEntryThatCannotBeReadIsDropped() {
    QFETCH(bool, rewritten);
    Outcomes of;
    CacheHit hit = of.stored_hit(0);
    must(of.world.dram->erase(hit.info.key));
    ServedRequest request = of.request(0, std::move(hit));
    QVERIFY(request.task->failed_read().has_value());
    ContextDetails& details = of.world.catalog->details(0);
    if (rewritten) details.header = std::make_shared<const EntryHeader>(*details.header);
    of.outcomes.context_served(request);
    const auto failed = of.world.sink.all<events::ReadFailed>();
    QCOMPARE(failed.size(), std::size_t{rewritten ? 0U : 1U});
    for (const events::ReadFailed& read : failed) QVERIFY(read.context == of.state(0).key && read.dropped);
    QCOMPARE(of.state(0).placement.stored(), rewritten);
    // Costs are learned from where the request was served in fact.
    QCOMPARE(of.parts.asked.at(0), std::string(rewritten ? "costs of tier 0" : "costs of tier -1"));
  }

  void anAnswerIsScoredBeforeItIsTold() {
    Outcomes of;
    ServedRequest request = of.request(0, std::nullopt, 7);
    request.task->record().timing.lookup_seconds = 2;
    request.task->record().timing.decode_seconds = 3;
    request.task->record().decoding.evicted_entries = 40;
    of.outcomes.answered(request);
    QCOMPARE(of.parts.asked, (Asked{"measure 0, 1", "first token"}));
    QCOMPARE(of.parts.serving_seconds, 5.0);
    QCOMPARE(of.parts.evicted_entries, std::uint64_t{0});  // decoded without: does not count
    const auto finished = of.world.sink.all<events::RequestFinished>();
    QCOMPARE(finished.size(), std::size_t{1});
    QCOMPARE(finished[0].record.id, std::uint64_t{7});
    QCOMPARE(finished[0].record.quality.at("token_f1"), 0.5);
    QVERIFY(of.at_answer.there);  // listeners may ask for the spans as soon as they hear of it
    QVERIFY(of.outcomes.take_placing_turn());
    request.task->record().decoding.eviction = "knorm(budget=25%)";
    of.outcomes.answered(request);
    QCOMPARE(of.parts.evicted_entries, std::uint64_t{40});
    request.task->record().decoding.not_applied = "no";
    of.outcomes.answered(request);
    QCOMPARE(of.parts.evicted_entries, std::uint64_t{40});
  }

  // The score that re-profiling's questions follow from is of before they were in a profile.
  void aQuestionIsNotedWithTheScoreOfItsAnswer() {
    Outcomes of("evicpress");
    ServedRequest request = of.request(1, std::nullopt, 4);
    QVERIFY(!request.task->record().quality.contains("token_f1"));
    of.outcomes.answered(request);
    QVERIFY(!of.parts.noted_quality.has_value());
    of.outcomes.ended(request);
    QCOMPARE(of.parts.asked,
             (Asked{"measure 1, 1", "first token", "answer 4 of prefill to 1, 1 from 1", "recheck curves"}));
    QCOMPARE(of.parts.noted_quality.value_or(-1), 0.5);
  }

  void anAnswerThatShowsDriftChangesAPlan_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<bool>("drifted");
    QTest::addColumn<bool>("evicts");  // while it decodes: such answers say nothing of a profile
    QTest::newRow("drift") << "evicpress" << true << false;
    QTest::newRow("none") << "evicpress" << false << false;
    QTest::newRow("nobody plans") << "lru" << true << false;
    QTest::newRow("decode-time eviction") << "evicpress" << true << true;
  }
  void anAnswerThatShowsDriftChangesAPlan() {
    QFETCH(QString, policy);
    QFETCH(bool, drifted);
    QFETCH(bool, evicts);
    Outcomes of(policy.toStdString());
    of.parts.drifted = drifted;
    ServedRequest request = of.request(1, std::nullopt, 4);
    if (evicts) request.task->record().decoding.eviction = "knorm(budget=25%)";
    const bool asked = policy != "lru" && !evicts;
    of.world.catalog->mark_published();
    QVERIFY(!of.outcomes.take_ended());
    of.outcomes.ended(request);
    Asked wanted;
    if (asked) wanted.push_back("answer 4 of prefill to 1, 1 from 1");
    if (asked && drifted) wanted.push_back("profile_changed");
    wanted.push_back("recheck curves");
    QCOMPARE(of.parts.asked, wanted);
    for (const Digest128& context : of.parts.dispatched) QVERIFY(context == of.state(1).key);
    QVERIFY(of.world.catalog->changed());
    QVERIFY(of.outcomes.take_ended());
    QVERIFY(!of.outcomes.take_ended());
  }

  void allMemoryIsFreedAtOnce_data() {
    QTest::addColumn<bool>("original");
    QTest::addColumn<bool>("profile");
    QTest::addColumn<bool>("inspection");
    QTest::newRow("none") << false << false << false;
    QTest::newRow("an original") << true << false << false;
    QTest::newRow("a profile") << false << true << false;
    QTest::newRow("an inspection") << false << false << true;
  }
  void allMemoryIsFreedAtOnce() {
    QFETCH(bool, original);
    QFETCH(bool, profile);
    QFETCH(bool, inspection);
    Outcomes of;
    if (original) compute_original(of.world, 0, false);
    of.parts.profile_has_memory = profile;
    of.parts.inspection_has_memory = inspection;
    QCOMPARE(of.outcomes.free_memory(), original || profile || inspection);
    QCOMPARE(of.parts.asked, (Asked{"memory of a profile", "memory of an inspection"}));
    QVERIFY(of.world.store->originals().cached(0) == nullptr);
    if (original) QVERIFY(!of.outcomes.free_memory());  // it is freed once
  }

  void whatLackedRoomRetries() {
    Outcomes of;
    of.outcomes.room_again();
    QCOMPARE(of.parts.asked, (Asked{"retry profile", "retry inspection"}));
  }
};

KV_TEST_GUILESS_MAIN(RequestOutcomesTest)

}  // namespace request_outcomes_test

#include "request_outcomes_test.moc"
