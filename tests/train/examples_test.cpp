// links: core_train
// Training data: the same batch whatever the number of threads, texts before their questions, and answers that are in
// the text.
#include <QtTest>

#include <algorithm>

#include "core/train/examples.h"
#include "core/workload/families/lexicon.h"
#include "tests/support/test_program.h"

namespace examples_test {

using namespace kvantage;

class ExamplesTest : public QObject {
  Q_OBJECT
  TokenizerSpec spec_ = build_tokenizer(lexicon_pieces());
  ExampleMaker maker_{spec_, {}};

  Batch made(std::size_t sequences, std::size_t length, std::uint64_t seed, std::size_t threads) const {
    Workers workers(threads, [] {});
    Random random(seed);
    auto batch = maker_.make(sequences, length, false, random, workers);
    if (!batch) qFatal("%s", batch.error().message.c_str());
    return std::move(*batch);
  }

 private slots:
  void theNumberOfThreadsChangesNothing() {
    const Batch one = made(16, 256, 5, 1), three = made(16, 256, 5, 3), other = made(16, 256, 6, 1);
    QVERIFY(one.tokens == three.tokens && one.positions == three.positions && one.weights == three.weights &&
            one.is_answer == three.is_answer);
    QVERIFY(one.tokens != other.tokens);
    // Sequences of a batch differ, too.
    QVERIFY(!std::equal(one.tokens.begin(), one.tokens.begin() + 256, one.tokens.begin() + 256));
  }

  void aTextComesBeforeItsQuestions() {
    std::size_t texts = 0;
    for (const std::size_t length : {std::size_t{128}, std::size_t{512}, std::size_t{4096}}) {
      const Batch batch = made(12, length, 7, 2);
      QCOMPARE(batch.parts.size(), batch.sequences);
      for (std::size_t row = 0; row < batch.sequences; ++row) {
        const auto [context, tokens] = batch.parts[row];
        if (context == 0 || context == tokens) continue;  // not a text, or one that leaves no room
        ++texts;
        const std::int64_t* const first = &batch.tokens[row * length];
        QVERIFY(context < tokens && tokens <= length);
        QCOMPARE(first[0], std::int64_t{TokenizerSpec::context});
        QCOMPARE(first[context], std::int64_t{TokenizerSpec::question});
        QCOMPARE(std::count(first, first + context, std::int64_t{TokenizerSpec::question}), 0);
        QCOMPARE(first[tokens - 1], std::int64_t{TokenizerSpec::end});
        QVERIFY(std::all_of(first + tokens, first + length, [](auto id) { return id == TokenizerSpec::pad; }));
        const std::uint8_t* const answers = &batch.is_answer[row * length];
        QCOMPARE(std::count(answers, answers + context - 1, 1), 0);
      }
    }
    QVERIFY2(texts > 20, qPrintable(QString::number(texts)));
  }

  // Sequences of any length also have texts of nearly that length.
  void longTextsNearlyFillTheirSequence() {
    constexpr std::size_t length = 4096;
    const Batch batch = made(24, length, 8, 2);
    const auto longest = std::ranges::max_element(batch.parts, {}, &Batch::Parts::context_tokens);
    QVERIFY2(longest->context_tokens > length * 8 / 10, qPrintable(QString::number(longest->context_tokens)));
  }
};

KV_TEST_GUILESS_MAIN(ExamplesTest)

}  // namespace examples_test

#include "examples_test.moc"
