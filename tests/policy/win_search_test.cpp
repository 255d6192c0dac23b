// links: kv_base
// At which alpha, budget or frequency a given configuration would be chosen, against plans made all along the way.
#include "core/policy/explain/win_search.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/policy/explain/utility_split.h"
#include "tests/policy/crowded_snapshot.h"
#include "tests/support/test_program.h"

namespace win_search_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

std::shared_ptr<const Policy> evicpress() { return *make_policy("evicpress"); }

/// Where the context is planned with one input at another value.
Configuration planned_at(const Snapshot& s, const Policy& policy, std::size_t index, const Turning& lever,
                         double value) {
  Snapshot changed = s;
  if (lever.lever == Lever::frequency) changed.contexts[index].frequency = value;
  if (lever.lever == Lever::alpha) changed.alpha = value;
  if (lever.lever == Lever::budget)
    changed.tiers[static_cast<std::size_t>(lever.tier)].budget_bytes = static_cast<std::uint64_t>(value);
  return policy.plan(changed).contexts[index].configuration;
}

/// The first range in which every plan of a fine grid is as wanted and that is wide enough for two steps of a search,
/// by its end; 0: there is none.
double first_wide_win(const Snapshot& s, const Policy& policy, std::size_t index, const Configuration& wanted,
                      const Turning& lever, double limit) {
  constexpr double fine = 1.04;
  const bool rises = limit > lever.now;
  double begin = 0, last = 0;
  for (double value = lever.now; rises ? value <= limit : value >= limit; value *= rises ? fine : 1 / fine) {
    if (!(planned_at(s, policy, index, lever, value) == wanted)) {
      begin = 0;
      continue;
    }
    if (begin == 0) begin = value;
    last = value;
    if (std::max(last, begin) / std::min(last, begin) > win_search_step * win_search_step * fine) return last;
  }
  return 0;
}

const Turning* win_of(const std::vector<Turning>& wins, Lever lever, bool rises) {
  const auto found =
      std::ranges::find_if(wins, [&](const Turning& win) { return win.lever == lever && win.rises == rises; });
  return found == wins.end() ? nullptr : &*found;
}

}  // namespace

class WinSearchTest : public QObject {
  Q_OBJECT
 private slots:
  void bothSidesOfEachResultArePlannedSo() {
    const auto policy = evicpress();
    std::map<std::pair<Lever, bool>, int> found;
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      const Snapshot s = crowded_snapshot(seed);
      const std::size_t index = seed % s.contexts.size();
      const auto decision = decide(s, *policy, index);
      for (const UtilitySplit& split : split_utilities(*decision, 2)) {
        const Configuration& wanted = split.alternative.configuration;
        std::size_t reported = 0;
        const auto wins = find_wins(s, *policy, index, wanted, {}, [&](const Turning&) { ++reported; });
        QCOMPARE(reported, wins.size());
        if (split.alternative.chosen) QVERIFY(wins.empty());
        for (const Turning& win : wins) {
          ++found[{win.lever, win.rises}];
          QVERIFY(win.found && win.to == wanted && win.plans > 0 && win.plans < 120);
          QCOMPARE(win.rises, win.at > win.now);
          QVERIFY(planned_at(s, *policy, index, win, win.at) == wanted);
          QVERIFY(!(planned_at(s, *policy, index, win, win.still) == wanted));
          const double low = std::min(win.still, win.at), high = std::max(win.still, win.at);
          QVERIFY2(high / low <= 1.0101, qPrintable(QString("%1 %2").arg(low).arg(high)));
          QVERIFY(win.rises ? win.still >= win.now : win.still <= win.now);
        }
      }
    }
    QVERIFY((found[{Lever::alpha, true}] + found[{Lever::alpha, false}] > 2));
    QVERIFY((found[{Lever::frequency, true}] > 2));
    QVERIFY((found[{Lever::budget, true}] > 2));
    QVERIFY((found[{Lever::budget, false}] > 0));
  }

  // Whatever plans on a fine grid find in a range that is wide enough, the search finds, and nothing earlier is missed.
  void nothingWideIsMissed() {
    const auto policy = evicpress();
    int wide = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Snapshot s = crowded_snapshot(seed, 8);
      const std::size_t index = seed % s.contexts.size();
      const auto decision = decide(s, *policy, index);
      for (const UtilitySplit& split : split_utilities(*decision, 1)) {
        if (split.alternative.chosen) continue;
        const Configuration& wanted = split.alternative.configuration;
        const auto wins = find_wins(s, *policy, index, wanted);
        const Turning alpha{.lever = Lever::alpha, .now = s.alpha};
        const Turning frequency{.lever = Lever::frequency, .now = s.contexts[index].frequency};
        for (const auto& [lever, range] :
             {std::pair{alpha, win_search_alpha_range}, {frequency, win_search_frequency_range}})
          for (const bool rises : {true, false}) {
            const double limit = rises ? lever.now * range : lever.now / range;
            const double first = first_wide_win(s, *policy, index, wanted, lever, limit);
            if (first == 0) continue;
            ++wide;
            const Turning* win = win_of(wins, lever.lever, rises);
            QVERIFY2(win != nullptr,
                     qPrintable(QString("seed %1, lever %2").arg(seed).arg(static_cast<int>(lever.lever))));
            QVERIFY(rises ? win->at <= first * 1.0001 : win->at >= first / 1.0001);
          }
      }
    }
    QVERIFY2(wide > 5, qPrintable(QString::number(wide)));
  }

  void searchesEndWhenGivenUpAndWhereNothingIsWeighed() {
    Snapshot s = crowded_snapshot(3);
    const auto policy = evicpress();
    const auto decision = decide(s, *policy, 1);
    const auto splits = split_utilities(*decision, 1);
    const auto other = std::ranges::find_if(splits, [](const UtilitySplit& one) { return !one.alternative.chosen; });
    QVERIFY(other != splits.end());
    const Configuration wanted = other->alternative.configuration;
    const auto all = find_wins(s, *policy, 1, wanted);
    for (const int plans : {0, 1, 7, 40}) {
      int left = plans, asked = 0;
      const auto some = find_wins(s, *policy, 1, wanted, [&] { return ++asked, left-- <= 0; });
      QVERIFY(asked <= plans + 8 && some.size() <= all.size());
      if (plans < 2) QVERIFY(some.empty());
      for (std::size_t i = 0; i < some.size(); ++i) QVERIFY(some[i].lever == all[i].lever && some[i].at == all[i].at);
    }
    QVERIFY(find_wins(s, **make_policy("lru"), 1, wanted).empty());
    s.contexts[1].frequency = 0;
    QVERIFY(find_wins(s, *policy, 1, wanted).empty());
  }
};

KV_TEST_GUILESS_MAIN(WinSearchTest)

}  // namespace win_search_test

#include "win_search_test.moc"
