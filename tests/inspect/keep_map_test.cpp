// links: app_wiring
// What the keep map shows is what entries hold and what requests would answer from them; the newest request wins, and a
// run is the same whether or not somebody looks. Sessions in virtual time.
#include "core/inspect/keep_map.h"

#include <QTemporaryDir>
#include <QtTest>

#include "core/model/generate.h"
#include "core/runtime/windowed_rows.h"
#include "core/text/quality.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"
#include "tests/support/windowed_model.h"

namespace keep_map_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// One context of a small workload, prefilled.
struct Prepared {
  std::unique_ptr<ModelRuntime> runtime;
  std::unique_ptr<Catalog> catalog;
  std::unique_ptr<KvCache> cache;
  WindowQueries queries;

  explicit Prepared(const Workload& workload, const std::filesystem::path& model = model_directory(),
                    int chunk_tokens = 256)
      : runtime(ModelRuntime::load(model, {.prefill_chunk_tokens = chunk_tokens, .name = {}, .load = {}}).value()) {
    catalog = Catalog::build(workload, *runtime).value();
    cache = std::make_unique<KvCache>(*runtime->pool);
    PrefillTask prefill(
        *runtime->model, *cache, catalog->details(0).tokens, 0,
        {.chunk_tokens = chunk_tokens, .window_queries = runtime->window_queries, .logits = PrefillLogits::none});
    if (!prefill.run()) qFatal("prefill failed");
    queries = prefill.take_window_queries();
  }
  KeepMapTask task() {
    return {*runtime, catalog->state(0),        catalog->details(0), cache->share(), observation_of(*runtime, queries),
            12,       system_executor().clock()};
  }
  std::string id() const { return catalog->state(0).id; }
  /// The greedy answer over `over`, token after token.
  std::string answer(const KvCache& over, std::size_t question) const {
    KvCache working = over.share();
    const CatalogQuestion& asked = catalog->details(0).questions[question];
    GenerateOptions options;
    options.max_tokens = asked.max_answer_tokens > 0 ? asked.max_answer_tokens : 12;
    options.stop_tokens = runtime->stop_ids();
    options.chunk_tokens = runtime->chunk_tokens();
    return runtime->tokenizer->decode(generate(*runtime->model, working, asked.tokens, options).value().tokens);
  }
};

KeepMapResult finished(KeepMapTask& task, const KeepMapRequest& request) {
  if (const Status asked = task.ask(request); !asked) qFatal("%s", asked.error().message.c_str());
  while (!task.done())
    if (const Status status = task.step(); !status) qFatal("%s", status.error().message.c_str());
  return task.result();
}

/// Waits for the last result of `ticket`; null when it does not come.
std::shared_ptr<const KeepMapResult> complete(EngineHarness& harness, std::uint64_t ticket) {
  std::shared_ptr<const KeepMapResult> result;
  const bool there = pass_until(harness, [&] {
    result = harness.engine().keep_map();
    return result != nullptr && result->ticket == ticket && result->complete;
  });
  return there ? result : nullptr;
}

}  // namespace

class KeepMapTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  void tokensJoinedAreTheContext() {
    const Workload workload = small_workload(1, 30, 3);
    Prepared prepared(workload);
    KeepMapTask task = prepared.task();
    const KeepMapResult map = finished(task, {prepared.id(), {"knorm"}, 0.5, std::nullopt});
    QCOMPARE(map.context->tokens.size(), prepared.catalog->details(0).tokens.size());
    std::string joined;
    for (const std::string& token : map.context->tokens) joined += token;
    QVERIFY(joined.find(workload.contexts[0].text) != std::string::npos);
    QCOMPARE(map.context->questions.size(), prepared.catalog->details(0).questions.size());
    QVERIFY(map.complete && !map.uncompressed && !map.forms[0].answer);
  }

  void keptIsWhatTheMethodKeeps_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("fraction");
    for (const QString method : {"knorm", "keydiff", "snapkv", "streaming_llm", "adakv(snapkv)", "knorm+kivi4"})
      for (const double fraction : {0.0, 0.35, 0.9})
        QTest::newRow(qPrintable(QStringLiteral("%1 at %2").arg(method).arg(fraction))) << method << fraction;
  }
  void keptIsWhatTheMethodKeeps() {
    QFETCH(QString, text);
    QFETCH(double, fraction);
    Prepared prepared(small_workload(1, 30, 3));
    KeepMapTask task = prepared.task();
    const KeepMapResult map = finished(task, {prepared.id(), {text.toStdString()}, fraction, std::nullopt});
    const auto method = parse_method(text.toStdString()).value();
    const auto scores = method->scores(*prepared.cache, observation_of(*prepared.runtime, prepared.queries)).value();
    const auto kept = method->keep_for(scores, fraction);
    const KeepMapForm& form = map.forms.at(0);
    const KeepMapContext& context = *map.context;
    QCOMPARE(form.method, method->text());
    QCOMPARE(context.layers, static_cast<int>(kept.size()));
    std::size_t all = 0;
    for (int l = 0; l < context.layers; ++l)
      for (int h = 0; h < context.kv_heads; ++h) {
        const auto& head = kept[static_cast<std::size_t>(l)][static_cast<std::size_t>(h)];
        std::vector<std::int32_t> shown;
        for (std::size_t t = 0; t < context.tokens.size(); ++t) {
          if (form.keeps(context, l, h, t)) shown.push_back(static_cast<std::int32_t>(t));
          QCOMPARE(form.score(context, l, h, t),
                   scores.layers[static_cast<std::size_t>(l)][static_cast<std::size_t>(h)].scores[t]);
        }
        QVERIFY(shown == head);
        all += head.size();
      }
    const KvCache stored = compressed_copy(*prepared.cache, scores, *method, fraction).value();
    QCOMPARE(all, stored.kept_rows());
    const auto plain = parse_codec("bf16").value();
    QCOMPARE(
        form.bytes,
        entry_bytes(stored, method->text().size(), method->codec() != nullptr ? *method->codec() : *plain).value());
  }

  // Of rows past a window the original has none. They count as kept where nothing is removed, as in profiles.
  void windowsKeepTheirNewestTokens() {
    if (const QString lack = lacks_windowed_model(); !lack.isEmpty()) QSKIP(qPrintable(lack));
    const QTemporaryDir folder;
    Prepared prepared(small_workload(1, 40, 3),
                      windowed_model(std::filesystem::path(folder.path().toStdString()) / "model"), 32);
    const std::size_t all = prepared.cache->kept_rows();
    QVERIFY(evict_unseen_rows(*prepared.runtime, *prepared.cache).has_value());
    QVERIFY(prepared.cache->kept_rows() < all);
    KeepMapTask task = prepared.task();
    for (const double fraction : {0.0, 0.5}) {
      const KeepMapResult map = finished(task, {prepared.id(), {"knorm"}, fraction, std::nullopt});
      const KeepMapForm& form = map.forms.at(0);
      const std::size_t tokens = map.context->tokens.size();
      std::size_t kept = 0;
      for (int l = 0; l < map.context->layers; ++l)
        for (int h = 0; h < map.context->kv_heads; ++h)
          for (std::size_t t = 0; t < tokens; ++t) {
            const auto window = static_cast<std::size_t>(prepared.runtime->model->config().window(l));
            const bool keeps = form.keeps(*map.context, l, h, t);
            if (fraction > 0 && window > 0) QCOMPARE(keeps, t + window >= tokens);
            kept += keeps ? 1 : 0;
          }
      QCOMPARE(kept == all, fraction == 0);
    }
  }

  // The model is asked over what a reader of the entry would have, quantized rows included.
  void answersAreThoseOfAReaderOfTheEntry() {
    Prepared prepared(small_workload(1, 40, 3));
    KeepMapTask task = prepared.task();
    bool differs = false;
    for (const double fraction : {0.3, 0.9})
      for (const std::size_t question : {std::size_t{0}, std::size_t{2}}) {
        const std::vector<std::string> methods{"keydiff", "knorm+kivi4"};
        const KeepMapResult map = finished(task, {prepared.id(), methods, fraction, question});
        QVERIFY(map.complete && map.uncompressed && map.forms.size() == 2);
        QCOMPARE(map.uncompressed->text, prepared.answer(*prepared.cache, question));
        const auto golds = prepared.catalog->details(0).questions[question].golds();
        QCOMPARE(map.uncompressed->token_f1.value(),
                 best_score(*find_quality_metric("token_f1"), map.uncompressed->text, golds));
        for (std::size_t m = 0; m < methods.size(); ++m) {
          const auto method = parse_method(methods[m]).value();
          const Observation observed = observation_of(*prepared.runtime, prepared.queries);
          const auto scores = method->scores(*prepared.cache, observed).value();
          const KvCache read = as_read(compressed_copy(*prepared.cache, scores, *method, fraction).value(), *method,
                                       observed.frequencies)
                                   .value();
          QCOMPARE(map.forms[m].answer->text, prepared.answer(read, question));
          QCOMPARE(map.forms[m].answer->token_f1.value(),
                   best_score(*find_quality_metric("token_f1"), map.forms[m].answer->text, golds));
          differs |= map.forms[m].answer->text != map.uncompressed->text;
        }
      }
    QVERIFY(differs);  // there is something to be seen
  }

  void fractionsFollowFromOneScoring() {
    Prepared prepared(small_workload(1, 30, 3));
    KeepMapTask task = prepared.task();
    std::size_t before = SIZE_MAX;
    for (int step = 0; step < 20; ++step) {
      const KeepMapResult map = finished(task, {prepared.id(), {"snapkv", "knorm"}, step * 0.05, std::nullopt});
      const auto kept = static_cast<std::size_t>(std::ranges::count(map.forms[0].kept, true));
      QVERIFY(kept < before);
      before = kept;
    }
    QCOMPARE(task.scorings(), 2);
  }

  void requestsThatMakeNoSenseAreRefused_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<double>("fraction");
    QTest::addColumn<int>("question");
    QTest::addColumn<QString>("says");
    QTest::newRow("method") << "knrom" << 0.5 << -1 << "knorm";
    QTest::newRow("fraction") << "knorm" << 1.0 << -1 << "not in [0, 1)";
    QTest::newRow("question") << "knorm" << 0.5 << 999 << "questions";
  }
  void requestsThatMakeNoSenseAreRefused() {
    QFETCH(QString, method);
    QFETCH(double, fraction);
    QFETCH(int, question);
    QFETCH(QString, says);
    Prepared prepared(small_workload(1, 20, 3));
    KeepMapTask task = prepared.task();
    const Status refused =
        task.ask({prepared.id(),
                  {method.toStdString()},
                  fraction,
                  question < 0 ? std::nullopt : std::optional<std::size_t>(static_cast<std::size_t>(question))});
    QVERIFY(!refused);
    QVERIFY2(QString::fromStdString(refused.error().message).contains(says), refused.error().message.c_str());
    QVERIFY(task.done());
  }

  void theNewestRequestWins() {
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(3, 30, 4), {"dram=4MiB"}, "lru");
    QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
    Engine& engine = (*harness)->engine();
    QVERIFY(engine.keep_map() == nullptr);
    const auto& contexts = engine.snapshot()->contexts;
    std::uint64_t last = 0;
    for (int i = 0; i < 40; ++i)
      last = engine.request_keep_map({contexts[static_cast<std::size_t>(i) % 3].id, {"keydiff"}, 0.01 * i, 0});
    QCOMPARE(last, std::uint64_t{40});
    const auto result = complete(**harness, last);
    QVERIFY(result != nullptr);
    QVERIFY2(result->error.empty(), result->error.c_str());
    QCOMPARE(result->context->id, contexts[39 % 3].id);
    QCOMPARE(result->forms.at(0).removed_fraction, 0.01 * 39);
    QVERIFY(result->uncompressed && result->forms[0].answer && result->seconds > 0);
    QVERIFY(engine.keep_map_work().empty());

    const auto lost = complete(**harness, engine.request_keep_map({"nowhere", {"keydiff"}, 0.5, std::nullopt}));
    QVERIFY(lost != nullptr && lost->error.find("nowhere") != std::string::npos);
    // The same again, over a context that was left meanwhile.
    engine.drop_keep_map();
    const auto again = complete(**harness, engine.request_keep_map(result->request));
    QVERIFY(again != nullptr && again->error.empty());
    QVERIFY(again->forms[0].kept == result->forms[0].kept && *again->forms[0].scores == *result->forms[0].scores);
    QCOMPARE(again->forms[0].answer->text, result->forms[0].answer->text);
  }

  // A frozen run decides alike every time; with somebody looking all the while, too.
  void aRunIsTheSameWhileSomebodyLooks() {
    const Workload workload = small_workload(4, 40, 3);
    const auto serve = [&](bool looking) {
      QTemporaryDir folder;
      auto harness = open_virtual(folder.path().toStdString(), workload, {"dram=2MiB", "ssd=64MiB"}, "lru", true,
                                  {.frozen = true}, ModelKind::timed);
      if (!harness) qFatal("%s", harness.error().message.c_str());
      Engine& engine = (*harness)->engine();
      bool over = false;
      int completed = 0;
      auto looker = time_of(**harness).start("looker", ThreadPriority::transfers, [&] {
        const auto snapshot = engine.snapshot();
        for (std::size_t i = 0; looking && !over; ++i) {
          const std::uint64_t ticket = engine.request_keep_map(
              {snapshot->contexts[i % 4].id, {"snapkv", "keydiff"}, 0.1 * static_cast<double>(i % 9), i % 2});
          for (int waited = 0; waited < 500 && !over; ++waited) {
            const auto result = engine.keep_map();
            if (result != nullptr && result->ticket == ticket && result->complete) {
              if (!result->error.empty()) qFatal("%s", result->error.c_str());
              ++completed;
              break;
            }
            pass(**harness, 2e-3);
          }
        }
      });
      auto records = (*harness)->serve("lru", 24);
      over = true;
      looker.reset();
      if (!records) qFatal("%s", records.error().message.c_str());
      if (looking) {
        qInfo("%d keep maps were completed meanwhile", completed);
        if (completed < 2) qFatal("nobody looked");
      }
      return *records;
    };
    const auto alone = serve(false), watched = serve(true);
    QCOMPARE(watched.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      QCOMPARE(watched[i].question, alone[i].question);
      QCOMPARE(watched[i].answer, alone[i].answer);
      QCOMPARE(watched[i].source, alone[i].source);
      QCOMPARE(watched[i].method, alone[i].method);
      QCOMPARE(watched[i].bytes_loaded, alone[i].bytes_loaded);
    }
  }
};

KV_TEST_GUILESS_MAIN(KeepMapTest)

}  // namespace keep_map_test

#include "keep_map_test.moc"
