// links: core_quality core_store tiers
// Contexts on a model with sliding windows, from the prefill to the entry and back: stored without the rows that no
// later token sees, answered as if all were there, whether this version stored them or an earlier one, which kept all.
#include <QTemporaryDir>
#include <QtTest>

#include "core/model/unseen_rows.h"
#include "core/quality/compressed_forms.h"
#include "core/request/context_prefill_stage.h"
#include "core/request/load_stage.h"
#include "core/runtime/windowed_rows.h"
#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"
#include "tests/support/windowed_model.h"

namespace windowed_contexts_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// As StageParts, on the model with windows.
struct WindowedParts : StageParts {
  WindowedParts(const std::filesystem::path& model, const Workload& workload) : StageParts(workload) {
    store.reset();
    runtime = ModelRuntime::load(model, {.prefill_chunk_tokens = 32, .name = {}, .load = {}}).value();
    catalog = Catalog::build(workload, *runtime).value();
    catalog->snapshot().tiers.push_back({.name = "dram", .budget_bytes = tier_bytes, .model = {}, .throttled = false});
    std::vector<std::unique_ptr<StorageTier>> tiers;
    auto first = tier_in_memory("dram", tier_bytes), originals = tier_in_memory("archive");
    dram = first.get();
    archive = originals.get();
    tiers.push_back(std::move(first));
    store =
        std::make_unique<CacheStore>(*runtime, *catalog, lender, events, clock, std::move(tiers), std::move(originals));
  }
  KvCache original(std::size_t context = 0) {
    KvCache cache = computed(context);
    must(evict_unseen_rows(*runtime, cache));
    return cache;
  }
  /// As an earlier version stored it: all rows.
  void store_whole(SwitchableTier& tier) {
    Prefilled made = prefilled(*this, 0);
    const auto entry =
        EntryMaker(*runtime, *catalog).serialize(0, made.cache, &made.queries, {.tier = 0, .method = "none"}).value();
    must(store->write_and_wait(tier, entry));
    store->recover();
  }
  CacheHit hit(std::size_t context = 0) { return store->find(tokens(context)).value(); }
};

std::vector<std::int32_t> answer_of(RequestTask& task) {
  const auto tokens = task.decode().answer_tokens();
  return {tokens.begin(), tokens.end()};
}

}  // namespace

class WindowedContextsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::filesystem::path model_;

 private slots:
  void initTestCase() {
    if (const QString lack = lacks_windowed_model(); !lack.isEmpty()) QSKIP(qPrintable(lack));
    model_ = windowed_model(std::filesystem::path(folder_.path().toStdString()) / "model");
  }

  void aPrefillGivesTheOriginal() {
    WindowedParts parts(model_, small_workload(1, 40, 3));
    RequestState state = parts.state();
    ContextPrefillStage stage(state, 0, true);
    while (!stage.done()) must(stage.compute());
    QVERIFY(stage.gives_original());
    QVERIFY(state.unseen_rows > 0);
    QVERIFY(digest_of(state.cache) == digest_of(parts.original()));
    QVERIFY(digest_of(state.cache) != digest_of(parts.computed()));
  }

  // Where nothing is made from the cache, it is without all that the question does not see.
  void aPrefillForOneRequestGivesNoOriginal() {
    WindowedParts parts(model_, small_workload(1, 40, 3));
    RequestState state = parts.state();
    state.input.keeps_original = false;
    ContextPrefillStage stage(state, 0, true);
    while (!stage.done()) must(stage.compute());
    QVERIFY(!stage.gives_original());
    QVERIFY(state.cache.kept_rows() < parts.original().kept_rows());
  }

  void entriesAnswerAsTheWholeContext_data() {
    QTest::addColumn<bool>("by_an_earlier_version");
    QTest::newRow("of this version") << false;
    QTest::newRow("of an earlier one") << true;
  }
  void entriesAnswerAsTheWholeContext() {
    QFETCH(bool, by_an_earlier_version);
    WindowedParts parts(model_, small_workload(1, 40, 3));
    const auto computed = served(parts, 0, 0);
    if (by_an_earlier_version)
      parts.store_whole(*parts.dram);
    else
      store_context(parts, 0, {.tier = 0});
    const ContextState& state = parts.catalog->state(0);
    QVERIFY(state.placement.stored());
    QCOMPARE(state.stored_bytes > state.full_bytes, by_an_earlier_version);
    QCOMPARE(state.stored_bytes == state.full_bytes, !by_an_earlier_version);
    const auto loaded = served(parts, 0, 0, parts.hit());
    QVERIFY(!loaded->failed_read());
    QCOMPARE(loaded->record().source, std::string("dram"));
    QVERIFY(answer_of(*loaded) == answer_of(*computed));
    for (const RequestTask* one : {computed.get(), loaded.get()})
      QCOMPARE(one->record().kept_tokens, static_cast<int>(parts.tokens().size()));
    QVERIFY(loaded->evicted_unseen_rows());
  }

  void anArchivedOriginalOfAnEarlierVersionIsUsed() {
    WindowedParts parts(model_, small_workload(1, 40, 3));
    parts.store_whole(*parts.archive);
    QVERIFY(parts.catalog->residency(0).archived);
    const auto original = parts.store->originals().get(0);
    QVERIFY(original.has_value());
    QVERIFY(digest_of((*original)->cache) == digest_of(parts.original()));
  }

  // A longer context begins with a stored one.
  void aPrefixIsContinued() {
    const Workload workload = growing_session(40, 3);
    WindowedParts parts(model_, workload);
    const std::size_t shorter = *parts.catalog->index_of_id("c0"), longer = *parts.catalog->index_of_id("longer");
    store_context(parts, shorter, {.tier = 0});
    const CacheHit hit = parts.hit(longer);
    QCOMPARE(hit.context, shorter);
    const auto behind = served(parts, longer, 0, hit), alone = served(parts, longer, 0);
    QVERIFY(behind->record().prefix_hit_tokens > 0);
    QVERIFY(answer_of(*behind) == answer_of(*alone));
    QVERIFY(behind->computed_original() && alone->computed_original());
    QVERIFY(digest_of(behind->share_context()) == digest_of(parts.original(longer)));
    QVERIFY(digest_of(alone->share_context()) == digest_of(parts.original(longer)));
  }

  // An entry that lacks rows that its continuation sees, as one of other settings might, is not continued.
  void aPrefixWithoutItsRowsIsComputedAgain() {
    WindowedParts parts(model_, growing_session(40, 3));
    const std::size_t shorter = *parts.catalog->index_of_id("c0"), longer = *parts.catalog->index_of_id("longer");
    Prefilled made = prefilled(parts, shorter);
    for (int layer = 0; layer < parts.layers(); ++layer)
      QVERIFY(kvantage::evict_unseen_rows(*parts.runtime->model, made.cache, layer, made.cache.sequence_length()));
    const auto entry = EntryMaker(*parts.runtime, *parts.catalog)
                           .serialize(shorter, made.cache, nullptr, {.tier = 0, .method = "none"})
                           .value();
    must(parts.store->write_and_wait(*parts.dram, entry));
    parts.store->recover();
    RequestState state = parts.state(longer);
    const CacheHit hit = parts.hit(longer);
    LoadStage stage(state, hit, hit.load(parts.lender));
    while (stage.next() == HitStage::Next::this_stage) must(stage.poll(0.001, 1));
    QVERIFY(stage.next() == HitStage::Next::rest_of_context);
    const KvCache& cache = state.cache;
    QCOMPARE(cache.kept_rows() == 0, stage.rest_from() == 0);
    QVERIFY(has_seen_rows(*parts.runtime->model, cache, static_cast<std::int32_t>(stage.rest_from())));
  }

  void formsAreStoredAndServed_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<double>("removed");
    for (const char* method : {"knorm", "snapkv", "adakv(snapkv)", "pyramid(snapkv)", "knorm+kivi4", "keydiff+zstd"})
      QTest::newRow(method) << QString(method) << 0.5;
    for (const char* method : {"kivi4", "zstd", "token_chunks(length=16)"}) QTest::newRow(method) << method << 0.0;
  }
  void formsAreStoredAndServed() {
    QFETCH(QString, method);
    QFETCH(double, removed);
    WindowedParts parts(model_, small_workload(1, 40, 3));
    const Configuration to{.tier = 0, .method = method.toStdString(), .removed_fraction = removed};
    store_context(parts, 0, to);
    const CacheHit hit = parts.hit();
    // As it is profiled.
    Prefilled made = prefilled(parts, 0);
    must(evict_unseen_rows(*parts.runtime, made.cache));
    const auto needs = parse_method(to.method).value()->info().needs;
    CompressedForms forms(*parts.runtime, made.cache, parts.tokens(),
                          observation_of(*parts.runtime, std::move(made.queries)), needs);
    must(forms.begin(to.method, removed, {}));
    while (!forms.done()) must(forms.step());
    QCOMPARE(forms.bytes(), hit.info.bytes);
    QVERIFY(hit.info.bytes < parts.catalog->state(0).full_bytes || removed == 0);
    if (removed == 0) QCOMPARE(forms.kept_tokens(), static_cast<int>(parts.tokens().size()));
    KvCache read(*parts.runtime->pool);
    const auto load = hit.load(parts.lender);
    QVERIFY(load_whole(*load, read, false).has_value());
    QVERIFY(digest_of(read) == digest_of(forms.form()));
    const auto loaded = served(parts, 0, 0, hit);
    QVERIFY(!loaded->failed_read());
    QCOMPARE(loaded->record().source, std::string("dram"));
    QCOMPARE(loaded->record().kept_tokens, forms.kept_tokens());
    if (parse_method(to.method).value()->info().lossless && removed == 0)
      QVERIFY(answer_of(*loaded) == answer_of(*served(parts, 0, 0)));
  }
};

KV_TEST_GUILESS_MAIN(WindowedContextsTest)

}  // namespace windowed_contexts_test

#include "windowed_contexts_test.moc"
