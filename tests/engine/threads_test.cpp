// links: app_wiring
// A session on the machine's threads, of which much is asked at once: for the thread sanitizer (docs/testing.md). The
// model is hashed, so threads work on what they share instead of waiting for kernels.
#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/random.h"
#include "core/policy/frontier.h"
#include "profiles/run_library.h"
#include "tests/support/engine_harness.h"
#include "tests/support/hashed_model.h"
#include "tests/support/test_program.h"

namespace threads_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr ModelCosts quick{
    .prefill_per_token_layer = 1e-7, .prefill_per_step = 2e-5, .decode_per_sequence = 2e-5, .decode_per_step = 1e-4};

void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// Threads that do something again and again until this goes.
class Repeated {
 public:
  /// Every `seconds`; each thread draws from a sequence of its own.
  void on_a_thread(double seconds, std::function<void(Random&)> what) {
    threads_.emplace_back(
        [seconds, what = std::move(what), random = Random(threads_.size())](const std::stop_token& over) mutable {
          for (; !over.stop_requested(); sleep_for(seconds)) what(random);
        });
  }

 private:
  std::vector<std::jthread> threads_;
};

/// What a window shows and its views compute. Returns a sum of it.
double looked_at(Engine& engine, Random& random) {
  double sum = static_cast<double>(engine.info().contexts) + static_cast<double>(engine.state());
  const auto snapshot = engine.snapshot();
  for (const ContextState& context : snapshot->contexts) {
    sum += context.placement.stored() ? static_cast<double>(context.stored_bytes) : context.frequency;
    sum += context.profile != nullptr ? static_cast<double>(context.profile->points.size()) : 0;
  }
  const auto policy = make_policy("evicpress").value();
  for (const FrontierPoint& point : predict_frontier(*snapshot, *policy, {0.1, 1})) sum += point.mean_quality;
  if (const auto reports = engine.tier_reports()) sum += static_cast<double>(reports->size());
  if (const auto pool = engine.gauges().pool) sum += static_cast<double>(pool->live_blocks);
  for (const Event& event : engine.drain(1 + random.below(64)))
    sum += static_cast<double>(to_json(event).dump().size());
  if (const auto map = engine.keep_map(); map != nullptr && map->context != nullptr)
    for (const KeepMapForm& form : map->forms) sum += static_cast<double>(form.bytes + form.kept.size());
  sum += static_cast<double>(engine.keep_map_work().size() + engine.failure().message.size());
  if (const auto spans = engine.spans_of(1 + random.below(100))) sum += static_cast<double>(spans->spans.size());
  return sum + static_cast<double>(engine.profile_scope().quality_metric.size());
}

/// Reads the recorded runs beside the session that records them.
std::size_t read_runs(RunLibrary& library) {
  std::size_t read = 0;
  const auto runs = library.list(0);
  for (const ListedRun& run : runs.value()) {
    read += library.records_after(run.summary.run_id, 0).value().records.size();
    read += library.read(run.summary.run_id).value().events.size();
  }
  return read;
}

SessionSettings other_settings(SessionSettings settings, Random& random) {
  const auto one_of = [&](const std::vector<std::string>& texts) { return texts[random.below(texts.size())]; };
  switch (random.below(7)) {
    case 0:
      settings.alpha = random.uniform();
      break;
    case 1:
      settings.policy = one_of({"lru", "evicpress", "adaptcache", "fixed(knorm,0.3)"});
      break;
    case 2:
      settings.max_batch = 1 + static_cast<int>(random.below(4));
      break;
    case 3:
      settings.decode_eviction = one_of({"none", "h2o(budget=60%)", "paged_eviction(budget=50%)"});
      break;
    case 4:
      settings.tiers[1].faults =
          one_of({"", "flip_on_read:0.3+seed:5", "delay_on_read:2ms@0.3+write_error:0.2+seed:6"});
      break;
    case 5:
      settings.tiers[random.below(2)].throttle.bytes_per_second = 5e7 + 5e8 * random.uniform();
      break;
    default:
      settings.tiers[random.below(2)].budget = (64 + random.below(800)) << 10;
  }
  return settings;
}

void ask(Engine& engine, Random& random) {
  switch (random.below(12)) {
    case 0:
      return engine.pause();
    case 1:
      return engine.step();
    case 2:
      return engine.stop();
    case 3:
      return engine.profile_all();
    case 4:
      engine.request_keep_map({"c" + std::to_string(random.below(4)), {"knorm", "keydiff"}, 0.5, random.below(2)});
      return;
    case 5:
      return engine.drop_keep_map();
    case 6:
    case 7:
    case 8:
      return engine.start();
    default:
      (void)engine.apply(other_settings(engine.settings(), random));  // refused where another thread's do not fit
  }
}

}  // namespace

class ThreadsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::filesystem::path model_ = std::filesystem::path(folder_.path().toStdString()) / "model";

  std::unique_ptr<EngineHarness> open(const std::string& name) const {
    const auto folder = std::filesystem::path(folder_.path().toStdString()) / name;
    std::filesystem::create_directories(folder);
    HarnessOptions other;
    other.model = model_;
    other.displayed = true;
    other.open_device = [](const Transformer& shape) -> Expected<std::shared_ptr<ModelDevice>> {
      return std::make_shared<HashedModel>(shape, sleep_for, quick);
    };
    auto opened = EngineHarness::open(folder, small_workload(4, 12, 21),
                                      {"dram=128KiB,bandwidth=500MB/s", "ssd=512KiB,bandwidth=200MB/s,latency=0.1ms"},
                                      "evicpress", false, other);
    if (!opened) qFatal("%s", opened.error().message.c_str());
    return std::move(*opened);
  }

  /// Each request that began has ended, and what is whole answers as it did before.
  static void compare(const CollectingSink& sink) {
    std::map<std::uint64_t, int> begun;
    for (const auto& started : sink.all<events::RequestStarted>()) ++begun[started.id];
    for (const RequestRecord& record : sink.records()) --begun[record.id];
    for (const auto& [id, count] : begun) QVERIFY2(count == 0, std::to_string(id).c_str());
    std::map<std::string, std::string> answers;
    for (const RequestRecord& record : sink.records()) {
      if (record.cancelled || record.removed_fraction > 0 || !record.decoding.eviction.empty()) continue;
      const auto [same, first] = answers.emplace(record.context_id + ": " + record.question, record.answer);
      QVERIFY2(first || same->second == record.answer, record.source.c_str());
    }
    QVERIFY(answers.size() > 2);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: its tokenizer is wanted");
    std::filesystem::create_directories(model_);
    const Status written = write_hashed_model(model_, model_directory(), 2976);
    QVERIFY2(written.has_value(), written ? "" : written.error().message.c_str());
  }

  void manyAskAndLookAtOnce() {
    const auto harness = open("many");
    Engine& engine = harness->engine();
    const auto library = open_run_library(harness->session.database, machine_clock()).value();
    std::atomic<double> seen = 0;
    std::atomic<std::size_t> rows = 0;
    {
      Repeated threads;
      for (int viewer = 0; viewer < 2; ++viewer)
        threads.on_a_thread(2e-3, [&](Random& random) { seen = looked_at(engine, random); });
      for (int user = 0; user < 2; ++user) threads.on_a_thread(5e-3, [&](Random& random) { ask(engine, random); });
      threads.on_a_thread(10e-3, [&](Random&) { rows = read_runs(*library); });
      QTRY_VERIFY_WITH_TIMEOUT(harness->sink.records().size() >= 60 &&
                                   harness->sink.all<events::SettingChanged>().size() >= 30 &&
                                   harness->sink.all<events::RunFinished>().size() >= 3,
                               120000);
    }
    QVERIFY(seen > 0 && rows > 0);
    SessionSettings settings = engine.settings();
    settings.request_limit = 12;
    settings.decode_eviction = "none";
    settings.policy = "lru";
    QVERIFY(engine.apply(settings));
    engine.stop();
    engine.start();
    for (int steps = 0; harness->wait() == RunState::paused && steps < 5; ++steps) engine.start();
    QVERIFY2(engine.state() == RunState::finished || engine.state() == RunState::ready, to_string(engine.state()));
    compare(harness->sink);
    RunStore& runs = harness->session.stores->runs();
    QVERIFY(runs.flush());
    QCOMPARE(runs.runs().value().back().outcome, std::string("finished"));
  }

  // What is in flight when a session closes is done or given up, whoever looked at it.
  void aSessionClosesWhileItWorks() {
    for (int round = 0; round < 4; ++round) {
      const auto harness = open("closing");
      Engine& engine = harness->engine();
      std::atomic<double> seen = 0;
      SessionSettings settings = engine.settings();
      settings.max_batch = 3;
      settings.policy = round % 2 == 0 ? "evicpress" : "lru";
      QVERIFY(engine.apply(settings));
      {
        Repeated threads;
        threads.on_a_thread(1e-3, [&](Random& random) { seen = looked_at(engine, random); });
        engine.start();
        const auto wanted = static_cast<std::size_t>(1 + 4 * round);
        QTRY_VERIFY_WITH_TIMEOUT(harness->sink.records().size() >= wanted, 120000);
      }
      QVERIFY(seen > 0);
    }
  }
};

KV_TEST_GUILESS_MAIN(ThreadsTest)

}  // namespace threads_test

#include "threads_test.moc"
