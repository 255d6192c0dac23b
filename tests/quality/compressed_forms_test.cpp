// links: core_quality
// Forms of a context made step by step are those that a reader of their entries would see. Without a model, as long as
// everything that a method needs was observed.
#include "core/quality/compressed_forms.h"

#include <QtTest>

#include "core/runtime/teacher_forcing.h"
#include "tests/compress/random_context.h"
#include "tests/kv/plain_cache.h"
#include "tests/support/must.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace compressed_forms_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr int context_tokens = 300;

/// An original of random rows, and the forms of it.
struct Forms {
  Forms() {
    for (std::int32_t token = 0; token < context_tokens; ++token) tokens.push_back(token);
  }
  CompressedForms make() { return {no_model, context.cache, tokens, context.observed, {}}; }
  /// The form as an entry of it would be read, and the bytes of that entry.
  std::pair<KvCache, std::uint64_t> stored(const std::string& text, double removed_fraction) {
    const auto method = method_of(text);
    const auto scores = method->scores(context.cache, context.observed).value();
    KvCache kept = compressed_copy(context.cache, scores, *method, removed_fraction).value();
    EntryHeader header;
    header.identity = {{1, 2}, {3, 4}, KvType::bf16, 256, 1};
    header.compression.method = text;
    header.compression.removed_fraction = removed_fraction;
    header.token_ids = tokens;
    if (method->codec() != nullptr) header.compression.codec = method->codec()->text();
    const std::uint64_t bytes = serialize(kept, header, nullptr).value().size();
    return {as_read(std::move(kept), *method, context.observed.frequencies).value(), bytes};
  }
  void hold_all_blocks() {
    for (BlockPool& pool = context.pool; pool.free_blocks() > 0;) held.push_back(pool.allocate().value());
  }
  void give_blocks_back() {
    for (const BlockId block : std::exchange(held, {})) context.pool.release(block);
  }

  RandomContext context{{3, 2, 32, KvType::bf16}, context_tokens, 64};
  std::vector<std::int32_t> tokens;
  std::vector<BlockId> held;
  ModelRuntime no_model;
};

int steps_to_end(CompressedForms& forms) {
  int steps = 0;
  for (; !forms.done(); ++steps) must(forms.step());
  return steps;
}

void begin(CompressedForms& forms, const std::string& method, double removed_fraction) {
  must(forms.begin(method, removed_fraction, {}));
}

bool same(const KvCache& a, const KvCache& b) {
  return contents(a) == contents(b) && a.sequence_length() == b.sequence_length();
}

class CompressedFormsTest : public QObject {
  Q_OBJECT

 private slots:
  void aFormIsWhatAReaderOfItsEntrySees_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<double>("removed_fraction");
    for (const char* method : {"knorm", "adakv(snapkv)", "knorm+kivi4", "rerotate(knorm)", "rerotate(keydiff)+fp8"})
      for (const double removed_fraction : {0.25, 0.9})
        QTest::addRow("%s, %g", method, removed_fraction) << method << removed_fraction;
    QTest::newRow("quantized alone") << "kivi4" << 0.0;
    QTest::newRow("none") << "none" << 0.0;
  }
  void aFormIsWhatAReaderOfItsEntrySees() {
    QFETCH(QString, method);
    QFETCH(double, removed_fraction);
    Forms of;
    const auto before = contents(of.context.cache);
    CompressedForms forms = of.make();
    begin(forms, method.toStdString(), removed_fraction);
    steps_to_end(forms);
    const auto [wanted, bytes] = of.stored(method.toStdString(), removed_fraction);
    QVERIFY(same(forms.form(), wanted));
    QCOMPARE(forms.bytes(), bytes);
    QCOMPARE(forms.kept_tokens(), wanted.kept_mean());
    QVERIFY(contents(of.context.cache) == before);
    QVERIFY(&forms.original() == &of.context.cache);
  }

  void aStepIsALayer() {
    Forms of;
    CompressedForms forms = of.make();
    begin(forms, "none", 0);
    QVERIFY(forms.done());
    begin(forms, "knorm", 0.5);
    QVERIFY(!forms.done());
    QCOMPARE(steps_to_end(forms), 3 + 3 + 1);  // scores, removes, counts bytes
    begin(forms, "knorm", 0.8);
    QCOMPARE(steps_to_end(forms), 3 + 1);
    begin(forms, "knorm+kivi4", 0.8);
    QCOMPARE(steps_to_end(forms), 3 + 3 + 3);
  }

  void aMethodScoresAndSortsOnce() {
    Forms of;
    CompressedForms forms = of.make();
    for (const double removed_fraction : {0.25, 0.5, 0.9}) {
      begin(forms, "knorm", removed_fraction);
      steps_to_end(forms);
      QVERIFY(same(forms.form(), of.stored("knorm", removed_fraction).first));
    }
    QCOMPARE(forms.scorings(), 1);
    QCOMPARE(forms.sorts(), 3 * 2);
    begin(forms, "none", 0);
    begin(forms, "keydiff", 0.5);
    steps_to_end(forms);
    QCOMPARE(forms.scorings(), 2);
    QCOMPARE(forms.sorts(), 2 * 3 * 2);
  }

  // Whatever was given up, at whichever step: the next form is made of its own method's scores.
  void aFormThatIsGivenUpLeavesNothingBehind() {
    Forms of;
    for (int steps = 0; steps < 7; ++steps) {
      CompressedForms forms = of.make();
      begin(forms, "knorm", 0.5);
      steps_to_end(forms);
      begin(forms, "keydiff", 0.5);
      for (int step = 0; step < steps; ++step) must(forms.step());
      forms.clear();
      begin(forms, "knorm", 0.75);
      steps_to_end(forms);
      QVERIFY2(same(forms.form(), of.stored("knorm", 0.75).first), qPrintable(QString("after %1 steps").arg(steps)));
    }
  }

  void aStepWithoutRoomMayBeTriedAgain_data() {
    QTest::addColumn<QString>("method");
    QTest::newRow("removed") << "knorm";
    QTest::newRow("quantized") << "knorm+kivi4";
    QTest::newRow("re-rotated") << "rerotate(knorm)";
  }
  void aStepWithoutRoomMayBeTriedAgain() {
    QFETCH(QString, method);
    Forms of;
    CompressedForms forms = of.make();
    begin(forms, method.toStdString(), 0.5);
    int refused = 0;
    while (!forms.done()) {
      of.hold_all_blocks();
      const Status status = forms.step();
      of.give_blocks_back();
      if (status) continue;
      QCOMPARE(status.error().code, ErrorCode::no_space);
      ++refused;
      must(forms.step());
    }
    QVERIFY(refused > 0);
    const auto [wanted, bytes] = of.stored(method.toStdString(), 0.5);
    QVERIFY(same(forms.form(), wanted));
    QCOMPARE(forms.bytes(), bytes);
  }

  void aClearedFormHoldsNoMemory() {
    Forms of;
    const std::size_t original = of.context.pool.live_blocks();
    CompressedForms forms = of.make();
    begin(forms, "knorm", 0.5);
    steps_to_end(forms);
    QVERIFY(of.context.pool.live_blocks() > original);
    forms.clear();
    QCOMPARE(of.context.pool.live_blocks(), original);
  }

  void anUnknownMethodIsRefused() {
    Forms of;
    CompressedForms forms = of.make();
    const Status status = forms.begin("no such method", 0.5, {});
    QVERIFY(!status && status.error().code == ErrorCode::usage);
  }

  // What was not kept with the original costs a run of the model.
  void whatIsMissingIsObservedUnlessStopped() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
    const auto runtime = ModelRuntime::load(model_directory()).value();
    const auto tokens = runtime->prompt->encode_context(small_workload(1, 8, 3).contexts[0].text);
    KvCache original(*runtime->pool);
    PrefillTask prefill(
        *runtime->model, original, tokens, 0,
        {.chunk_tokens = 256, .window_queries = runtime->window_queries, .logits = PrefillLogits::none});
    must(prefill.run());
    const Observation kept = observation_of(*runtime, prefill.take_window_queries());
    const auto method = method_of("snapkv");
    CompressedForms forms(*runtime, original, tokens, observation_of(*runtime, {}), method->info().needs);
    const Status stopped = forms.begin("snapkv", 0.5, [] { return true; });
    QVERIFY(!stopped && stopped.error().code == ErrorCode::cancelled);
    must(forms.begin("snapkv", 0.5, [] { return false; }));
    steps_to_end(forms);
    const auto scores = method->scores(original, kept).value();
    QVERIFY(same(forms.form(), compressed_copy(original, scores, *method, 0.5).value()));

    const Status without = forms.begin_without_context([] { return true; });
    QVERIFY(!without && without.error().code == ErrorCode::cancelled);
    must(forms.begin_without_context({}));
    QVERIFY(forms.done());
    QVERIFY(same(forms.form(), cache_without_context(*runtime).value()));
    QVERIFY(forms.form().sequence_length() < original.sequence_length());
  }
};

KV_TEST_GUILESS_MAIN(CompressedFormsTest)

}  // namespace compressed_forms_test

#include "compressed_forms_test.moc"
