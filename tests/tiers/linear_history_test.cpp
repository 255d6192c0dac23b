// links: kv_base
// The search for an order that explains a history accepts what a register may do and refuses what it may not. On small
// random histories it agrees with trying every order.
#include "tests/support/linear_history.h"

#include <QtTest>
#include <algorithm>
#include <numeric>

#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace linear_history_test {

using kvantage::Random;
using kvantage::test::KeyOperation;
using kvantage::test::LinearHistory;

namespace {

using Kind = KeyOperation::Kind;
using History = std::vector<KeyOperation>;
constexpr double never = KeyOperation::never;

KeyOperation put(int client, std::uint64_t version, double begin, double end) {
  return {.kind = Kind::put, .client = client, .version = version, .begin = begin, .end = end};
}
KeyOperation get(int client, std::uint64_t version, double begin, double end) {
  return {.kind = Kind::get, .client = client, .version = version, .begin = begin, .end = end};
}
KeyOperation late_get(int client, std::uint64_t version, double view, double begin, double end) {
  return {.kind = Kind::get, .client = client, .version = version, .begin = begin, .end = end, .view = view};
}
KeyOperation erase(int client, double begin, double end) {
  return {.kind = Kind::erase, .client = client, .begin = begin, .end = end};
}
KeyOperation forget(int client, double at) { return {.kind = Kind::forget, .client = client, .begin = at, .end = at}; }

/// By trying every order of every choice of what has no end. Without views, clients and forgets.
bool explained_by_some_order(const History& history) {
  std::vector<std::size_t> order(history.size());
  for (std::size_t left_out = 0; left_out < std::size_t{1} << history.size(); ++left_out) {
    const auto is_out = [&](std::size_t i) { return (left_out >> i & 1) != 0; };
    bool allowed = true;
    for (std::size_t i = 0; i < history.size(); ++i) allowed = allowed && (!is_out(i) || history[i].end == never);
    if (!allowed) continue;
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      bool right = true;
      std::uint64_t present = 0;
      for (std::size_t i = 0; i < order.size() && right; ++i) {
        if (is_out(order[i])) continue;
        const KeyOperation& one = history[order[i]];
        for (std::size_t j = 0; j < i; ++j) right = right && (is_out(order[j]) || !(one.end < history[order[j]].begin));
        if (one.kind == Kind::get) right = right && one.version == present;
        if (one.kind != Kind::get) present = one.version;
      }
      if (right) return true;
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return false;
}

/// What happens to a register that does each operation at one moment between begin and end, some late, some never.
History right_history(Random& random, int operations) {
  struct Moment {
    double at = 0;
    std::size_t operation = 0;
  };
  History history;
  std::vector<Moment> moments;
  std::uint64_t version = 0;
  double time = 0;
  for (int i = 0; i < operations; ++i) {
    time += random.uniform();
    const double end = time + 3 * random.uniform(), at = time + (end - time) * random.uniform();
    const auto kind = static_cast<Kind>(random.below(10) < 5 ? 1 : random.below(4) == 0 ? 2 : 0);
    KeyOperation one{.kind = kind, .client = i, .begin = time, .end = end};
    if (kind == Kind::put) one.version = ++version;
    moments.push_back({at, history.size()});
    if (kind != Kind::get && random.below(4) == 0) {
      one.end = never;
      moments.back().at = random.below(2) == 0 ? never : time + 10 * random.uniform();
    }
    history.push_back(one);
  }
  std::ranges::sort(moments, {}, &Moment::at);
  std::uint64_t present = 0;
  for (const Moment& moment : moments) {
    KeyOperation& one = history[moment.operation];
    if (one.kind == Kind::get) one.version = present;
    if (one.kind != Kind::get && moment.at != never) present = one.version;
  }
  std::erase_if(history, [](const KeyOperation& one) { return one.kind == Kind::get && one.version == 0; });  // misses
  return history;
}

}  // namespace

class LinearHistoryTest : public QObject {
  Q_OBJECT

 private slots:
  void rightHistoriesAreExplained_data() {
    QTest::addColumn<History>("history");
    QTest::newRow("nothing") << History{};
    QTest::newRow("one after the other") << History{put(1, 1, 0, 1), get(2, 1, 2, 3), put(2, 2, 4, 5), get(1, 2, 6, 7)};
    QTest::newRow("a get beside a put: the old version, then the new one")
        << History{put(1, 1, 0, 1), put(1, 2, 2, 9), get(2, 1, 3, 4), get(3, 2, 5, 6)};
    QTest::newRow("two puts at once, the first one last")
        << History{put(1, 1, 0, 5), put(2, 2, 0, 5), get(3, 2, 1, 6), get(3, 1, 7, 8)};
    QTest::newRow("a failed put takes effect after a later one")
        << History{put(1, 1, 0, never), put(2, 2, 1, 2), get(3, 2, 3, 4), get(3, 1, 5, 6)};
    QTest::newRow("a failed put never takes effect") << History{put(2, 2, 1, 2), put(1, 1, 3, never), get(3, 2, 8, 9)};
    QTest::newRow("a failed erase never takes effect") << History{put(2, 2, 1, 2), erase(1, 3, never), get(3, 2, 8, 9)};
    QTest::newRow("a get beside an erase") << History{put(1, 1, 0, 1), erase(1, 2, 5), get(2, 1, 3, 4)};
    QTest::newRow("erased, then put again")
        << History{put(1, 1, 0, 1), erase(1, 2, 3), put(1, 2, 4, 5), get(2, 2, 6, 7)};
    QTest::newRow("a client that has not learned of a put")
        << History{put(1, 1, 0, 1), put(1, 2, 2, 3), late_get(2, 1, 2.5, 4, 5), late_get(2, 2, 4.5, 6, 7)};
    QTest::newRow("a client that forgot and is given a newer version")
        << History{put(1, 1, 0, 1), get(2, 1, 2, 3), forget(2, 4), put(1, 2, 5, 6), get(2, 2, 7, 8)};
    QTest::newRow("what one client forgot, another one has")
        << History{put(1, 1, 0, 1), get(2, 1, 2, 3), forget(2, 4), get(3, 1, 5, 6)};
  }
  void rightHistoriesAreExplained() {
    QFETCH(History, history);
    QCOMPARE(LinearHistory(history).unexplained(), std::string());
  }

  void wrongHistoriesAreRefused_data() {
    QTest::addColumn<History>("history");
    QTest::newRow("a version that nobody put") << History{put(1, 1, 0, 1), get(2, 7, 2, 3)};
    QTest::newRow("a version before it was put") << History{get(2, 1, 0, 1), put(1, 1, 2, 3)};
    QTest::newRow("a version that was replaced") << History{put(1, 1, 0, 1), put(1, 2, 2, 3), get(2, 1, 4, 5)};
    QTest::newRow("a version that was erased") << History{put(1, 1, 0, 1), erase(1, 2, 3), get(2, 1, 4, 5)};
    QTest::newRow("older than what the same client had got")
        << History{put(1, 1, 0, 9), put(2, 2, 0, 9), put(3, 3, 0, 9),  get(4, 1, 1, 2),
                   get(4, 2, 3, 4), get(4, 1, 5, 6), get(5, 3, 10, 11)};
    QTest::newRow("older than what another client had got")
        << History{put(1, 1, 0, 1), put(1, 2, 2, 9), get(2, 2, 3, 4), get(3, 1, 5, 6)};
    QTest::newRow("two clients that saw two puts in different orders")
        << History{put(1, 1, 0, 20),        put(2, 2, 0, 20),        late_get(3, 1, 0, 5, 6),
                   late_get(3, 2, 0, 7, 8), late_get(4, 2, 0, 5, 6), late_get(4, 1, 0, 7, 8)};
    QTest::newRow("a client that does not see its own put")
        << History{put(1, 1, 0, 1), put(2, 2, 2, 3), late_get(2, 1, 0, 4, 5)};
    QTest::newRow("a client that must have learned of a put")
        << History{put(1, 1, 0, 1), put(1, 2, 2, 3), late_get(2, 1, 3.5, 4, 5)};
    QTest::newRow("a failed put that takes effect twice")
        << History{put(1, 1, 0, never), get(3, 1, 1, 2), put(2, 2, 3, 4), get(3, 1, 5, 6)};
    QTest::newRow("a failed put before it began") << History{put(2, 2, 0, 1), get(3, 1, 2, 3), put(1, 1, 4, never)};
    QTest::newRow("what its client forgot after a get")
        << History{put(1, 1, 0, 1), get(2, 1, 2, 3), forget(2, 4), get(2, 1, 5, 6)};
    QTest::newRow("what its client forgot after a put") << History{put(2, 1, 0, 1), forget(2, 4), get(2, 1, 5, 6)};
    QTest::newRow("a version put twice") << History{put(1, 1, 0, 1), put(2, 1, 2, 3)};
  }
  void wrongHistoriesAreRefused() {
    QFETCH(History, history);
    const std::string why = LinearHistory(history).unexplained();
    qInfo("%s", why.c_str());
    QVERIFY(!why.empty());
  }

  void whatARegisterDoesIsExplained() {
    Random random(1);
    for (int i = 0; i < 1000; ++i) {
      const History history = right_history(random, 40);
      const std::string why = LinearHistory(history).unexplained();
      QVERIFY2(why.empty(), (std::to_string(i) + ": " + why).c_str());
    }
  }

  void onSmallHistoriesItAgreesWithTryingEveryOrder() {
    Random random(2);
    int right = 0, wrong = 0;
    for (int i = 0; i < 3000; ++i) {
      History history = right_history(random, 7);
      std::uint64_t versions = 0;
      for (const KeyOperation& one : history) versions += one.kind == Kind::put ? 1 : 0;
      for (KeyOperation& one : history)
        if (one.kind == Kind::get && random.below(2) == 0) {
          const double later = 6 * random.uniform();
          one.version = 1 + random.below(versions);
          one.begin += later;
          one.end += later;
          one.view = one.begin;
        }
      const bool expected = explained_by_some_order(history);
      const std::string why = LinearHistory(history).unexplained();
      std::string text = std::to_string(i) + ": " + why;
      for (const KeyOperation& one : history) text += "\n" + one.text();
      QVERIFY2(why.empty() == expected, text.c_str());
      (expected ? right : wrong) += 1;
    }
    qInfo("%d small histories are right, %d wrong", right, wrong);
    QVERIFY(right > 500 && wrong > 300);
  }
};

KV_TEST_GUILESS_MAIN(LinearHistoryTest)

}  // namespace linear_history_test

#include "linear_history_test.moc"
