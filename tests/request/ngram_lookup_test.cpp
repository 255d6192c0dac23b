// links: core_request
// What followed an n-gram last: planted texts, and every text of few tokens against a search of all places.
#include "core/request/ngram_lookup.h"

#include <QtTest>

#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace ngram_lookup_test {

using namespace kvantage;

namespace {

using Tokens = std::vector<std::int32_t>;

/// The same by looking at every place: the longest n-gram first, the latest of its places.
DraftTokens searched(const Tokens& text, int longest, int most) {
  const int last = static_cast<int>(text.size()) - 1;
  const auto token = [&](int at) { return text[static_cast<std::size_t>(at)]; };
  const auto alike = [&](int place, int back) { return place >= back && token(place - back) == token(last - back); };
  for (int length = std::min(longest, last); length > 0; --length)
    for (int place = last - 1; place >= length - 1; --place) {
      int matched = 0;
      while (matched < NgramLookup::longest_counted && alike(place, matched)) ++matched;
      if (matched < length) continue;
      DraftTokens draft{matched, {}};
      Tokens grown = text;
      for (int i = 0; i < most; ++i) {
        draft.tokens.push_back(grown[static_cast<std::size_t>(place + 1 + i)]);
        grown.push_back(draft.tokens.back());
      }
      return draft;
    }
  return {};
}

}  // namespace

class NgramLookupTest : public QObject {
  Q_OBJECT

  static DraftTokens next(const Tokens& text, int longest, int most) {
    NgramLookup lookup(longest);
    lookup.append(text);
    return lookup.next(most);
  }

 private slots:
  void whatFollowedTheLatestTokensIsDrafted() {
    const DraftTokens draft = next({1, 2, 3, 4, 5, 6, 7, 9, 1, 2, 3}, 3, 4);
    QVERIFY((draft.tokens == Tokens{4, 5, 6, 7}));
    QCOMPARE(draft.matched, 3);
  }

  void theLatestPlaceCounts() { QVERIFY((next({1, 2, 5, 1, 2, 6, 1, 2}, 2, 1).tokens == Tokens{6})); }

  // The single token 2 was last followed by 6, but 1, 2 only by 5.
  void aLongerNgramComesFirst() {
    QVERIFY((next({1, 2, 5, 3, 2, 6, 1, 2}, 2, 1).tokens == Tokens{5}));
    QVERIFY((next({1, 2, 5, 3, 2, 6, 1, 2}, 1, 1).tokens == Tokens{6}));
  }

  void matchesAreCountedBeyondTheNgram() {
    Tokens text;
    for (int round = 0; round < 2; ++round)
      for (std::int32_t token = 0; token < 12; ++token) text.push_back(token);
    QCOMPARE(next(text, 3, 1).matched, NgramLookup::longest_counted);  // of 12
    text.erase(text.begin(), text.begin() + 7);
    QCOMPARE(next(text, 3, 1).matched, 5);
  }

  void aRepetitionIsContinuedBeyondTheText() {
    QVERIFY((next({7, 1, 2, 1, 2}, 3, 5).tokens == Tokens{1, 2, 1, 2, 1}));
    QVERIFY((next({3, 3}, 3, 3).tokens == Tokens{3, 3, 3}));
  }

  void nothingIsDraftedFromNothing() {
    for (const Tokens& text : {Tokens{}, Tokens{1}, Tokens{1, 2}, Tokens{1, 2, 3, 4}}) {
      QCOMPARE(next(text, 3, 8).matched, 0);
      QVERIFY(next(text, 3, 8).tokens.empty());
    }
    QVERIFY(next({1, 2, 1}, 3, 0).tokens.empty());
  }

  // Texts that grow token by token, or by several at once, with repetitions of all kinds. An n-gram whose place another
  // one of the same hash took is not found, and then a shorter one counts.
  void itFindsWhatASearchFinds() {
    Random random(11);
    int looked_up = 0, found = 0, missed = 0;
    for (int round = 0; round < 400; ++round) {
      const std::uint64_t alphabet = 2 + random.below(6);
      const int longest = 1 + static_cast<int>(random.below(3)), most = 1 + static_cast<int>(random.below(8));
      NgramLookup lookup(longest);
      Tokens text;
      for (int step = 0; step < 40; ++step) {
        Tokens more(1 + random.below(4));
        for (std::int32_t& token : more) token = static_cast<std::int32_t>(random.below(alphabet));
        text.insert(text.end(), more.begin(), more.end());
        lookup.append(more);
        if (random.below(3) == 0) continue;  // looked up later
        const DraftTokens got = lookup.next(most);
        int length = longest;  // of the n-gram that was found
        const auto is = [&](const DraftTokens& one) { return one.matched == got.matched && one.tokens == got.tokens; };
        while (length > 0 && !is(searched(text, length, most))) --length;
        QVERIFY(length > 0 || got.matched == 0);
        ++looked_up;
        found += got.matched > 0 ? 1 : 0;
        missed += length < longest ? 1 : 0;
      }
    }
    QVERIFY2(found > 5000 && missed * 10 < looked_up,
             (std::to_string(found) + " found, " + std::to_string(missed) + " missed").c_str());
  }

  // Far more n-grams than places: what is found is right, and the latest ones are found.
  void aLongTextIsFoundFromItsEnd() {
    Random random(5);
    Tokens text(600'000);
    for (std::int32_t& token : text) token = static_cast<std::int32_t>(random.below(1'000'000));
    NgramLookup lookup(3);
    lookup.append(text);
    for (const std::size_t back : {std::size_t{50}, std::size_t{5'000}}) {
      const auto place = text.end() - static_cast<std::ptrdiff_t>(back);
      const Tokens quoted(place, place + 3), wanted(place + 3, place + 11);
      lookup.append(quoted);
      QVERIFY(lookup.next(8).tokens == wanted);
    }
  }
};

KV_TEST_APPLESS_MAIN(NgramLookupTest)

}  // namespace ngram_lookup_test

#include "ngram_lookup_test.moc"
