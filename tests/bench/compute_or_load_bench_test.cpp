// links: kv_experiments kv_tiers
// Compute-or-load on tiers throttled to 20 MB/s to 2 GB/s: time to first token (the cache filled, a question of it
// prefilled) where front and back meet by themselves, beside every fixed split of whole pieces, load only and compute
// only among them, in turns in one run. Printed: medians, ours / the best fixed split, and what was predicted.
// Asserted: the same cache rows and the same first token; with
// --bounds, on a machine at rest, that ours takes at most 1.1 times the best fixed split.
//     compute_or_load_bench_test [--rounds N] [--tokens N] [--bounds]
// --tokens: 256, 512 or 1024 for short contexts, 4096 where rounds or bounds are asked for, else 1024.
#include <QtTest>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "core/base/thread_priority.h"
#include "core/fits/fits.h"
#include "core/kvpr/recompute_profile.h"
#include "tests/load/stored_contexts.h"
#include "tests/support/test_program.h"

namespace compute_or_load_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

int rounds = 0, tokens = 0;
bool bounds = false;

double median(std::vector<double> numbers) { return percentile(std::move(numbers), 0.5); }

struct Split {
  std::optional<int> computed;
  std::vector<double> seconds{}, predicted{}, met_at{}, computing{}, waiting{}, unpacking{};
};

}  // namespace

class ComputeOrLoadBenchTest : public QObject {
  Q_OBJECT
  std::unique_ptr<StoredContexts> contexts_;
  PrefillModel prefill_;
  double question_seconds_ = 0;
  SystemClock clock_;

  Transformer& model() { return *contexts_->runtime->model; }

  double prefill_seconds(std::size_t count) {
    KvCache cache(*contexts_->runtime->pool);
    const double start = clock_.seconds();
    PrefillTask task(model(), cache,
                     {contexts_->tokens.begin(), contexts_->tokens.begin() + static_cast<std::ptrdiff_t>(count)}, 0,
                     {.chunk_tokens = contexts_->runtime->chunk_tokens(), .logits = PrefillLogits::none});
    if (!task.run()) qFatal("prefill");
    return clock_.seconds() - start;
  }

  std::int32_t first_token(KvCache& cache) {
    PrefillTask task(model(), cache, contexts_->questions.front(), cache.sequence_length(),
                     {.chunk_tokens = contexts_->runtime->chunk_tokens()});
    if (!task.run()) qFatal("question");
    return greedy(task.logits());
  }

  // Before each tier: the rates move with what else runs here.
  void fit_computing() {
    std::vector<double> counts, seconds, question;
    for (std::size_t count = std::min(std::size_t{256}, contexts_->tokens.size() / 4);
         count <= contexts_->tokens.size(); count *= 2) {
      std::vector<double> took;
      for (int round = 0; round < 3; ++round) took.push_back(prefill_seconds(count));
      counts.push_back(static_cast<double>(count));
      seconds.push_back(median(took));
    }
    prefill_ = fit_prefill(counts, seconds);
    for (int round = 0; round < 5; ++round) {
      KvCache asked = contexts_->original->share();
      const double start = clock_.seconds();
      first_token(asked);
      question.push_back(clock_.seconds() - start);
    }
    question_seconds_ = median(question);
  }

  /// From loads of an unthrottled tier: taking bytes in and unpacking rows, with the processor alone.
  void fit_intake(const StoredForm& form, const std::optional<KeptMap>& kept_map, double kept, BufferPool& buffers,
                  ComputeOrLoadOptions& options) {
    const auto fast = memory_tier();
    write_or_fail(*fast, form);
    std::vector<double> unpacking, intake;
    for (int round = 0; round < 3; ++round) {
      KvCache cache(*contexts_->runtime->pool);
      options.computed_pieces = 0;
      const auto done = load_or_compute(model(), {fast.get(), form.header, kept_map}, buffers, cache, options);
      unpacking.push_back(done->unpack_seconds);
      intake.push_back((done->seconds - done->unpack_seconds) / static_cast<double>(done->loaded_bytes));
    }
    options.intake_seconds_per_byte = median(intake);
    options.tier.decode_seconds_per_token = median(unpacking) / kept;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model to measure with");
    rank_this_thread(ThreadPriority::engine);  // as in a session: what moves bytes has turns between products
    contexts_ = std::make_unique<StoredContexts>(tokens / 5, 256, tokens);
    std::printf("%s; %zu tokens; medians of %d rounds\n", model().path_description().c_str(), contexts_->tokens.size(),
                rounds);
  }

  void aMovingSplitAgainstFixedOnes_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<double>("removed_fraction");
    QTest::addColumn<double>("bandwidth");
    for (const double bandwidth : {20e6, 60e6, 200e6, 600e6, 2e9})
      QTest::addRow("uncompressed, %.0f MB/s", bandwidth / 1e6) << "none" << 0.0 << bandwidth;
    for (const double bandwidth : {20e6, 60e6, 200e6, 600e6, 2e9})
      QTest::addRow("snapkv, half removed, %.0f MB/s", bandwidth / 1e6) << "snapkv" << 0.5 << bandwidth;
  }
  void aMovingSplitAgainstFixedOnes() {
    QFETCH(QString, method);
    QFETCH(double, removed_fraction);
    QFETCH(double, bandwidth);
    fit_computing();
    const StoredForm form = contexts_->store(method.toStdString(), removed_fraction);
    const auto tier = memory_tier(bandwidth);
    write_or_fail(*tier, form);
    BufferPool buffers(std::size_t{256} << 20);
    const StoredContext stored{tier.get(), form.header, KeptMap::of(*form.cache)};
    const auto pieces = context_pieces(*form.header).value();
    const auto link = profile_link(*tier, buffers, static_cast<std::uint64_t>(4 * pieces.front().bytes));
    QVERIFY2(link.has_value(), link ? "" : link.error().message.c_str());
    ComputeOrLoadOptions options{.tier = *link, .prefill = prefill_, .after_seconds = question_seconds_};
    double kept = 0;
    for (const ContextPiece& piece : pieces) kept += piece.kept_tokens;
    fit_intake(form, stored.kept, kept, buffers, options);

    KvCache asked = form.cache->share();
    const std::int32_t expected = first_token(asked);
    std::vector<Split> splits{{std::nullopt}};
    for (int k = 0; k <= static_cast<int>(pieces.size()); ++k) splits.push_back({k});
    ComputeOrLoadPlan plan;
    for (int round = 0; round < rounds; ++round) {
      std::vector<std::size_t> order(splits.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::rotate(order.begin(),
                  order.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(round) * 7 % order.size()),
                  order.end());
      for (const std::size_t which : order) {
        Split& split = splits[which];
        options.computed_pieces = split.computed;
        KvCache cache(*contexts_->runtime->pool);
        const auto done = load_or_compute(model(), stored, buffers, cache, options);
        QVERIFY2(done.has_value(), done ? "" : done.error().message.c_str());
        const bool same = round > 0 || difference(cache, *form.cache).isEmpty();
        const double checked = clock_.seconds();
        const std::int32_t token = first_token(cache);
        split.seconds.push_back(done->seconds + clock_.seconds() - checked);
        split.predicted.push_back(done->predicted_seconds + question_seconds_);
        split.met_at.push_back(done->computed_pieces);
        split.computing.push_back(done->compute_seconds);
        split.waiting.push_back(done->waited_seconds);
        split.unpacking.push_back(done->unpack_seconds);
        plan = done->plan;
        QVERIFY(same);
        QCOMPARE(token, expected);
      }
    }
    std::printf(
        "%s: %.2f MB in %zu pieces; link fitted %.0f MB/s + %.2f ms, prefill %.1f us a token + %.2f ns a token "
        "squared, intake %.2f ns a byte, unpacking %.2f us a token, question %.1f ms; planned: %s, %d computed\n",
        QTest::currentDataTag(), static_cast<double>(form.header->entry_bytes) / 1e6, pieces.size(),
        options.tier.bytes_per_second / 1e6, options.tier.latency_seconds * 1e3, prefill_.seconds_per_token * 1e6,
        prefill_.seconds_per_token_squared * 1e9, options.intake_seconds_per_byte * 1e9,
        options.tier.decode_seconds_per_token * 1e6, question_seconds_ * 1e3, to_string(plan.way),
        plan.computed_pieces);
    std::printf("  fixed splits, pieces computed: ms ");
    std::size_t best = 1;
    for (std::size_t s = 1; s < splits.size(); ++s) {
      std::printf(" %d: %.1f", *splits[s].computed, median(splits[s].seconds) * 1e3);
      if (median(splits[s].seconds) < median(splits[best].seconds)) best = s;
    }
    const double ours = median(splits[0].seconds), predicted = median(splits[0].predicted),
                 least = median(splits[best].seconds);
    const double load = median(splits[1].seconds), compute = median(splits.back().seconds);
    std::printf(
        "\n  meeting %.1f ms at %.0f (predicted %.1f, %+.1f %%); best fixed %.1f at %d: share %.3f; computing %.1f, "
        "waiting %.1f, unpacking %.1f; load only %.1f, compute only %.1f, load * compute / (load + compute) %.1f\n",
        ours * 1e3, median(splits[0].met_at), predicted * 1e3, (ours / predicted - 1) * 100, least * 1e3,
        *splits[best].computed, ours / least, median(splits[0].computing) * 1e3, median(splits[0].waiting) * 1e3,
        median(splits[0].unpacking) * 1e3, load * 1e3, compute * 1e3, load * compute / (load + compute) * 1e3);
    std::fflush(stdout);
    if (bounds) QVERIFY2(ours / least <= 1.1, qPrintable(QString::number(ours / least)));
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "--bounds") == 0)
      bounds = true;
    else if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
      rounds = std::max(1, std::atoi(argv[++i]));
    else if (std::strcmp(argv[i], "--tokens") == 0 && i + 1 < argc)
      tokens = std::max(64, std::atoi(argv[++i]));
    else
      others.push_back(argv[i]);
  }
  if (tokens == 0) tokens = rounds > 0 || bounds ? 4096 : 1024;
  rounds = std::max(1, rounds);
  int count = static_cast<int>(others.size());
  QCoreApplication application(count, others.data());
  ComputeOrLoadBenchTest bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace compute_or_load_bench_test

#include "compute_or_load_bench_test.moc"
