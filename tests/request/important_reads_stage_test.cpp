// links: core_store tiers
// Hits that read only what the question finds important: with everything chosen, the uncompressed cache's answers bit
// for bit; otherwise the chosen chunks and nothing else; and whatever happens to the bytes, never a wrong answer.
#include "core/request/important_reads_stage.h"

#include <QtTest>

#include <set>

#include "core/request/important_tokens.h"
#include "core/request/question_prefill_stage.h"
#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace important_reads_stage_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

const Configuration in_chunks{.tier = 0, .method = "token_chunks(length=16)"};
constexpr int chunk_tokens = 16;

/// A context that is stored in chunks, and nothing of it in memory.
struct Stored : StageParts {
  explicit Stored(int prefill_chunk = 256) : StageParts(prefill_chunk, 20) {
    store_context(*this, 0, in_chunks);
    (void)store->originals().forget();
  }
  CacheHit hit() { return store->find(tokens()).value(); }
  RequestInput input(std::optional<ImportantTokensRule> rule, std::size_t question = 0) {
    RequestInput made = input_of(*this, 0, question);
    made.reading.important_tokens = rule;
    return made;
  }
  std::unique_ptr<RequestTask> task(std::optional<ImportantTokensRule> rule, std::optional<CacheHit> hit,
                                    std::size_t question = 0) {
    return std::make_unique<RequestTask>(*runtime, lender, serving_clock, input(rule, question), std::move(hit), 0.0,
                                         [](const std::string&) {});
  }
  std::unique_ptr<RequestTask> served(std::optional<ImportantTokensRule> rule, std::optional<CacheHit> hit,
                                      std::size_t question = 0) {
    auto made = task(rule, std::move(hit), question);
    serve_to_end(*this, *made);
    return made;
  }
  std::uint64_t read_bytes() const { return dram->statistics().read_bytes; }
  std::size_t questions() const { return catalog->details(0).questions.size(); }
};

/// What a request should read and answer from, by a prefill of the question over the whole cache, of which each layer
/// is cut to the important tokens right before the question passes it.
struct Expected {
  std::vector<std::vector<std::int32_t>> tokens;  // [layers]
  std::vector<float> logits;
  std::uint64_t probe_bytes = 0, chunk_bytes = 0;
  int chunks_read = 0;
};

Expected expected_of(Stored& parts, const ImportantTokensRule& rule, std::size_t question = 0) {
  Expected expected;
  ModelRuntime& runtime = *parts.runtime;
  const KvShape shape = runtime.model->kv_shape();
  const int probes = std::min(rule.probes, shape.kv_heads), tokens = static_cast<int>(parts.tokens().size());
  const std::size_t row = shape.bytes_per_row();
  KvCache cache = parts.computed();
  PrefillTask prefill(*runtime.model, cache, parts.catalog->details(0).questions[question].tokens, tokens,
                      {.chunk_tokens = runtime.chunk_tokens(), .logits = PrefillLogits::last, .layers_first = true});
  for (int layer = 0; layer < shape.layers; ++layer) {
    std::vector<std::vector<std::byte>> keys;
    for (int head = 0; head < probes; ++head) {
      keys.emplace_back(static_cast<std::size_t>(tokens) * row);
      cache.gather_head(layer, head, keys.back().data(), nullptr, nullptr);
    }
    const auto queries = prefill.next_queries().value();
    const auto kept = important_tokens(*runtime.pool, keys, queries, runtime.model->config().heads, rule).value();
    must(cache.keep(layer, KeptIndices(static_cast<std::size_t>(shape.kv_heads), kept)));
    while (!prefill.done() && prefill.next_layer() == layer) must(prefill.step());

    std::set<int> chunks;
    for (const std::int32_t token : kept) chunks.insert(token / chunk_tokens);
    expected.chunks_read += static_cast<int>(chunks.size());
    expected.probe_bytes += static_cast<std::uint64_t>(probes) *
                            (static_cast<std::uint64_t>(tokens) * row +
                             8 * static_cast<std::uint64_t>((tokens + chunk_tokens - 1) / chunk_tokens));
    for (const int chunk : chunks) {
      const auto rows = static_cast<std::uint64_t>(std::min(tokens, (chunk + 1) * chunk_tokens) - chunk * chunk_tokens);
      expected.chunk_bytes += static_cast<std::uint64_t>(2 * shape.kv_heads - probes) * (rows * row + 8);
    }
    expected.tokens.push_back(kept);
  }
  expected.logits.assign(prefill.logits().begin(), prefill.logits().end());
  return expected;
}

}  // namespace

class ImportantReadsStageTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void everythingChosenIsTheUncompressedCache_data() {
    QTest::addColumn<int>("prefill_chunk");
    QTest::addColumn<int>("probes");
    QTest::newRow("three probes") << 256 << 3;
    QTest::newRow("one probe") << 256 << 1;
    QTest::newRow("more probes than heads") << 256 << 100;
    QTest::newRow("a question of several chunks") << 4 << 3;
  }
  void everythingChosenIsTheUncompressedCache() {
    QFETCH(const int, prefill_chunk);
    QFETCH(const int, probes);
    Stored parts(prefill_chunk);
    for (std::size_t question = 0; question < std::min<std::size_t>(parts.questions(), 3); ++question) {
      const auto computed = parts.served({}, std::nullopt, question);
      const std::uint64_t before = parts.read_bytes();
      const auto read = parts.served(ImportantTokensRule{.kept = 1, .probes = probes}, parts.hit(), question);
      QCOMPARE(read->record().answer, computed->record().answer);
      QVERIFY(read->decode().answer_tokens() == computed->decode().answer_tokens());
      QVERIFY(test::digest_of(read->cache()) == test::digest_of(computed->cache()));
      const RequestRecord& record = read->record();
      QCOMPARE(record.source, std::string("dram"));
      QCOMPARE(record.removed_fraction, 0.0);
      QCOMPARE(record.kept_tokens, static_cast<int>(parts.tokens().size()));
      QVERIFY(record.important_reads.has_value());
      QCOMPARE(record.important_reads->chunks_read, record.important_reads->chunks);
      QCOMPARE(record.important_reads->whole_layers, parts.layers());
      QCOMPARE(parts.read_bytes() - before, record.bytes_loaded);
      QVERIFY(record.bytes_loaded < parts.hit().info.bytes);  // no header, no padding, nothing twice
    }
    QCOMPARE(parts.lender.leased_bytes(), std::size_t{0});
  }

  void onlyTheChosenChunksAreRead_data() {
    QTest::addColumn<double>("kept");
    QTest::addColumn<int>("probes");
    QTest::addColumn<int>("prefill_chunk");
    for (const double kept : {0.02, 0.1, 0.3, 0.7})
      for (const int probes : {1, 3}) QTest::addRow("%g, %d probes", kept, probes) << kept << probes << 256;
    QTest::newRow("a question of several chunks") << 0.1 << 3 << 4;
  }
  void onlyTheChosenChunksAreRead() {
    QFETCH(const double, kept);
    QFETCH(const int, probes);
    QFETCH(const int, prefill_chunk);
    Stored parts(prefill_chunk);
    const ImportantTokensRule rule{.kept = kept, .probes = probes};
    const Expected expected = expected_of(parts, rule);
    RequestState state{*parts.runtime, parts.serving_clock, parts.input(rule), 0};
    const auto stage = begin_hit_stage(state, parts.hit(), parts.lender, nullptr);
    QVERIFY(stage->takes_queries());
    while (stage->next() == HitStage::Next::this_stage) must(stage->poll(0.001, 1));
    const std::uint64_t before = parts.read_bytes();
    QuestionPrefillStage question(state, stage.get());
    while (!question.done()) {
      if (question.needs() == RequestNeed::bytes)
        must(stage->poll(0.001, question.layers_needed()));
      else
        must(question.compute());
      QVERIFY(stage->next() == HitStage::Next::question);
    }
    QVERIFY(std::ranges::equal(question.logits(), expected.logits));
    std::size_t most = 0;
    for (int layer = 0; layer < parts.layers(); ++layer) {
      const auto& tokens = expected.tokens[static_cast<std::size_t>(layer)];
      most = std::max(most, tokens.size());
      for (int head = 0; head < parts.runtime->model->kv_shape().kv_heads; ++head) {
        std::vector<std::int32_t> positions(static_cast<std::size_t>(state.cache.kept(layer, head)));
        state.cache.gather_head(layer, head, nullptr, nullptr, positions.data());
        positions.resize(positions.size() - state.input.question_tokens.size());
        QVERIFY(positions == tokens);
      }
    }
    QVERIFY(stage->reading());
    stage->fill_in(state.record);
    QVERIFY(!stage->reading() && !stage->load_sample());
    const ImportantReadsRecord& reads = state.record.important_reads.value();
    QCOMPARE(reads.chunks_read, expected.chunks_read);
    QCOMPARE(reads.probe_bytes, expected.probe_bytes);
    QCOMPARE(reads.chunk_bytes, expected.chunk_bytes);
    QCOMPARE(reads.copy_bytes, std::uint64_t{0});
    QCOMPARE(state.record.bytes_loaded, expected.probe_bytes + expected.chunk_bytes);
    QVERIFY(parts.read_bytes() - before <= state.record.bytes_loaded);  // the first probes came before
    QCOMPARE(state.record.removed_fraction, std::round((1 - kept) * 1e9) / 1e9);
    QVERIFY(state.timing().load_seconds > 0 && state.timing().decode_seconds > 0);
    if (probes == 1) {  // it agrees with itself
      QVERIFY(static_cast<double>(most) <= static_cast<double>(parts.tokens().size()) * kept + 1);
      QCOMPARE(reads.whole_layers, 0);
    }
  }

  // All of it, as the tier counts it.
  void theTierCountsTheSameBytes() {
    Stored parts;
    for (const double kept : {0.05, 0.5}) {
      const std::uint64_t before = parts.read_bytes();
      const auto task = parts.served(ImportantTokensRule{.kept = kept, .probes = 3}, parts.hit());
      const RequestRecord& record = task->record();
      QCOMPARE(parts.read_bytes() - before, record.bytes_loaded);
      QCOMPARE(record.important_reads->probe_bytes + record.important_reads->chunk_bytes, record.bytes_loaded);
      QCOMPARE(record.important_reads->kept_share, kept);
      QVERIFY(!task->computed_original());
    }
  }

  void theHeaderIsReadWhereItIsNotKnown() {
    Stored parts;
    const ImportantTokensRule rule{.kept = 0.2, .probes = 3};
    const auto known = parts.served(rule, parts.hit());
    CacheHit hit = parts.hit();
    const std::uint64_t header_bytes = hit.header->header_bytes;
    hit.header = nullptr;
    const auto unknown = parts.served(rule, hit);
    QCOMPARE(unknown->record().answer, known->record().answer);
    QCOMPARE(unknown->record().bytes_loaded, known->record().bytes_loaded + header_bytes);
    QVERIFY(unknown->hit()->header != nullptr);
  }

  void anEntryInFlightComesFromMemory() {
    StageParts parts(256, 20);
    compute_original(parts, 0, false);
    parts.dram->holds_writes = true;
    must(parts.store->commit({.context = parts.catalog->state(0).key,
                              .kind = ActionKind::store,
                              .from = {},
                              .to = in_chunks,
                              .reason = "by a test"}));
    RequestInput input = input_of(parts, 0, 0);
    input.reading.important_tokens = ImportantTokensRule{.kept = 1, .probes = 3};
    RequestTask task(*parts.runtime, parts.lender, parts.serving_clock, std::move(input),
                     parts.store->find(parts.tokens()), 0.0, [](const std::string&) {});
    serve_to_end(parts, task);
    QCOMPARE(task.record().source, std::string(write_back_source));
    QCOMPARE(task.record().answer, served(parts, 0, 0)->record().answer);
    QCOMPARE(parts.dram->statistics().reads, std::uint64_t{0});
    QVERIFY(task.record().bytes_loaded > 0);
  }

  // A flipped bit is a miss where it is read, and otherwise nothing.
  void damageIsNeverAnAnswer() {
    Stored parts;
    const ImportantTokensRule rule{.kept = 1, .probes = 3};
    const std::string answer = parts.served({}, std::nullopt)->record().answer;
    const CacheHit hit = parts.hit();
    const SwitchableTier::Written whole = parts.dram->last_write;
    const TokenChunks chunks = TokenChunks::of(*hit.header).value();
    Random random(21);
    int misses = 0;
    for (int trial = 0; trial < 24; ++trial) {
      const int layer = static_cast<int>(random.below(static_cast<std::uint64_t>(parts.layers())));
      const int head = static_cast<int>(random.below(4));
      const ExtentKind kind = trial % 2 == 0 ? ExtentKind::keys : ExtentKind::values;
      const auto [begin, end] = chunks.range(layer, kind, head, chunks.all());
      auto bytes = std::make_shared<std::vector<std::byte>>(*whole.bytes);
      (*bytes)[begin + random.below(end - begin)] ^= std::byte{1};
      parts.dram->write_by_others({whole.info, bytes});
      const auto task = parts.served(rule, hit);
      QCOMPARE(task->record().answer, answer);
      QCOMPARE(task->record().source, std::string("prefill"));
      QCOMPARE(task->record().miss_reason, std::string("corrupt"));
      QVERIFY(!task->record().important_reads && task->failed_read()->entry_is_lost());
      ++misses;
    }
    QCOMPARE(misses, 24);
    parts.dram->write_by_others(whole);
    QCOMPARE(parts.served(rule, hit)->record().source, std::string("dram"));
    QCOMPARE(parts.lender.leased_bytes(), std::size_t{0});
  }

  void damageThatIsNotReadChangesNothing() {
    Stored parts;
    const ImportantTokensRule rule{.kept = 0.02, .probes = 1};
    const Expected expected = expected_of(parts, rule);
    const CacheHit hit = parts.hit();
    const auto plain = parts.served(rule, hit);
    const SwitchableTier::Written whole = parts.dram->last_write;
    const TokenChunks chunks = TokenChunks::of(*hit.header).value();
    auto bytes = std::make_shared<std::vector<std::byte>>(*whole.bytes);
    int damaged = 0;
    for (int layer = 0; layer < parts.layers(); ++layer)
      for (int chunk = 0; chunk < chunks.count(); ++chunk) {
        const auto& tokens = expected.tokens[static_cast<std::size_t>(layer)];
        if (std::ranges::any_of(tokens, [&](std::int32_t token) { return chunks.chunk_of(token) == chunk; })) continue;
        (*bytes)[chunks.range(layer, ExtentKind::values, 2, {chunk, chunk + 1}).first] ^= std::byte{1};
        ++damaged;
      }
    QVERIFY2(damaged > parts.layers(), qPrintable(QString::number(damaged)));
    parts.dram->write_by_others({whole.info, bytes});
    const auto task = parts.served(rule, hit);
    QCOMPARE(task->record().source, std::string("dram"));
    QCOMPARE(task->record().answer, plain->record().answer);
  }

  void aReadThatFailsIsAMiss() {
    Stored parts;
    const std::string answer = parts.served({}, std::nullopt)->record().answer;
    auto task = parts.task(ImportantTokensRule{.kept = 0.5, .probes = 3}, parts.hit());
    // The chunks of the first layer are chosen.
    while (task->record().timing.question_prefill_seconds == 0) {
      if (task->needs() == RequestTask::Need::bytes)
        must(task->poll(0.001));
      else
        must(task->compute());
    }
    parts.dram->read_failure = "device";
    serve_to_end(parts, *task);
    QCOMPARE(task->record().source, std::string("prefill"));
    QCOMPARE(task->record().answer, answer);
    QVERIFY(task->failed_read().has_value());
  }

  void aRequestThatIsGivenUpInTheMiddleLeavesNothing() {
    for (const int after : {0, 1, 4, 9}) {
      Stored parts;
      auto task = parts.task(ImportantTokensRule{.kept = 0.3, .probes = 3}, parts.hit());
      for (int step = 0; step < after; ++step) {
        if (task->needs() == RequestTask::Need::bytes)
          must(task->poll(0.001));
        else
          must(task->compute());
      }
      parts.dram->holds_reads = true;
      for (int step = 0; step < 4; ++step) {
        if (task->needs() == RequestTask::Need::bytes)
          must(task->poll(0));
        else
          must(task->compute());
      }
      QVERIFY(task->reading());
      task.reset();
      QCOMPARE(parts.dram->held_reads(), std::size_t{0});
      QCOMPARE(parts.lender.leased_bytes(), std::size_t{0});
      parts.dram->holds_reads = false;
      QVERIFY(parts.dram->contains(parts.hit().info.key));  // the entry is as good as before
      QCOMPARE(parts.served(ImportantTokensRule{.kept = 1, .probes = 3}, parts.hit())->record().source,
               std::string("dram"));
    }
  }

  void aFullPoolIsNoMiss() {
    Stored parts;
    const ImportantTokensRule rule{.kept = 0.5, .probes = 3};
    const std::string answer = parts.served(rule, parts.hit())->record().answer;
    auto task = parts.task(rule, parts.hit());
    int refused = 0;
    for (int step = 0; task->needs() != RequestTask::Need::token && !task->done(); ++step) {
      const bool hold = step % 2 == 0;
      if (hold) parts.hold_all_blocks();
      const Status status = task->needs() == RequestTask::Need::bytes ? task->poll(0.001) : task->compute();
      if (hold) parts.give_blocks_back();
      if (status) continue;
      QCOMPARE(status.error().code, ErrorCode::no_space);
      ++refused;
    }
    QVERIFY2(refused > 3, qPrintable(QString::number(refused)));  // choosing, unpacking and computing need blocks
    serve_to_end(parts, *task);
    QVERIFY(!task->failed_read());
    QCOMPARE(task->record().answer, answer);
    QCOMPARE(task->record().source, std::string("dram"));
  }

  void anEntryOfOtherTokensIsAMiss() {
    Stored parts;
    RequestInput input = parts.input(ImportantTokensRule{.kept = 0.5, .probes = 3});
    std::vector<std::int32_t> others = parts.tokens();
    ++others.back();
    input.context_tokens = others;
    RequestTask task(*parts.runtime, parts.lender, parts.serving_clock, std::move(input), parts.hit(), 0.0,
                     [](const std::string&) {});
    serve_to_end(parts, task);
    QCOMPARE(task.record().source, std::string("prefill"));
    QCOMPARE(task.record().miss_reason, std::string("corrupt"));
  }

  // The whole entry, as under any other policy.
  void whereItDoesNotApplyEverythingIsLoaded() {
    Stored parts;
    const std::string answer = parts.served({}, std::nullopt)->record().answer;
    const auto whole = parts.served({}, parts.hit());
    QCOMPARE(whole->record().answer, answer);
    QVERIFY(!whole->record().important_reads.has_value());
    QCOMPARE(whole->record().removed_fraction, 0.0);
    StageParts other(256, 20);
    store_context(other, 0, {.tier = 0});
    RequestInput input = input_of(other, 0, 0);
    input.reading.important_tokens = ImportantTokensRule{.kept = 0.1, .probes = 3};
    RequestTask task(*other.runtime, other.lender, other.serving_clock, std::move(input),
                     other.store->find(other.tokens()), 0.0, [](const std::string&) {});
    serve_to_end(other, task);
    QCOMPARE(task.record().answer, answer);
    QVERIFY(!task.record().important_reads.has_value());
  }

  void aThrottledTierSaysSo() {
    Stored parts;
    parts.dram->throttled = true;
    const auto task = parts.served(ImportantTokensRule{.kept = 0.2, .probes = 3}, parts.hit());
    QVERIFY(task->record().provenance == Provenance::throttled);
  }
};

KV_TEST_GUILESS_MAIN(ImportantReadsStageTest)

}  // namespace important_reads_stage_test

#include "important_reads_stage_test.moc"
