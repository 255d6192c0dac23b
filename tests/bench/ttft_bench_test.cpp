// links: app_wiring kvantage::torch
// Time to first token by source, through the code that serves requests: a load from memory, a load from a folder, a
// prefill, at 512, 1,024 and 2,048 tokens of context. Printed with what each is made of and as ratios to the bare
// operation: memcpy, pread, GEMM. `ttft_bench_test --rounds N` takes N rounds instead of the few a test run needs.
// Asserted: metrics make sense and bytes add up; no time ever.
#include "tests/bench/bare_operations.h"  // before Qt: its macros collide with libtorch

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "app/wiring/openmp.h"
#include "app/wiring/session_setup.h"
#include "core/base/clock.h"
#include "core/request/load_task.h"
#include "core/request/request_task.h"
#include "core/workload/workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tiers/buffer_pool.h"
#include "tiers/kinds/tier_place.h"

namespace ttft_bench_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

int rounds = 3;  // --rounds

template <class T>
T or_die(Expected<T> value) {
  if (!value) qFatal("%s", value.error().message.c_str());
  return std::move(*value);
}
void or_die(const Status& status) {
  if (!status) qFatal("%s", status.error().message.c_str());
}

/// The medians of one kind of request.
struct RequestSamples {
  Samples ttft, load, unpack, context, question, decode;
  std::string answer;

  void add(const RequestRecord& record) {
    ttft.add(record.timing.ttft_service_seconds);
    load.add(record.timing.load_seconds);
    unpack.add(record.timing.decode_seconds);
    context.add(record.timing.context_prefill_seconds);
    question.add(record.timing.question_prefill_seconds);
    decode.add(record.timing.e2e_seconds - record.timing.ttft_service_seconds);
    answer = record.answer;
  }
};

/// A stored form of one context: its bytes as a tier takes them.
struct Stored {
  EntryInfo info;
  std::shared_ptr<const EntryHeader> header;
  std::shared_ptr<const std::vector<std::byte>> bytes;
  std::uint64_t layer_bytes = 0;  // what a load reads once the header is known
};

}  // namespace

class TtftBench : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<ModelRuntime> runtime_;
  std::vector<std::int32_t> text_, question_;
  QTemporaryDir folder_;
  BufferPool buffers_{std::size_t{256} << 20};
  SystemClock clock_;

  std::vector<std::int32_t> context(int tokens) const { return {text_.begin(), text_.begin() + tokens}; }

  std::unique_ptr<StorageTier> open(const std::string& name, double bytes_per_second = 0, double latency = 0) const {
    return or_die(
        open_tier({.name = name, .throttle = {bytes_per_second, latency}},
                  {.executor = system_executor(), .store_directory = folder_.path().toStdString(), .device = nullptr}));
  }

  // One request that answers with two tokens: the first ends TTFT, the second is one decode step.
  std::unique_ptr<RequestTask> ask(std::span<const std::int32_t> tokens, std::optional<CacheHit> hit) {
    RequestInput input;
    input.context_tokens = tokens;
    input.question_tokens = question_;
    input.max_answer_tokens = 2;
    input.arrival_ns = clock_.monotonic_ns();
    auto task = std::make_unique<RequestTask>(*runtime_, buffers_, clock_, std::move(input), std::move(hit), 0.0,
                                              [](const std::string&) {});
    while (!task->done()) {
      or_die(task->poll(0.001));
      or_die(task->compute());
      if (task->needs() != RequestTask::Need::token) continue;
      BatchDecodeTask decode(*runtime_->model, {task->decode().next_decode()});
      or_die(decode.run());
      task->decode().take_token(decode.logits(0));
    }
    if (task->failed_read()) qFatal("%s", task->failed_read()->error.message.c_str());
    return task;
  }

  CacheHit hit_on(StorageTier& tier, const Stored& stored) const {
    const TierDescription description = tier.describe();
    return {.place = {.tier = &tier, .tier_name = description.name, .throttled = description.throttled},
            .info = stored.info,
            .header = stored.header,
            .prefix_tokens = stored.header->token_ids.size()};
  }

  Stored store(KvCache cache, const std::vector<std::int32_t>& tokens, const std::vector<StorageTier*>& tiers) const {
    EntryHeader header;
    header.identity = runtime_->identity;
    header.token_ids = tokens;
    Stored stored;
    stored.bytes = std::make_shared<const std::vector<std::byte>>(or_die(serialize(cache, header, nullptr)));
    stored.info = {
        .key = header.key(), .bytes = header.entry_bytes, .header_bytes = header.header_bytes, .label = "bench"};
    for (int layer = 0; layer < header.shape.layers; ++layer)
      stored.layer_bytes += header.layer_range(layer).second - header.layer_range(layer).first;
    stored.header = std::make_shared<const EntryHeader>(std::move(header));
    for (StorageTier* tier : tiers) {
      CompletionQueue completions(system_executor().clock());
      tier->submit_write(stored.info, stored.bytes, completions);
      for (bool last = false; !last;)
        for (Completion& completion : completions.wait(0.1)) {
          or_die(completion.status);
          last = completion.last;
        }
    }
    return stored;
  }

  // The load alone: all layers into a cache, nothing computed meanwhile.
  double load_seconds(StorageTier& tier, const Stored& stored) {
    const auto start = SteadyClock::now();
    KvCache cache(*runtime_->pool);
    LoadTask load(tier, stored.info, stored.header, buffers_, false);
    for (int layer = 0; layer < stored.header->shape.layers;) {
      or_die(load.pump(0.001));
      while (layer < stored.header->shape.layers && load.layer_arrived(layer)) or_die(load.restore(layer++, cache));
    }
    return seconds_since(start);
  }

  static void check(std::initializer_list<const Samples*> samples) {
    for (const Samples* sample : samples)
      QVERIFY2(std::isfinite(sample->median()) && sample->median() > 0, "a time is not finite and positive");
  }

  static void print_sources(int tokens, std::uint64_t layer_bytes, const RequestSamples& from_dram,
                            const RequestSamples& from_ssd, const RequestSamples& prefilled) {
    std::printf("\n%d tokens, %.2f MiB of keys and values\n", tokens, static_cast<double>(layer_bytes) / 1048576.0);
    std::printf("  %-8s %9s = %9s + %9s + %9s + %9s   %12s   [ms]\n", "source", "TTFT", "load", "unpack", "context",
                "question", "first decode");
    const auto row = [](const char* name, const RequestSamples& s) {
      std::printf("  %-8s %9.3f   %9.3f   %9.3f   %9.3f   %9.3f   %12.3f\n", name, s.ttft.median() * 1e3,
                  s.load.median() * 1e3, s.unpack.median() * 1e3, s.context.median() * 1e3, s.question.median() * 1e3,
                  s.decode.median() * 1e3);
    };
    row("dram", from_dram);
    row("ssd", from_ssd);
    row("prefill", prefilled);
  }

 private slots:
  void initTestCase() {
    const std::filesystem::path folder = test::model_directory();
    if (folder.empty()) QSKIP("no model: neither resources/model nor ../shared/data/models/trial-qa is there");
    runtime_ = or_die(ModelRuntime::load(folder));
    const Workload workload = or_die(read_workload(test::source_directory() / "sample_workloads" / "quickstart"));
    std::string text;
    for (std::size_t i = 0; i < 6; ++i) text += (i > 0 ? " " : "") + workload.contexts.at(i).text;
    text_ = runtime_->prompt->encode_context(text);
    question_ = runtime_->prompt->encode_question(workload.questions.front().question);
    QVERIFY(text_.size() >= 2048);
    const ModelConfig& model = runtime_->model->config();
    std::printf("%s: %s parameters, %s, %d-token chunks, question of %zu tokens, medians of %d rounds\n",
                runtime_->name.c_str(), std::to_string(model.parameters()).c_str(),
                runtime_->model->path_description().c_str(), runtime_->chunk_tokens(), question_.size(), rounds);
  }

  void timeToFirstTokenBySource_data() {
    QTest::addColumn<int>("tokens");
    for (const int tokens : {512, 1024, 2048}) QTest::newRow(qPrintable(QString::number(tokens))) << tokens;
  }
  void timeToFirstTokenBySource() {
    QFETCH(int, tokens);
    const auto dram = open("dram"), ssd = open("ssd");
    const std::vector<std::int32_t> ids = context(tokens);
    const auto first = ask(ids, {});
    QVERIFY(first->computed_original());
    const Stored stored = store(first->share_context(), ids, {dram.get(), ssd.get()});
    QCOMPARE(stored.layer_bytes, stored.info.bytes - stored.info.header_bytes);
    QCOMPARE(stored.info.bytes, predicted_entry_bytes(runtime_->model->kv_shape(), ids.size(), ids.size(), 4));

    CacheSweeper sweeper;
    BareCopy copy(stored.layer_bytes);
    BareRead read(folder_.path().toStdString() + "/bare", stored.layer_bytes);
    QVERIFY2(read.ready(), "the file to compare with cannot be written");
    const ModelConfig& model = runtime_->model->config();
    const bool bf16 = runtime_->model->compute() == ComputeType::bf16;
    BareGemm gemm(model, runtime_->chunk_tokens(), bf16 ? at::kBFloat16 : at::kFloat);
    (void)gemm.rate(20);

    Samples copied, was_read, gemm_rate, dram_load, ssd_load;
    RequestSamples from_dram, from_ssd, prefilled;
    for (int round = -1; round < rounds; ++round) {
      if (round == 0)  // the round before warmed buffers, blocks and threads up
        copied = was_read = gemm_rate = dram_load = ssd_load = {}, from_dram = from_ssd = prefilled = {};
      sweeper.sweep();
      copied.add(copy.seconds());
      sweeper.sweep();
      dram_load.add(load_seconds(*dram, stored));
      sweeper.sweep();
      was_read.add(read.seconds());
      sweeper.sweep();
      ssd_load.add(load_seconds(*ssd, stored));
      gemm_rate.add(gemm.rate(40));
      for (auto& [samples, tier] : {std::pair{&from_dram, dram.get()}, std::pair{&from_ssd, ssd.get()}}) {
        sweeper.sweep();
        const auto task = ask(ids, hit_on(*tier, stored));
        const RequestRecord& record = task->record();
        QCOMPARE(record.bytes_loaded, stored.layer_bytes);
        QCOMPARE(record.kept_tokens, tokens);
        QCOMPARE(record.prefix_hit_tokens, tokens);
        QCOMPARE(record.source, tier->describe().name);
        samples->add(record);
      }
      sweeper.sweep();
      const auto task = ask(ids, {});
      QCOMPARE(task->record().bytes_loaded, std::uint64_t{0});
      QCOMPARE(task->record().prefix_hit_tokens, 0);
      QCOMPARE(task->record().source, std::string("prefill"));
      prefilled.add(task->record());
    }

    print_sources(tokens, stored.layer_bytes, from_dram, from_ssd, prefilled);
    const double operations = prefill_operations(model, tokens, std::min(tokens, runtime_->window_queries));
    const double ideal = operations / gemm_rate.median();
    std::printf("  load from dram %.3f ms = %.2f x memcpy (%.3f ms, %.1f GB/s); ", dram_load.median() * 1e3,
                dram_load.median() / copied.median(), copied.median() * 1e3,
                static_cast<double>(stored.layer_bytes) / copied.median() / 1e9);
    std::printf("from ssd %.3f ms = %.2f x pread%s (%.3f ms, %.2f GB/s)\n", ssd_load.median() * 1e3,
                ssd_load.median() / was_read.median(),
                read.direct() ? " with O_DIRECT" : " with the page cache dropped", was_read.median() * 1e3,
                static_cast<double>(stored.layer_bytes) / was_read.median() / 1e9);
    std::printf(
        "  prefill %.1f ms = %.2f x the GEMMs' time: %.2f GFLOP at the measured %.0f GFLOP/s (%s at::mm, %d x %d x "
        "%d)\n",
        prefilled.context.median() * 1e3, prefilled.context.median() / ideal, operations * 1e-9,
        gemm_rate.median() * 1e-9, bf16 ? "bf16" : "fp32", runtime_->chunk_tokens(), model.hidden, model.intermediate);
    std::printf("  TTFT prefill : ssd : dram = %.1f : %.1f : 1\n", prefilled.ttft.median() / from_dram.ttft.median(),
                from_ssd.ttft.median() / from_dram.ttft.median());

    check({&copied, &was_read, &gemm_rate, &dram_load, &ssd_load, &from_dram.ttft, &from_ssd.ttft, &prefilled.ttft,
           &from_dram.unpack, &from_ssd.unpack, &from_dram.load, &from_ssd.load, &prefilled.context,
           &prefilled.question, &prefilled.decode, &from_dram.decode, &from_ssd.decode});
    // A cache that was stored and read back answers like the one that was computed.
    QCOMPARE(from_dram.answer, prefilled.answer);
    QCOMPARE(from_ssd.answer, prefilled.answer);
  }

  // Layer l of the question is computed while layer l + 1 comes: a hit should take as long as the slower of the two,
  // and one layer more.
  void loadingHidesBehindTheQuestion() {
    constexpr int tokens = 2048;
    constexpr double bytes_per_second = 200e6;
    const auto ssd = open("ssd", bytes_per_second);
    const std::vector<std::int32_t> ids = context(tokens);
    const auto first = ask(ids, {});
    const Stored stored = store(first->share_context(), ids, {ssd.get()});
    Samples load, question, ttft;
    for (int round = 0; round < rounds; ++round) {
      load.add(load_seconds(*ssd, stored));
      question.add(ask(ids, {})->record().timing.question_prefill_seconds);
      ttft.add(ask(ids, hit_on(*ssd, stored))->record().timing.ttft_seconds);
    }
    check({&load, &question, &ttft});
    const double layer = question.median() / runtime_->model->config().layers;
    const double limit = std::max(load.median(), question.median()) + layer;
    std::printf(
        "\n%d tokens from a store throttled to %.0f MB/s: load alone %.1f ms, question alone %.1f ms, a layer of it "
        "%.2f "
        "ms; TTFT %.1f ms = "
        "%.2f x (the longer of the two + a layer)\n",
        tokens, bytes_per_second * 1e-6, load.median() * 1e3, question.median() * 1e3, layer * 1e3, ttft.median() * 1e3,
        ttft.median() / limit);
    QVERIFY(ttft.median() < 1.5 * limit);
  }

  // The tiers of the quick-start workload are throttled; this is what that comes to beside a prefill.
  void proportionsOfTheQuickStart() {
    SessionOptions options;
    options.workload = test::source_directory() / "sample_workloads" / "quickstart";
    const SessionSettings settings = or_die(session_settings(options));
    std::vector<std::unique_ptr<StorageTier>> tiers;
    for (const TierConfig& config : settings.tiers)
      tiers.push_back(open(config.name, config.throttle.bytes_per_second, config.throttle.latency_seconds));
    QCOMPARE(tiers.size(), std::size_t{2});
    std::printf("\nquick-start tiers, throttled: prefill : ssd : dram of the context alone\n");
    for (const int tokens : {1024, 1536, 2048}) {
      const std::vector<std::int32_t> ids = context(tokens);
      const auto first = ask(ids, {});
      const Stored stored = store(first->share_context(), ids, {tiers[0].get(), tiers[1].get()});
      Samples dram, ssd, prefill;
      for (int round = 0; round < rounds; ++round) {
        dram.add(load_seconds(*tiers[0], stored));
        ssd.add(load_seconds(*tiers[1], stored));
        prefill.add(ask(ids, {})->record().timing.context_prefill_seconds);
      }
      check({&dram, &ssd, &prefill});
      std::printf("  %d tokens: %.1f ms : %.1f ms : %.1f ms = %.1f : %.1f : 1\n", tokens, prefill.median() * 1e3,
                  ssd.median() * 1e3, dram.median() * 1e3, prefill.median() / dram.median(),
                  ssd.median() / dram.median());
    }
  }
};

KV_TEST_PROGRAM(argc, argv) {
  restart_with_short_spins(argv);
  std::vector<char*> arguments;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
      rounds = std::max(1, std::atoi(argv[++i]));
    else
      arguments.push_back(argv[i]);
  }
  TtftBench bench;
  return QTest::qExec(&bench, static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace ttft_bench_test

#include "ttft_bench_test.moc"
