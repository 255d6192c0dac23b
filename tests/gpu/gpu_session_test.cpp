// links: app_wiring kv_gpu_model_emulated
// Sessions whose model computes on a device: the whole engine over gpu/model, with emulated kernels where CUDA would
// be. Answers, kept tokens, hits and profiles are the processor's but for near ties; entries of one are no hits of the
// other; and the device's memory comes back.
#include <QScopeGuard>
#include <QtTest>

#include <cmath>

#include "core/workload/make_workload.h"
#include "gpu/model/emulated_model.h"
#include "tests/support/engine_harness.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

template <class T>
QByteArray message(const Expected<T>& result) {
  return result ? QByteArray() : QByteArray::fromStdString(result.error().message);
}

/// What sessions open in the GPU's stead, and holds on to it.
struct Emulated {
  std::shared_ptr<gpu::GpuModel> model;
  std::uint64_t at_rest = 0;

  Expected<std::shared_ptr<ModelDevice>> open(const Transformer& core, std::uint64_t cache_bytes) {
    gpu::GpuModelOptions options;
    options.cache_bytes = cache_bytes;
    gpu::GpuModelSource source;
    source.model = &core;
    auto opened = gpu::open_emulated_model(source, options);
    if (!opened) return tl::unexpected(std::move(opened).error());
    model = std::move(*opened);
    at_rest = model->free_cache_bytes();
    return std::shared_ptr<ModelDevice>(model, &model->passes());
  }
};

}  // namespace

class GpuSessionTest : public QObject {
  Q_OBJECT

  static constexpr std::uint64_t requests = 8;
  static constexpr std::uint64_t cache_room = std::uint64_t{64} << 20;  // tens of contexts

  /// Contexts that the default model answers about.
  static Workload workload(std::size_t contexts = 1) {
    MakeWorkloadOptions options;
    options.name = "device";
    options.seed = 3;
    options.families = {"meeting", "fewshot"};
    options.contexts_per_family = contexts;
    options.min_tokens = 200;
    options.max_tokens = 230;
    options.profile_questions = 2;
    options.held_out_questions = 4;
    options.arrivals = {.requests_per_second = 0, .zipf_exponent = 0.8, .requests = 20};
    return make_workload(options).value_or(Workload{});
  }

  static Expected<std::unique_ptr<EngineHarness>> open(const QTemporaryDir& folder, const std::string& policy,
                                                       Emulated* device, std::uint64_t cache_bytes = cache_room) {
    HarnessOptions options;
    if (device != nullptr)
      options.open_device = [device, cache_bytes](const Transformer& core) { return device->open(core, cache_bytes); };
    return EngineHarness::open(folder.path().toStdString(), workload(), {"dram=32MiB"}, policy, false, options);
  }
  /// While the engine is there it may keep what is cached on the device; after it nothing.
  static void gives_everything_back(std::unique_ptr<EngineHarness>& harness, const Emulated& device) {
    std::uint64_t whole = 0;
    for (const ContextState& context : harness->engine().snapshot()->contexts) whole += context.full_bytes;
    QVERIFY(device.at_rest - device.model->free_cache_bytes() <= 2 * whole);
    harness.reset();
    QCOMPARE(device.model->free_cache_bytes(), device.at_rest);
  }
  /// Live and in the run's record, on the device alone.
  static void tells_of_its_device(EngineHarness& on_processor, EngineHarness& on_device, bool hits) {
    QVERIFY(!on_processor.engine().gauges().model_device.has_value());
    for (const auto& counted : on_processor.sink.all<events::EngineCounted>())
      QVERIFY(!counted.model_device.has_value());
    const auto live = on_device.engine().gauges().model_device;
    const auto counted = on_device.sink.all<events::EngineCounted>();
    QVERIFY(live.has_value() && !counted.empty() && counted.back().model_device.has_value());
    for (const ModelDeviceGauges& gauges : {*live, *counted.back().model_device}) {
      QCOMPARE(gauges.device, std::string("emulated"));
      QVERIFY(gauges.cache_total_bytes > 0 && gauges.cache_held_bytes <= gauges.cache_total_bytes);
      QVERIFY(gauges.downloaded.bytes > 0 && gauges.downloaded.seconds > 0);
      QVERIFY(!hits || (gauges.uploaded.bytes > 0 && gauges.uploaded.seconds > 0));
      QVERIFY(gauges.uploaded.hidden_share() >= 0 && gauges.uploaded.hidden_share() <= 1);
      QVERIFY(gauges.uploaded.peak_share() <= 1 && gauges.downloaded.peak_bytes_per_second > 0);
    }
    QVERIFY(counted.back().model_device->uploaded.bytes <= live->uploaded.bytes);
  }
  static void allow_batches(EngineHarness& harness, int most) {
    SessionSettings settings = harness.engine().settings();
    settings.max_batch = most;
    QVERIFY(harness.engine().apply(settings).has_value());
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor the trial checkpoint is there");
  }

  void answersAreTheProcessors_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<int>("together");
    QTest::newRow("uncompressed") << "lru" << 1;
    QTest::newRow("several at a time") << "lru" << 4;
    QTest::newRow("by the window's queries") << "fixed(snapkv,0.5)" << 1;
    QTest::newRow("heads of different lengths") << "fixed(adakv(snapkv),0.3)" << 4;
    QTest::newRow("encoded, and unpacked for the device") << "fixed(kivi4,0)" << 1;
    QTest::newRow("keys that move after reading") << "fixed(rerotate(streaming_llm),0.6)" << 1;
    QTest::newRow("nothing stored") << "full_prefill" << 2;
  }
  void answersAreTheProcessors() {
    QFETCH(QString, policy);
    QFETCH(int, together);
    const std::string name = policy.toStdString();
    QTemporaryDir here, there;
    Emulated device;
    auto on_processor = open(here, name, nullptr), on_device = open(there, name, &device);
    QVERIFY2(on_processor.has_value(), message(on_processor));
    QVERIFY2(on_device.has_value(), message(on_device));
    allow_batches(**on_processor, together);
    allow_batches(**on_device, together);
    const auto expected = (*on_processor)->serve(name, requests), got = (*on_device)->serve(name, requests);
    QVERIFY2(expected.has_value(), message(expected));
    QVERIFY2(got.has_value(), message(got));
    QCOMPARE(got->size(), expected->size());
    // Several at a time end in another order.
    const auto by_id = [](const auto& records) {
      std::map<std::uint64_t, RequestRecord> sorted;
      for (const RequestRecord& record : *records) sorted.emplace(record.id, record);
      return sorted;
    };
    const auto theirs = by_id(expected), ours = by_id(got);
    int same = 0, hits = 0;
    auto their = theirs.begin();
    for (const auto& [id, our] : ours) {
      const RequestRecord& core = (their++)->second;
      QCOMPARE(our.question, core.question);
      QCOMPARE(our.context_tokens, core.context_tokens);
      QVERIFY2(our.answer_tokens > 0, qPrintable(QString::fromStdString(our.question)));
      QVERIFY(our.timing.ttft_service_seconds > 0);
      if (our.source == core.source && our.method == core.method)
        QVERIFY2(std::abs(our.kept_tokens - core.kept_tokens) <= 1,
                 qPrintable(QStringLiteral("%1 for %2").arg(our.kept_tokens).arg(core.kept_tokens)));
      same += our.answer == core.answer;
      if (our.answer != core.answer)
        qInfo("%s %s, on the processor %s", our.question.c_str(), our.answer.c_str(), core.answer.c_str());
      hits += our.bytes_loaded > 0;
    }
    qInfo("%d of %zu answers the same, %d hits", same, ours.size(), hits);
    QVERIFY(same + 1 >= static_cast<int>(ours.size()));  // one near tie
    if (name != "full_prefill") QVERIFY(hits >= 4);
    QVERIFY((*on_device)->sink.all<events::ReadFailed>().empty());
    QVERIFY2((*on_device)->sink.all<events::RunStarted>().size() == 1, "one run");
    tells_of_its_device(**on_processor, **on_device, hits > 0);
    gives_everything_back(*on_device, device);
  }

  void profilesAreTheProcessors() {
    QTemporaryDir here, there;
    Emulated device;
    auto on_processor = open(here, "evicpress", nullptr), on_device = open(there, "evicpress", &device);
    QVERIFY2(on_processor.has_value(), message(on_processor));
    QVERIFY2(on_device.has_value(), message(on_device));
    for (auto* harness : {&on_processor, &on_device}) {
      (**harness)->engine().profile_all();
      QTRY_VERIFY_WITH_TIMEOUT((**harness)->engine().wait_while_busy(0.5) == RunState::ready, 240000);
    }
    const auto expected = (*on_processor)->engine().snapshot(), got = (*on_device)->engine().snapshot();
    double off = 0, best = 0;
    int points = 0;
    for (std::size_t c = 0; c < expected->contexts.size(); ++c) {
      const auto mine = std::ranges::find(got->contexts, expected->contexts[c].id,
                                          &ContextState::id);  // they are in the order of their keys
      QVERIFY(mine != got->contexts.end());
      const auto &core = expected->contexts[c].profile, &ours = mine->profile;
      QVERIFY(core && ours);
      QCOMPARE(ours->points.size(), core->points.size());
      for (std::size_t p = 0; p < core->points.size(); ++p, ++points) {
        QCOMPARE(ours->points[p].method, core->points[p].method);
        QCOMPARE(ours->points[p].bytes, core->points[p].bytes);
        QCOMPARE(ours->points[p].kept_tokens, core->points[p].kept_tokens);
        QCOMPARE(ours->points[p].n, core->points[p].n);
        best = std::max(best, core->points[p].quality);
        off += std::abs(ours->points[p].quality - core->points[p].quality);
      }
    }
    qInfo("%d points, quality up to %.2f, %.4f apart in the mean", points, best, off / points);
    QVERIFY2(best > 0.5 && off / points < 0.05, qPrintable(QString::number(off / points)));
    gives_everything_back(*on_device, device);
  }

  // Another kind of arithmetic: bits differ, so what the processor stored is not what the device would have.
  void entriesOfOneAreNoHitsOfTheOther() {
    QTemporaryDir folder;
    Emulated device;
    const std::vector<std::string> tiers{"ssd=32MiB"};
    const auto served = [&](bool gpu) {
      HarnessOptions options;
      if (gpu) options.open_device = [&device](const Transformer& core) { return device.open(core, cache_room); };
      auto harness = EngineHarness::open(folder.path().toStdString(), workload(), tiers, "lru", false, options);
      if (!harness) qFatal("%s", harness.error().message.c_str());
      return (*harness)->serve("lru", 1).value().front().source;
    };
    QCOMPARE(served(false), std::string("prefill"));
    QCOMPARE(served(false), std::string("ssd"));
    QCOMPARE(served(true), std::string("prefill"));
    QCOMPARE(served(true), std::string("ssd"));
  }

  void aSmallDeviceServesOneAfterTheOther() {
    QTemporaryDir here, there;
    Emulated device;
    auto roomy = open(here, "lru", nullptr);
    QVERIFY2(roomy.has_value(), message(roomy));
    const ContextState& context = (*roomy)->engine().snapshot()->contexts.front();
    auto tight = open(there, "lru", &device, context.full_bytes * 3 / 2);
    QVERIFY2(tight.has_value(), message(tight));
    allow_batches(**tight, 4);
    const auto expected = (*roomy)->serve("lru", requests), got = (*tight)->serve("lru", requests);
    QVERIFY2(expected.has_value(), message(expected));
    QVERIFY2(got.has_value(), message(got));
    QCOMPARE(got->size(), expected->size());
    for (const RequestRecord& record : *got) QVERIFY(record.answer_tokens > 0 && !record.cancelled);
    gives_everything_back(*tight, device);
  }

  /// Entries of a tier in the device's memory never come to the host again: a second run has answers of the first, from
  /// the tier, and no row crossed.
  void hitsOnADeviceTierStayOnTheDevice() {
    qputenv("KVANTAGE_GPU_MODULE", KVANTAGE_BINARY_DIR "/tests/libtest_gpu_double.so");
    const auto unset = qScopeGuard([] { qunsetenv("KVANTAGE_GPU_MODULE"); });
    for (const std::string policy : {"lru", "fixed(adakv(snapkv),0.3)"}) {
      QTemporaryDir folder;
      Emulated device;
      HarnessOptions options;
      options.open_device = [&device](const Transformer& core) { return device.open(core, cache_room); };
      auto harness =
          EngineHarness::open(folder.path().toStdString(), workload(), {"device=32MiB"}, policy, false, options);
      QVERIFY2(harness.has_value(), message(harness));
      const auto first = (*harness)->serve(policy, 2 * requests);
      QVERIFY2(first.has_value(), message(first));
      const auto before = (*harness)->engine().gauges().model_device;
      const auto second = (*harness)->serve(policy, requests);
      QVERIFY2(second.has_value(), message(second));
      const auto after = (*harness)->engine().gauges().model_device;
      QVERIFY(before.has_value() && after.has_value());
      // Of compressed contexts, answers to new questions are scored with the original, which is on the host.
      if (policy == "lru") QCOMPARE(after->uploaded.bytes, before->uploaded.bytes);
      std::map<std::string, std::string> answers;
      std::map<std::string, int> kept;
      int compared_kept = 0, compared_answers = 0;
      for (const RequestRecord& record : *first) {
        answers[record.context_id + "\n" + record.question] = record.answer;
        if (record.source == "device") kept[record.context_id] = record.kept_tokens;
      }
      for (const RequestRecord& record : *second) {
        QCOMPARE(record.source, std::string("device"));
        QVERIFY(record.bytes_loaded > 0 && record.kept_tokens > 0 && record.kept_tokens <= record.context_tokens);
        if (policy == "lru") QCOMPARE(record.kept_tokens, record.context_tokens);
        if (kept.contains(record.context_id)) {
          QCOMPARE(record.kept_tokens, kept[record.context_id]);
          ++compared_kept;
        }
        // With all rows kept, prefilled and stored ones are the same.
        const auto answer = answers.find(record.context_id + "\n" + record.question);
        if (policy == "lru" && answer != answers.end()) {
          QCOMPARE(record.answer, answer->second);
          ++compared_answers;
        }
      }
      QVERIFY(compared_kept > 0 && (policy != "lru" || compared_answers > 0));
      QVERIFY((*harness)->sink.all<events::ReadFailed>().empty());
      gives_everything_back(*harness, device);
    }
  }

  void withoutAGpuItSaysWhy() {
    QTemporaryDir folder;
    SessionOptions options;
    options.model = model_directory();
    options.workload = std::filesystem::path(folder.path().toStdString()) / "workload";
    QVERIFY(write_workload(workload(), options.workload).has_value());
    options.store = std::filesystem::path(folder.path().toStdString()) / "store";
    options.tiers = {"dram=64MiB"};
    options.gpu = true;
    CollectingSink sink;
    auto session = open_session(options, {&sink});
    QVERIFY2(session.has_value(), message(session));
    QTRY_VERIFY_WITH_TIMEOUT(session->engine->wait_while_busy(0.5) != RunState::loading, 120000);
    if (session->engine->state() == RunState::ready) QSKIP("here is a GPU");
    QCOMPARE(session->engine->state(), RunState::failed);
    const std::string why = session->engine->failure().message;
    QVERIFY2(why.rfind("model on a GPU: ", 0) == 0 && why.find("--gpu") != std::string::npos, why.c_str());
    QCOMPARE(session->engine->failure().code, ErrorCode::usage);
  }
};

QTEST_GUILESS_MAIN(GpuSessionTest)
#include "gpu_session_test.moc"
