// links: kv_runtime
// The longest known context that a request begins with.
#include "core/runtime/prefix_index.h"

#include <QtTest>

#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace prefix_index_test {

using namespace kvantage;

using Tokens = std::vector<std::int32_t>;

constexpr Digest128 first{1, 1}, second{2, 2}, third{3, 3};
bool any(const Digest128&) { return true; }

class PrefixIndexTest : public QObject {
  Q_OBJECT

  static void found(const std::optional<PrefixIndex::Hit>& hit, const Digest128& key, std::size_t tokens) {
    QVERIFY(hit.has_value());
    QVERIFY(hit->key == key);
    QCOMPARE(hit->tokens, tokens);
  }

 private slots:
  void theLongestPrefixIsFound() {
    const Tokens turn{5, 6}, longer{5, 6, 7, 8}, other{5, 7};
    PrefixIndex index;
    index.insert(second, longer);
    index.insert(first, turn);
    index.insert(third, other);
    found(index.longest(Tokens{5, 6, 7, 8, 9}, any), second, 4);
    found(index.longest(longer, any), second, 4);          // equal
    found(index.longest(Tokens{5, 6, 7}, any), first, 2);  // a part of an entry is none
    found(index.longest(Tokens{5, 6, 7, 9}, any), first, 2);
    found(index.longest(Tokens{5, 7, 7, 8}, any), third, 2);  // of the same length as another one
    QVERIFY(!index.longest(Tokens{5}, any) && !index.longest(Tokens{6, 7, 8}, any) && !index.longest({}, any));
  }

  void anEmptyIndexFindsNothing() { QVERIFY(!PrefixIndex().longest(Tokens{1, 2, 3}, any)); }

  void whatCannotBeUsedIsPassedOver() {
    const Tokens turn{5, 6}, longer{5, 6, 7, 8};
    PrefixIndex index;
    index.insert(first, turn);
    index.insert(second, longer);
    std::vector<Digest128> asked;
    const auto usable = [&](const Digest128& key) {
      asked.push_back(key);
      return key == first;
    };
    found(index.longest(Tokens{5, 6, 7, 8, 9}, usable), first, 2);
    QVERIFY(asked == (std::vector{second, first}));  // longest first
    QVERIFY(!index.longest(longer, [](const Digest128&) { return false; }));
  }

  void theSameTokensAreOfTheKeyThatCameLast() {
    const Tokens tokens{5, 6}, same{5, 6};
    PrefixIndex index;
    index.insert(first, tokens);
    index.insert(second, same);
    found(index.longest(tokens, any), second, 2);
  }

  // Tokens that change behind the index stand for those of another context with the same digest.
  void tokensAreComparedNotDigestsAlone() {
    Tokens turn{5, 6}, longer{5, 6, 7, 8};
    const Tokens asked = longer;
    PrefixIndex index;
    index.insert(first, turn);
    index.insert(second, longer);
    longer[3] = 9;
    found(index.longest(asked, any), first, 2);
    turn[0] = 9;
    QVERIFY(!index.longest(asked, any));
  }

  void itFindsWhatASearchThroughAllFinds() {
    Random random(17);
    std::vector<Tokens> contexts(60);
    PrefixIndex index;
    for (std::size_t c = 0; c < contexts.size(); ++c) {
      if (c > 0 && random.below(2) == 0) contexts[c] = contexts[random.below(c)];  // a session that grew
      for (std::uint64_t more = 1 + random.below(4); more > 0; --more)
        contexts[c].push_back(static_cast<std::int32_t>(random.below(3)));
      index.insert({1, c}, contexts[c]);
    }
    int hits = 0;
    for (int round = 0; round < 500; ++round) {
      Tokens asked = contexts[random.below(contexts.size())];
      if (random.below(2) == 0) asked[random.below(asked.size())] = 1;
      for (std::uint64_t more = random.below(4); more > 0; --more)
        asked.push_back(static_cast<std::int32_t>(random.below(3)));
      std::size_t longest = 0;
      for (const Tokens& context : contexts)
        if (context.size() <= asked.size() && std::equal(context.begin(), context.end(), asked.begin()))
          longest = std::max(longest, context.size());
      const auto hit = index.longest(asked, any);
      QCOMPARE(hit ? hit->tokens : 0, longest);
      if (!hit) continue;
      ++hits;
      const Tokens& context = contexts[hit->key.low];
      QVERIFY(context.size() == longest && std::equal(context.begin(), context.end(), asked.begin()));
    }
    QVERIFY(hits > 100);
  }
};

KV_TEST_GUILESS_MAIN(PrefixIndexTest)

}  // namespace prefix_index_test

#include "prefix_index_test.moc"
