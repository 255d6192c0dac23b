// links: kv_experiments
// All prefills of a model use the same buffers. Stepped in turns, with a layer's queries asked for in between, each
// gets what it gets alone, bit for bit.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <vector>

#include "tests/model/golden_model.h"
#include "tests/model/prefill_outcome.h"
#include "tests/support/test_program.h"

namespace prefill_turns_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

PrefillOptions options_of(int chunk_tokens) {
  return {.chunk_tokens = chunk_tokens, .window_queries = 1000, .logits = PrefillLogits::last, .layers_first = true};
}

}  // namespace

class PrefillTurnsTest : public QObject {
  Q_OBJECT

 private slots:
  void eachGetsWhatItGetsAlone_data() {
    QTest::addColumn<bool>("batch_invariant");
    for (const bool batch_invariant : {false, true})
      QTest::newRow(batch_invariant ? "batch-invariant" : "library") << batch_invariant;
  }
  void eachGetsWhatItGetsAlone() {
    QFETCH(bool, batch_invariant);
    const QTemporaryDir folder;
    LoadOptions loaded;
    loaded.batch_invariant = batch_invariant;
    const auto model = load_golden(GoldenCase("qwen2"), folder, true, loaded);
    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
    Random random(67);
    std::vector<std::vector<std::int32_t>> texts;
    std::vector<KvCache> caches;
    std::vector<PrefillTask> tasks;
    const std::vector<int> chunks{5, 64, 16, 7};
    for (const std::size_t tokens : {11, 40, 33, 1}) {
      texts.push_back(random_tokens(random, tokens, model->config().vocab_size));
      caches.emplace_back(pool);
    }
    for (std::size_t i = 0; i < texts.size(); ++i)
      tasks.emplace_back(*model, caches[i], texts[i], 0, options_of(chunks[i]));
    std::vector<std::vector<std::vector<float>>> queries(texts.size());  // [prefills][layers]
    for (bool any_left = true; any_left;) {
      any_left = false;
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (tasks[i].done()) continue;
        any_left = true;
        if (tasks[i].next_chunk() == 0) queries[i].push_back(tasks[i].next_queries().value());
        must(tasks[i].step());
      }
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      KvCache cache(pool);
      PrefillTask alone(*model, cache, texts[i], 0, options_of(chunks[i]));
      must(alone.run());
      const PrefillOutcome got = outcome_of(tasks[i], caches[i]), wanted = outcome_of(alone, cache);
      QVERIFY(got.rows == wanted.rows);
      QVERIFY(same_numbers(got.logits, wanted.logits));
      QVERIFY(std::ranges::equal(got.queries, wanted.queries, same_numbers));
      QVERIFY(std::ranges::equal(queries[i], wanted.queries, same_numbers));
      QCOMPARE(wanted.queries.size(), static_cast<std::size_t>(model->config().layers));
    }
  }
};

KV_TEST_GUILESS_MAIN(PrefillTurnsTest)

}  // namespace prefill_turns_test

#include "prefill_turns_test.moc"
