// links: core_request
// Whether a hit is computed in part: by the fits where it may be at all, and never where computing would not give the
// rows that loading gives.
#include "core/request/compute_or_load_choice.h"

#include <QtTest>

#include <functional>

#include "tests/support/random_entry.h"
#include "tests/support/scripted_tier.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"

namespace compute_or_load_choice_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr double second_per_token = 1e-3;
constexpr int context_tokens = 2048;  // eight pieces of 256

/// A hit on an entry, and what things cost: loading all of it takes as long as computing all of it.
struct Asked {
  explicit Asked(const RandomEntryOptions& options = {.tokens = context_tokens}) : entry(options) {
    hit.place.tier = &tier;
    hit.info = entry.info();
    hit.header = entry.header;
    hit.method = entry.header->compression.method;
    hit.prefix_tokens = entry.header->token_ids.size();
    fits.prefill.seconds_per_token = second_per_token;
    fits.tier.bytes_per_second = all_bytes() / (second_per_token * context_tokens);
  }
  std::vector<ContextPiece> pieces() const { return context_pieces(*entry.header).value(); }
  double all_bytes() const {
    double bytes = 0;
    for (const ContextPiece& piece : pieces()) bytes += piece.bytes;
    return bytes;
  }
  std::shared_ptr<const ComputeOrLoadChoice> choice() const { return choose_compute_or_load(hit, tokens, fits); }

  RandomEntry entry;
  VirtualExecutor executor;
  ScriptedTier tier{executor};
  CacheHit hit;
  ComputeOrLoadFits fits;
  std::vector<std::int32_t> tokens = entry.header->token_ids;
};

EntryHeader changed(const EntryHeader& header, const std::function<void(EntryHeader&)>& change) {
  EntryHeader copy = header;
  change(copy);
  return copy;
}

class ComputeOrLoadChoiceTest : public QObject {
  Q_OBJECT

  static ComputeOrLoadChoice of(double predicted, double load_alone) {
    ComputeOrLoadChoice choice;
    choice.predicted_seconds = predicted;
    choice.load_alone_seconds = load_alone;
    return choice;
  }

 private slots:
  void bothSidesShareWhatTakesEitherAsLong() {
    Asked asked;
    asked.fits.tier.decode_seconds_per_token = 1e-5;
    asked.fits.question = {0.02, 1e-5};
    asked.fits.intake_seconds_per_byte = 1e-9;
    const auto choice = asked.choice();
    QVERIFY(choice && !choice->reads_nothing);
    QVERIFY(choice->stored.tier == &asked.tier && choice->stored.header == asked.entry.header);
    QVERIFY(!choice->stored.kept);
    QCOMPARE(choice->options.intake_seconds_per_byte, 1e-9);
    QCOMPARE(choice->options.tier.bytes_per_second, asked.fits.tier.bytes_per_second);
    QCOMPARE(choice->options.prefill.seconds_per_token, second_per_token);
    const double question = 0.02 + 1e-5 * context_tokens;
    QCOMPARE(choice->options.after_seconds, question);
    const auto pieces = asked.pieces();
    const auto plan = plan_compute_or_load(
        compute_or_load_costs(asked.fits.tier, asked.fits.prefill, pieces, question, 1e-9), pieces);
    QVERIFY(plan.way == ComputeOrLoad::both);
    QCOMPARE(choice->predicted_seconds, plan.seconds);
    // Alone: a layer of the question and of unpacking is left when the last layer has been read.
    const double load = second_per_token * context_tokens, after = question + 1e-5 * context_tokens;
    QVERIFY(std::abs(choice->load_alone_seconds - (load + after / asked.entry.layers())) < 1e-9);
    QVERIFY(choice->predicted_seconds < 0.7 * choice->load_alone_seconds);
  }

  void plansPredictIt() {
    Asked asked;
    asked.fits.tier.latency_seconds = 0.02;
    asked.fits.tier.decode_seconds_per_token = 1e-5;
    asked.fits.question = {0.02, 1e-5};
    const auto choice = asked.choice();
    QVERIFY(choice && !choice->reads_nothing);
    const HybridServing serving{.methods = {"none"}, .piece_tokens = 256, .layers = asked.entry.layers()};
    const auto predicted = [&] {
      return hybrid_prefill_seconds(asked.fits.tier, asked.fits.prefill, serving, context_tokens, asked.all_bytes(),
                                    context_tokens, asked.fits.question.seconds(context_tokens));
    };
    QVERIFY(predicted().has_value());
    QVERIFY2(std::abs(*predicted() - choice->predicted_seconds) < 1e-9, std::to_string(*predicted()).c_str());
    asked.fits.tier.latency_seconds = 10;  // chosen, but nothing would be read
    QVERIFY(asked.choice() && !predicted());
    asked.fits.tier = {.latency_seconds = 0, .bytes_per_second = 1e12};
    QVERIFY(!asked.choice() && !predicted());
  }

  void whatAFastTierHoldsIsLoaded() {
    Asked asked;
    asked.fits.tier.bytes_per_second *= 1000;
    QVERIFY(!asked.choice());
  }

  void nothingIsReadWhereComputingAllIsSoonest() {
    Asked asked;
    asked.fits.tier.latency_seconds = 10;
    const auto choice = asked.choice();
    QVERIFY(choice && choice->reads_nothing);
    QVERIFY(std::abs(choice->predicted_seconds - second_per_token * context_tokens) < 1e-9);
    QVERIFY(choice->load_alone_seconds > 10);
  }

  // Computing all of it against a tier that is nothing but latency.
  void aGainMustBeWorthIt_data() {
    QTest::addColumn<double>("gain");
    QTest::addColumn<bool>("chosen");
    QTest::newRow("a bit less than asked for") << min_gain - 0.01 << false;
    QTest::newRow("a bit more") << min_gain + 0.01 << true;
  }
  void aGainMustBeWorthIt() {
    QFETCH(double, gain);
    QFETCH(bool, chosen);
    Asked asked;
    asked.fits.tier = {.latency_seconds = second_per_token * context_tokens / (1 - gain), .bytes_per_second = 1e18};
    QCOMPARE(asked.choice() != nullptr, chosen);
  }

  void whatComputingWouldNotGiveIsLoaded_data() {
    using Change = std::function<void(Asked&)>;
    QTest::addColumn<Change>("change");
    const auto row = [](const char* name, Change change) { QTest::newRow(name) << std::move(change); };
    const auto header = [](const std::function<void(EntryHeader&)>& change) -> Change {
      return [change](Asked& asked) {
        asked.hit.header = std::make_shared<const EntryHeader>(changed(*asked.entry.header, change));
      };
    };
    row("its header is not known", [](Asked& asked) { asked.hit.header = nullptr; });
    row("it is being written", [](Asked& asked) { asked.hit.place.bytes_in_flight = asked.entry.bytes; });
    row("a prefix", [](Asked& asked) { asked.tokens.push_back(7); });
    row("a context of other tokens", [](Asked& asked) { ++asked.tokens[1000]; });
    row("on no tier", [](Asked& asked) { asked.hit.place.tier = nullptr; });
    row("on a tier that is away", [](Asked& asked) { asked.tier.away = true; });
    row("of an unknown method", [](Asked& asked) { asked.hit.method = "no such method"; });
    row("of keys that move", [](Asked& asked) { asked.hit.method = "rerotate(knorm)"; });
    row("of a codec", header([](EntryHeader& changed) { changed.compression.codec = "kivi4"; }));
    row("of unknown chunks", header([](EntryHeader& changed) { changed.identity.prefill_chunk_tokens = 0; }));
  }
  void whatComputingWouldNotGiveIsLoaded() {
    QFETCH(std::function<void(Asked&)>, change);
    Asked asked;
    QVERIFY(asked.choice());
    change(asked);
    QVERIFY(!asked.choice());
  }

  // Its rows are recomputed chunk by chunk from one extent a layer: nothing of it can be read alone.
  void anEntryOfLayerInputsIsLoadedOrComputedAsAWhole() {
    const auto inputs_entry = [](Asked& asked) {
      asked.hit.method = "layer_inputs";
      asked.hit.header = std::make_shared<const EntryHeader>(
          changed(*asked.entry.header, [](EntryHeader& header) { header.compression.codec = "layer_inputs"; }));
    };
    Asked asked;  // loading takes as long as computing, so that of other entries both would take a part
    asked.fits.question = {0.02, 0};
    inputs_entry(asked);
    QVERIFY(!asked.choice());
    // Recomputing from the inputs comes after loading: prefill is faster once that takes more than the smallest gain.
    const double all = second_per_token * context_tokens, gain = min_gain / (1 - min_gain) * all;
    asked.fits.codec_seconds = 0.5 * gain;
    QVERIFY(!asked.choice());
    asked.fits.codec_seconds = 4 * asked.entry.layers() * gain;  // all but its last layer is behind the loads
    const auto choice = asked.choice();
    QVERIFY(choice && choice->reads_nothing);
    QCOMPARE(choice->options.computed_pieces, std::optional<int>(8));
    QVERIFY(std::abs(choice->predicted_seconds - (all + 0.02)) < 1e-9);
    QVERIFY(choice->load_alone_seconds > choice->predicted_seconds);
    asked.fits.tier.bytes_per_second *= 1000;  // and loading nothing
    asked.fits.codec_seconds = 0.9 * all;
    QVERIFY(!asked.choice());
  }

  void aCompressedEntryNeedsTheMapOfWhatItKeeps() {
    const RandomEntryOptions compressed{.tokens = context_tokens, .kept = 0.5};
    Asked asked(compressed);
    QVERIFY(!asked.choice());
    const auto map_of = [](const RandomEntry& entry) {
      return std::make_shared<const std::vector<std::byte>>(KeptMap::of(entry.cache).bytes(*entry.header));
    };
    asked.hit.kept_map = map_of(asked.entry);
    const auto choice = asked.choice();
    QVERIFY(choice && choice->stored.kept);
    QCOMPARE(choice->stored.kept->rows(), asked.entry.header->kept_rows);
    QCOMPARE(choice->stored.kept->kept_below(1, context_tokens),
             KeptMap::of(asked.entry.cache).kept_below(1, context_tokens));

    auto damaged = *asked.hit.kept_map;
    damaged[100] ^= std::byte{4};
    asked.hit.kept_map = std::make_shared<const std::vector<std::byte>>(std::move(damaged));
    QVERIFY(!asked.choice());
    RandomEntryOptions other = compressed;
    other.seed = 6;
    asked.hit.kept_map = map_of(RandomEntry(other));
    QVERIFY(!asked.choice());
  }

  void anUnreadTierIsReadAfterSomeAnswersAndNotAtAnyCost() {
    UnreadTier tier;
    for (int answer = 0; answer < UnreadTier::min_between; ++answer) QVERIFY(!tier.is_due(of(1, 1.1)));
    QVERIFY(tier.is_due(of(1, 1.1)));
    for (int answer = 0; answer < UnreadTier::min_between; ++answer) QVERIFY(!tier.is_due(of(1, 1.1)));
    QVERIFY(tier.is_due(of(1, 1.1)));  // and again
    // A load that costs two seconds more is a twentieth of 40 answers of a second each.
    for (int answer = 0; answer < 40; ++answer) QVERIFY2(!tier.is_due(of(1, 3)), qPrintable(QString::number(answer)));
    QVERIFY(tier.is_due(of(1, 3)));
  }

  void aTierThatBecameFastIsReadAgainAtOnce() {
    UnreadTier tier;
    const auto wait = [&] {
      for (int answer = 0; answer < UnreadTier::min_between; ++answer)
        if (tier.is_due(of(1, 1.1))) return false;
      return tier.is_due(of(1, 1.1));
    };
    QVERIFY(wait());
    tier.was_read(1.0);  // no slower than computing was to be
    QVERIFY(tier.is_due(of(2, 100)));
    tier.was_read(1.9);
    QVERIFY(tier.is_due(of(1, 100)));
    tier.was_read(1.1);  // it is slow again
    QVERIFY(!tier.is_due(of(1, 1.1)));
    for (int answer = 1; answer < UnreadTier::min_between; ++answer) QVERIFY(!tier.is_due(of(1, 1.1)));
    QVERIFY(tier.is_due(of(1, 1.1)));
  }
};

KV_TEST_GUILESS_MAIN(ComputeOrLoadChoiceTest)

}  // namespace compute_or_load_choice_test

#include "compute_or_load_choice_test.moc"
