// links: kv_experiments
// How far sessions are from a paper's regime: what withholds verdicts, and what limits those of figures with conditions
// of their own. On planted sessions.
#include "core/experiments/studies/served_regime.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/test_program.h"
#include "tests/support/three_contexts.h"

namespace served_regime_test {

using namespace kvantage;

namespace {

const Regime& evicpress() { return *regime_named("evicpress-regime"); }

/// In the regime, but for the loads from SSD: three contexts of 18 MB, prefilled in 0.33 s.
Snapshot session(double ssd_load_factor = 1) {
  Snapshot snapshot = test::three_contexts();
  for (const RegimeTier& tier : evicpress().tiers) {
    const double load = 0.33 * tier.load_per_prefill * (tier.name == "ssd" ? ssd_load_factor : 1);
    snapshot.tiers.push_back({std::string(tier.name),
                              tier.times_first > 0
                                  ? static_cast<std::uint64_t>(std::llround(360'000 * tier.times_first))
                                  : std::numeric_limits<std::uint64_t>::max(),
                              {0, 18e6 / load, 0, 0},
                              true});
  }
  return snapshot;
}

Snapshot session_of_two(double ssd_load_factor) {
  Snapshot snapshot = session(ssd_load_factor);
  snapshot.tiers.pop_back();
  return snapshot;
}

std::vector<RegimeDeviation> inside(const Snapshot& snapshot) { return regime_deviations(evicpress(), snapshot); }
std::vector<RegimeDeviation> outside(const Snapshot& snapshot) { return shared_deviations(evicpress(), snapshot); }

/// So many sessions whose loads from SSD are 5 % off, and then others of 33.8 %.
FigureResult told(int near, int far) {
  RegimeRecord record;
  for (int i = 0; i < near; ++i) record.add_inside(evicpress(), inside(session(1.05)));
  for (int i = 0; i < far; ++i) record.add_inside(evicpress(), inside(session(1.338)));
  FigureResult result;
  record.tell(result);
  return result;
}

/// "what" of a row, behind the condition where there is one.
const std::vector<Json>& row(const FigureTable& table, const char* what, const char* condition = nullptr) {
  const std::size_t column = condition == nullptr ? 0 : 1;
  const auto found = std::ranges::find_if(table.rows, [&](const std::vector<Json>& one) {
    return one.at(column) == what && (condition == nullptr || one.front() == condition);
  });
  if (found == table.rows.end()) qFatal("no row %s", what);
  return *found;
}

bool near_to(const Json& value, double wanted) {
  return value.is_number() && std::abs(value.get<double>() - wanted) < 1e-9;
}

}  // namespace

class ServedRegimeTest : public QObject {
  Q_OBJECT
 private slots:
  // A tenth of the sessions may be disturbed.
  void aTenthMayBeFartherOff() {
    const FigureResult result = told(18, 2);
    QVERIFY2(result.off_regime.empty(), result.off_regime.c_str());
    QCOMPARE(result.settings.at("regime").get<std::string>(), std::string("evicpress-regime"));
    const FigureTable& table = result.tables.at(0);
    QCOMPARE(table.columns,
             (std::vector<std::string>{"what", "regime", "here", "off %", "90th percentile off %", "farthest off %"}));
    QCOMPARE(table.rows.size(), std::size_t{6});
    const std::vector<Json>& ssd = row(table, "load / prefill, ssd");
    QVERIFY(near_to(ssd.at(1), 0.45) && near_to(ssd.at(2), 0.4725));
    QVERIFY(near_to(ssd.at(3), 5) && near_to(ssd.at(4), 5) && near_to(ssd.at(5), 33.8));
    for (const char* other : {"budget in % of KV, dram", "load / prefill, remote"})
      for (const std::size_t column : {3, 4, 5}) QVERIFY(near_to(row(table, other).at(column), 0));
    QCOMPARE(row(table, "budget in % of KV, remote").at(2), Json("unlimited"));
  }

  void moreThanATenthWithholds() {
    const FigureResult result = told(17, 3);
    QCOMPARE(result.off_regime, std::string("no verdict: 90th percentile of load / prefill, ssd is 0.602, 33.8 % off "
                                            "the regime's 0.45"));
    const std::vector<Json>& ssd = row(result.tables.at(0), "load / prefill, ssd");
    QVERIFY(near_to(ssd.at(2), 0.4725) && near_to(ssd.at(3), 5) && near_to(ssd.at(4), 33.8));
  }

  void theMiddleWithholdsAsItself() {
    const std::string off = "no verdict: load / prefill, ssd is 0.602, 33.8 % off the regime's 0.45";
    QCOMPARE(told(9, 11).off_regime, off);
    QCOMPARE(told(0, 1).off_regime, off);  // a single session is both
    QVERIFY(told(1, 0).off_regime.empty());
  }

  // Of ten sessions the ninth is judged, of eleven the tenth.
  void percentilesAreNearestRanks() {
    QVERIFY(told(9, 1).off_regime.empty());
    QVERIFY(!told(8, 2).off_regime.empty());
    QVERIFY(told(10, 1).off_regime.empty());
    QVERIFY(!told(9, 2).off_regime.empty());
    QVERIFY(!told(8, 1).off_regime.empty());  // of fewer than ten the farthest
  }

  void outsideOfARegimeNothingIsJudged() {
    RegimeRecord record;
    record.add_outside(evicpress(), outside(session_of_two(1)), "re-profiled");
    for (const RegimeRecord& one : {record, RegimeRecord()}) {
      FigureResult result;
      one.tell(result);
      QCOMPARE(result.off_regime, std::string("the workload is not in the paper's regime"));
      QVERIFY(result.tables.empty() && result.limit.empty());
    }
  }

  // Two tiers beside the regime's three, under both conditions of a figure.
  void conditionsOfAFigureAreALimit() {
    RegimeRecord record;
    for (const double factor : {1.0, 2.0, 2.0})
      record.add_outside(evicpress(), outside(session_of_two(factor)), "re-profiled");
    record.add_outside(evicpress(), outside(session_of_two(1)), "profiled once");
    FigureResult result;
    record.tell_limit(result, "re-profiled");
    QCOMPARE(result.limit, std::string("outside of evicpress-regime, 2 tiers instead of 3, 1 of 4 ratios off"));
    QVERIFY(result.off_regime.empty());
    const FigureTable& table = result.tables.at(0);
    QCOMPARE(table.title, std::string("Regime evicpress-regime, and the sessions beside it"));
    QCOMPARE(table.columns.front(), std::string("condition"));
    QCOMPARE(table.rows.size(), std::size_t{10});
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      QCOMPARE(table.rows[i].size(), table.columns.size());
      QCOMPARE(table.rows[i].front(), Json(i < 5 ? "re-profiled" : "profiled once"));
    }
    const std::vector<Json>& tiers = row(table, "tiers", "re-profiled");
    QVERIFY(near_to(tiers.at(2), 3) && near_to(tiers.at(3), 2) && near_to(tiers.at(4), -33.33));
    const std::vector<Json>& ssd = row(table, "load / prefill, ssd", "re-profiled");
    QVERIFY(near_to(ssd.at(2), 0.45) && near_to(ssd.at(3), 0.9) && near_to(ssd.at(4), 100));
    QVERIFY(near_to(row(table, "load / prefill, ssd", "profiled once").at(3), 0.45));
    QVERIFY(near_to(row(table, "budget in % of KV, ssd", "profiled once").at(3), 20));
    FigureResult once;
    record.tell_limit(once, "profiled once");
    QCOMPARE(once.limit, std::string("outside of evicpress-regime, 2 tiers instead of 3, 0 of 4 ratios off"));
    QCOMPARE(once.tables.at(0).rows.at(0).front(), Json("profiled once"));
  }

  void aLimitIsOnlyWhatIsOff() {
    const auto limit_of = [](const Snapshot& snapshot) {
      RegimeRecord record;
      record.add_outside(evicpress(), outside(snapshot), "unchanged tiers");
      FigureResult result;
      record.tell_limit(result, "unchanged tiers");
      return result.limit;
    };
    QCOMPARE(limit_of(session(1.05)), std::string());
    QCOMPARE(limit_of(session(1.338)), std::string("outside of evicpress-regime, 1 of 6 ratios off"));
    FigureResult untouched;
    RegimeRecord().tell_limit(untouched, "unchanged tiers");
    QVERIFY(untouched.tables.empty() && untouched.limit.empty());
  }
};

KV_TEST_GUILESS_MAIN(ServedRegimeTest)

}  // namespace served_regime_test

#include "served_regime_test.moc"
