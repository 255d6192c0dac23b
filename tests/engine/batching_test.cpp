// links: app_wiring
// Several requests in flight: the same answers as one after the other, every request answered once, nothing left
// behind; and where memory for all of them is short, the younger waits. In virtual time.
#include <QtTest>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "core/workload/make_workload.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"
#include "tiers/buffer_pool.h"
#include "tiers/dram_tier.h"
#include "tiers/queued_tier.h"

namespace batching_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int sentences = 40;

template <class T>
QByteArray message(const Expected<T>& result) {
  return result ? QByteArray() : QByteArray::fromStdString(result.error().message);
}

Expected<std::vector<RequestRecord>> serve_with(EngineHarness& harness, int max_batch, double rate, std::uint64_t limit,
                                                const std::string& policy = "lru") {
  SessionSettings settings = harness.engine().settings();
  settings.max_batch = max_batch;
  settings.requests_per_second = rate;
  KV_TRY(harness.engine().apply(settings));
  return harness.serve(policy, limit);
}

/// By context and question, as order is not kept.
std::map<std::pair<std::string, std::string>, std::string> answers_of(const std::vector<RequestRecord>& records) {
  std::map<std::pair<std::string, std::string>, std::string> answers;
  for (const RequestRecord& record : records) answers[{record.context_id, record.question}] = record.answer;
  return answers;
}

/// The most requests between their start and their end at once.
int max_at_once(const CollectingSink& sink) {
  int now = 0, max = 0;
  for (const Event& event : sink.events()) {
    now += std::holds_alternative<events::RequestStarted>(event.payload) ? 1 : 0;
    max = std::max(max, now);
    now -= std::holds_alternative<events::RequestFinished>(event.payload) ? 1 : 0;
  }
  return max;
}

/// An engine whose pool holds `pool_bytes`.
struct TightRig {
  CollectingSink sink;
  VirtualExecutor executor;
  std::unique_ptr<Engine> engine;

  TightRig(int contexts, int sentences_each, std::uint64_t pool_bytes, int max_batch, int answer_tokens,
           const std::function<void(Workload&)>& change = {}, std::uint64_t warmup = 0) {
    EngineConfig config;
    config.executor = &executor;
    config.runtime.open_device = device_of(ModelKind::timed, model_directory(), executor);
    config.warmup = warmup;
    config.model = model_directory();
    config.workload = small_workload(contexts, sentences_each, 15);
    for (WorkloadQuestion& question : config.workload.questions) question.max_answer_tokens = answer_tokens;
    if (change) change(config.workload);
    config.runtime.pool_bytes = pool_bytes;
    config.settings.policy = "lru";
    config.settings.tiers = {{.name = "dram", .budget = 64 << 20}};
    config.settings.methods = {"knorm"};
    config.settings.removed_fractions = {0.5};
    config.settings.max_batch = max_batch;
    config.settings.request_limit = 24;
    config.open_tiers = [this](const Digest128&, const SessionSettings&, const auto&) -> Expected<OpenedTiers> {
      OpenedTiers opened;
      auto tier = QueuedTier::open(std::make_unique<DramStore>("dram"), 0, 0, executor);
      if (!tier) return tl::unexpected(tier.error());
      opened.tiers.push_back(std::move(*tier));
      auto archive = QueuedTier::open(std::make_unique<DramStore>("archive"), 0, 0, executor);
      if (!archive) return tl::unexpected(archive.error());
      opened.archive = std::move(*archive);
      opened.lender = std::make_unique<BufferPool>(64 << 20);
      return opened;
    };
    engine = std::make_unique<Engine>(std::move(config), nullptr, nullptr, std::vector<EventSink*>{&sink});
    wait();
  }
  void wait() {
    for (int i = 0; i < 240; ++i) {
      const RunState state = engine->wait_while_busy(0.5);
      if (state != RunState::loading && state != RunState::running) return;
    }
  }
  std::vector<RequestRecord> serve() {
    sink.clear();
    engine->start();
    wait();
    return sink.records();
  }
};

}  // namespace

class BatchingTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  void answersAreThoseOfOneAfterTheOther_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<int>("max_batch");
    QTest::addColumn<double>("rate");
    QTest::newRow("computed, closed loop") << "full_prefill" << 4 << 0.0;
    QTest::newRow("computed, all at once") << "full_prefill" << 3 << 1e5;
    QTest::newRow("stored, closed loop") << "lru" << 4 << 0.0;
    QTest::newRow("stored, all at once") << "lru" << 8 << 1e5;
  }
  void answersAreThoseOfOneAfterTheOther() {
    QFETCH(QString, policy);
    QFETCH(int, max_batch);
    QFETCH(double, rate);
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(5, sentences, 3),
                                {"dram=2MiB", "ssd=64MiB"}, "lru", true, {}, ModelKind::timed);
    QVERIFY2(harness.has_value(), message(harness));
    const auto alone = serve_with(**harness, 1, 0, 24, policy.toStdString());
    QVERIFY2(alone.has_value(), message(alone));
    QCOMPARE(max_at_once((*harness)->sink), 1);
    const auto together = serve_with(**harness, max_batch, rate, 24, policy.toStdString());
    QVERIFY2(together.has_value(), message(together));
    QCOMPARE(together->size(), alone->size());
    QVERIFY(answers_of(*together) == answers_of(*alone));
    QCOMPARE(max_at_once((*harness)->sink), max_batch);
    std::set<std::uint64_t> ids;
    for (const RequestRecord& record : *together) {
      ids.insert(record.id);
      QVERIFY(!record.cancelled && record.timing.ttft_seconds >= record.timing.ttft_service_seconds);
      QCOMPARE(record.timing.token_gaps_seconds.size(),
               static_cast<std::size_t>(std::max(0, record.answer_tokens - 1)));
      QCOMPARE(record.source == "prefill", !record.miss_reason.empty());
    }
    QCOMPARE(ids.size(), together->size());
    const auto counted = (*harness)->sink.all<events::EngineCounted>();
    QCOMPARE(counted.size(), std::size_t{1});
    QCOMPARE(counted[0].max_running, max_batch);
    QVERIFY(counted[0].serving_seconds > 0 && counted[0].busy_seconds >= counted[0].serving_seconds);
    for (const ContextState& context : (*harness)->engine().snapshot()->contexts) QVERIFY(!context.pinned);
  }

  // Long answers about one context: it is computed once, stored when the first token of the first answer is out, and
  // read by all others, also by those that came in before that.
  void aContextIsStoredBeforeItsAnswerEnds() {
    TightRig rig(1, sentences, std::uint64_t{256} << 20, 4, 24);
    QVERIFY2(rig.engine->state() == RunState::ready, rig.engine->failure().message.c_str());
    SessionSettings settings = rig.engine->settings();
    settings.requests_per_second = 1e5;
    QVERIFY(rig.engine->apply(settings).has_value());
    const auto records = rig.serve();
    QCOMPARE(records.size(), std::size_t{24});
    QCOMPARE(rig.sink.all<events::ContextComputed>().size(), std::size_t{1});
    QCOMPARE(std::ranges::count(records, std::string("prefill"), &RequestRecord::source), 1);
    QVERIFY(std::ranges::find(records, std::string("prefill"), &RequestRecord::source)->answer_tokens > 1);
    bool computed = false;
    for (const Event& event : rig.sink.events()) {
      computed = computed || std::holds_alternative<events::ContextComputed>(event.payload);
      if (std::holds_alternative<events::RequestFinished>(event.payload)) break;
    }
    QVERIFY2(computed, "it became known only when an answer had ended");
    QCOMPARE(rig.engine->snapshot()->contexts[0].last_access, std::uint64_t{24});
  }

  // The clock of the arrivals starts when the last request of the warm-up has been answered.
  void arrivalsBeginAfterTheWarmUp() {
    constexpr std::uint64_t contexts = 5;
    TightRig rig(static_cast<int>(contexts), sentences, std::uint64_t{256} << 20, 3, 24, {}, contexts);
    QVERIFY2(rig.engine->state() == RunState::ready, rig.engine->failure().message.c_str());
    SessionSettings settings = rig.engine->settings();
    settings.requests_per_second = 1e5;
    QVERIFY(rig.engine->apply(settings).has_value());
    const auto records = rig.serve();
    QCOMPARE(records.size(), contexts + 24);
    double warmup_seconds = 0;
    for (std::size_t i = 0; i < contexts; ++i) {
      QVERIFY(records[i].id <= contexts);
      warmup_seconds += records[i].timing.context_prefill_seconds;
    }
    const auto first = std::ranges::find(records, contexts + 1, &RequestRecord::id);
    QVERIFY2(
        first->timing.queue_seconds < warmup_seconds / 2,
        qPrintable(QString("%1 s of waiting, %2 s of warm-up").arg(first->timing.queue_seconds).arg(warmup_seconds)));
    // The time of the warm-up is counted apart.
    const auto counted = rig.sink.all<events::EngineCounted>();
    QCOMPARE(counted.size(), std::size_t{2});
    QVERIFY(counted[0].serving_seconds >= 0.9 * warmup_seconds &&
            counted[1].serving_seconds > counted[0].serving_seconds);
    std::size_t answered = 0;
    for (const Event& event : rig.sink.events()) {
      answered += std::holds_alternative<events::RequestFinished>(event.payload) ? 1 : 0;
      if (std::holds_alternative<events::EngineCounted>(event.payload)) break;
    }
    QCOMPARE(answered, static_cast<std::size_t>(contexts));
  }

  // Who arrives while others are served is counted from then on.
  void waitingCountsFromArrival() {
    QTemporaryDir folder;
    auto harness =
        open_virtual(folder.path().toStdString(), small_workload(4, sentences, 5), {"dram=64MiB"}, "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    const auto records = serve_with(**harness, 2, 1e5, 12);
    QVERIFY2(records.has_value(), message(records));
    double longest = 0, service = 0;
    for (const RequestRecord& record : *records) {
      longest = std::max(longest, record.timing.queue_seconds);
      service += record.timing.e2e_seconds - record.timing.queue_seconds;
    }
    // All arrived at once, two at a time: the last waited for about half of what all took.
    QVERIFY2(longest > service / 12, qPrintable(QString("%1 s of %2 s").arg(longest).arg(service)));
  }

  void stoppingPausingAndStepsHoldWithSeveralInFlight() {
    QTemporaryDir folder;
    auto harness =
        open_virtual(folder.path().toStdString(), small_workload(5, sentences, 9), {"dram=4MiB", "ssd=64MiB"}, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    Engine& engine = (*harness)->engine();
    SessionSettings settings = engine.settings();
    settings.max_batch = 4;
    settings.request_limit = 64;
    QVERIFY(engine.apply(settings).has_value());
    for (int round = 0; round < 5; ++round) {
      engine.start();
      pass(**harness, 0.03 + 0.04 * round);
      engine.stop();
      QVERIFY(pass_until(
          **harness, [&] { return engine.state() == RunState::ready; }, 1));
      for (const ContextState& context : engine.snapshot()->contexts) QVERIFY(!context.pinned);
    }
    (*harness)->sink.clear();
    engine.start();
    pass(**harness, 0.06);
    const auto in_flight = [&] {
      return (*harness)->sink.all<events::RequestStarted>().size() -
             (*harness)->sink.all<events::RequestFinished>().size();
    };
    QVERIFY(in_flight() > 0);
    engine.pause();
    QVERIFY(pass_until(
        **harness, [&] { return engine.state() == RunState::paused; }, 1));
    QVERIFY(pass_until(
        **harness, [&] { return in_flight() == 0; }, 1));  // those in flight are finished
    const std::size_t before = (*harness)->sink.records().size();
    engine.step();
    QVERIFY(pass_until(
        **harness, [&] { return (*harness)->sink.records().size() > before && engine.state() != RunState::running; },
        1));
    QCOMPARE((*harness)->sink.records().size(), before + 1);
    for (const RequestRecord& record : (*harness)->sink.records()) QVERIFY(!record.cancelled);
    settings.max_batch = 2;  // settings change between requests
    QVERIFY(engine.apply(settings).has_value());
    engine.start();
    QCOMPARE((*harness)->wait(), RunState::finished);
    QCOMPARE((*harness)->sink.records().size(), std::size_t{64});
  }

  // Room for two contexts at once and a few: four are never in flight, and each request is answered as before.
  void theYoungerWaitsWhereThePoolIsShort() {
    TightRig wide(4, sentences, std::uint64_t{256} << 20, 4, 24);
    QVERIFY2(wide.engine->state() == RunState::ready, wide.engine->failure().message.c_str());
    const auto roomy = wide.serve();
    std::uint64_t longest = 0;
    for (const ContextState& context : wide.engine->snapshot()->contexts)
      longest = std::max(longest, context.full_bytes);
    TightRig tight(4, sentences, 4 * longest, 4, 24);
    QVERIFY2(tight.engine->state() == RunState::ready, tight.engine->failure().message.c_str());
    const auto records = tight.serve();
    QCOMPARE(records.size(), roomy.size());
    for (const RequestRecord& record : records) QVERIFY(!record.cancelled);
    QVERIFY(answers_of(records) == answers_of(roomy));
    QVERIFY(max_at_once(wide.sink) == 4 && max_at_once(tight.sink) < 4);
    for (const auto& said : tight.sink.all<events::Message>()) QVERIFY2(said.level != "error", said.text.c_str());
  }

  // Answers outgrow what was counted with: the youngest begin again, and every request is answered once.
  void whoRunsOutOfBlocksBeginsAgain() {
    if (model_directory() != source_directory() / "resources" / "model")
      QSKIP("the default model is not there: others end their answers at once");
    const auto talkative = [](Workload& workload) {
      MakeWorkloadOptions options;
      options.families = {"ledger"};
      options.min_tokens = 500;
      options.max_tokens = 600;
      options.answer_tokens = 200;
      options.profile_questions = 2;
      options.held_out_questions = 2;
      workload = make_workload(options).value();
      for (WorkloadQuestion& question : workload.questions) question.max_answer_tokens = 160;
    };
    TightRig wide(4, 2, std::uint64_t{256} << 20, 4, 160, talkative);
    QVERIFY2(wide.engine->state() == RunState::ready, wide.engine->failure().message.c_str());
    const auto roomy = wide.serve();
    std::uint64_t longest = 0;
    for (const ContextState& context : wide.engine->snapshot()->contexts)
      longest = std::max(longest, context.full_bytes);
    int max_tokens = 0;
    for (const RequestRecord& record : roomy) max_tokens = std::max(max_tokens, record.answer_tokens);
    std::uint64_t requeued = 0;
    for (const double rooms : {3.4, 4.4, 5.4}) {
      TightRig tight(4, 2, static_cast<std::uint64_t>(rooms * static_cast<double>(longest)), 4, 160, talkative);
      QVERIFY2(tight.engine->state() == RunState::ready, tight.engine->failure().message.c_str());
      const auto records = tight.serve();
      QCOMPARE(records.size(), roomy.size());
      std::set<std::uint64_t> ids;
      for (const RequestRecord& record : records) {
        QVERIFY(!record.cancelled);
        ids.insert(record.id);
      }
      QCOMPARE(ids.size(), records.size());
      QVERIFY(answers_of(records) == answers_of(roomy));
      for (const auto& counted : tight.sink.all<events::EngineCounted>()) requeued += counted.requeued;
    }
    QVERIFY2(requeued > 0,
             qPrintable(QString("nobody ran out of blocks; the longest answer has %1 tokens").arg(max_tokens)));
  }

  // Room for a context and a short question: cached originals are displaced by requests, a long question is refused.
  void whatThePoolCanNeverHoldIsRefusedInAClearLine() {
    TightRig wide(3, sentences, std::uint64_t{256} << 20, 2, 24);
    QVERIFY2(wide.engine->state() == RunState::ready, wide.engine->failure().message.c_str());
    std::uint64_t longest = 0;
    for (const ContextState& context : wide.engine->snapshot()->contexts)
      longest = std::max(longest, context.full_bytes);
    TightRig rig(3, sentences, longest + longest / 3, 2, 24, [](Workload& workload) {
      for (WorkloadQuestion& question : workload.questions)
        for (int i = 0; question.context == 0 && i < 300; ++i) question.question += " really";
    });
    QVERIFY2(rig.engine->state() == RunState::ready, rig.engine->failure().message.c_str());
    const auto records = rig.serve();
    QCOMPARE(records.size(), std::size_t{24});
    std::size_t refused = 0;
    for (const RequestRecord& record : records) {
      QCOMPARE(record.cancelled, record.context_id == "c0");
      if (!record.cancelled) continue;
      ++refused;
      QCOMPARE(record.miss_reason, std::string("no_space"));
    }
    QVERIFY(refused > 0 && refused < records.size());
    const auto said = rig.sink.all<events::Message>();
    const auto lines = std::ranges::count_if(said, [](const events::Message& m) {
      return m.level == "error" && m.text.find("request refused") != std::string::npos &&
             m.text.find("KV blocks") != std::string::npos;
    });
    QCOMPARE(static_cast<std::size_t>(lines), refused);
  }
};

KV_TEST_GUILESS_MAIN(BatchingTest)

}  // namespace batching_test

#include "batching_test.moc"
