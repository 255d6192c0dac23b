// links: kv_ui
// Miss ratios of LRU caches on the requests of a run: against a list that is searched, however the requests come; the
// budgets of the tiers on the curve, and what the tiers missed.
#include "ui/live/tiers/model/miss_curve.h"

#include <QLineSeries>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "tests/support/test_program.h"
#include "ui/live/tiers/miss_curve_chart.h"

namespace miss_curve_test {

using namespace kvantage;

namespace {

using Reference = ReferenceStream::Reference;

std::vector<Reference> made_references(std::uint64_t seed, std::size_t count, std::uint64_t contexts) {
  Random random(seed);
  std::vector<Reference> made(count);
  for (Reference& each : made) {
    each.context =
        1 + static_cast<std::uint64_t>(static_cast<double>(contexts) * std::pow(random.uniform(), 2.0)) * 977;
    each.bytes = 1 + each.context % 7;  // the same each time
  }
  return made;
}

void add_all(ReferenceStream& stream, const std::vector<Reference>& references) {
  for (const Reference& each : references) stream.add(each);
}

/// Requests that a cache of each size misses: most recent first in a list, searched and summed.
double plain_miss_ratio(const std::vector<Reference>& references, std::uint64_t capacity) {
  std::vector<Reference> recent;
  std::size_t misses = 0;
  for (const Reference& each : references) {
    std::uint64_t bytes = 0;
    const auto at = std::find_if(recent.begin(), recent.end(), [&](const Reference& other) {
      bytes += other.bytes;
      return other.context == each.context;
    });
    if (at == recent.end() || bytes > capacity) ++misses;
    if (at != recent.end()) recent.erase(at);
    recent.insert(recent.begin(), each);
  }
  return static_cast<double>(misses) / static_cast<double>(references.size());
}

void compare(const MissCurve::Answer& one, const MissCurve::Answer& other) {
  QCOMPARE(one.requests, other.requests);
  QCOMPARE(one.footprint_bytes, other.footprint_bytes);
  QCOMPARE(one.rate, other.rate);
  QCOMPARE(one.steps.size(), other.steps.size());
  for (std::size_t i = 0; i < one.steps.size(); ++i) {
    QCOMPARE(one.steps[i].capacity, other.steps[i].capacity);
    QCOMPARE(one.steps[i].miss_ratio, other.steps[i].miss_ratio);
  }
}

}  // namespace

class MissCurveTest : public QObject {
  Q_OBJECT

 private slots:
  void stepsAreThoseOfAPlainList() {
    const auto references = made_references(1, 1400, 40);
    ReferenceStream stream;
    add_all(stream, references);
    MissCurve curve;
    curve.update(stream.content(), false);
    const MissCurve::Answer& answer = curve.answer();
    QCOMPARE(answer.requests, std::uint64_t{1400});
    QCOMPARE(answer.rate, 1.0);
    QVERIFY2(answer.steps.size() > 20, qPrintable(QString::number(answer.steps.size())));
    for (std::uint64_t capacity = 0; capacity <= answer.footprint_bytes; ++capacity) {
      // A step is left out as long as it is below 0.2 %.
      const double shown = answer.miss_ratio_at(capacity), plain = plain_miss_ratio(references, capacity);
      QVERIFY2(shown >= plain - 1e-12 && shown < plain + 0.002,
               qPrintable(QStringLiteral("%1: %2, not %3").arg(capacity).arg(shown).arg(plain)));
    }
    for (const MissRatio& step : answer.steps)
      QVERIFY(std::abs(step.miss_ratio - plain_miss_ratio(references, step.capacity)) < 1e-12);
  }

  void requestsMayComeInPieces() {
    const auto references = made_references(2, 3000, 60);
    ReferenceStream stream, whole;
    add_all(whole, references);
    MissCurve piecewise, at_once;
    for (std::size_t i = 0; i < references.size(); ++i) {
      stream.add(references[i]);
      if (i % 37 == 0) piecewise.update(stream.content(), false);
    }
    piecewise.update(stream.content(), false);
    at_once.update(whole.content(), true);
    compare(piecewise.answer(), at_once.answer());
    // Of equal value, but not the same memory: a recorded run that was gone through again.
    piecewise.update(whole.content(), false);
    compare(piecewise.answer(), at_once.answer());
  }

  // Back in time, and another run.
  void anotherStreamIsCountedFromItsBeginning() {
    const auto references = made_references(3, 1200, 30), others = made_references(4, 700, 30);
    ReferenceStream stream, part, other;
    add_all(stream, references);
    add_all(part, {references.begin(), references.begin() + 800});
    add_all(other, others);
    MissCurve curve, fresh, fresh_other;
    curve.update(stream.content(), false);
    curve.update(part.content(), false);
    fresh.update(part.content(), false);
    compare(curve.answer(), fresh.answer());
    curve.update(other.content(), false);
    fresh_other.update(other.content(), false);
    compare(curve.answer(), fresh_other.answer());
    curve.update({}, false);
    QVERIFY(curve.answer().steps.empty() && curve.answer().requests == 0);
  }

  // However many contexts there are, so many are kept, and what is not kept is estimated.
  void distinctContextsAreSampled() {
    constexpr std::uint64_t contexts = 300'000;
    ReferenceStream stream;
    for (std::uint64_t context = 1; context <= contexts; ++context) stream.add({context, 1});
    MissCurve curve;
    curve.update(stream.content(), true);
    const MissCurve::Answer& answer = curve.answer();
    QCOMPARE(answer.requests, contexts);
    const double kept = static_cast<double>(answer.footprint_bytes) * answer.rate;
    QVERIFY2(kept > 0.9 * MissCurve::max_contexts && kept < MissCurve::max_contexts + 1.0,
             qPrintable(QString::number(kept)));
    QVERIFY(std::abs(static_cast<double>(answer.footprint_bytes) / contexts - 1) < 0.05);
  }

  void manyAreCountedOnAThread() {
    ReferenceStream stream;
    add_all(stream, made_references(5, 60'000, 20'000));
    MissCurve waited, curve, hurried;
    waited.update(stream.content(), true);
    QVERIFY2(waited.answer().rate < 1, "more contexts than are kept");
    QVERIFY(waited.answer().steps.size() <= MissCurve::max_steps);
    QSignalSpy changed(&curve, &MissCurve::changed), never(&hurried, &MissCurve::changed);
    curve.update(stream.content(), false);
    QVERIFY(curve.answer().requests == 0 && changed.isEmpty());
    QTRY_COMPARE(changed.count(), 1);
    compare(curve.answer(), waited.answer());
    // Who cannot wait for the thread counts the rest; its answer comes too late.
    hurried.update(stream.content(), false);
    hurried.update(stream.content(), true);
    compare(hurried.answer(), waited.answer());
    QTest::qWait(50);
    QCOMPARE(never.count(), 0);
  }

  void budgetsAreOnTheCurve() {
    constexpr std::uint64_t mib = 1 << 20;
    ReferenceStream stream;
    TierSeriesModel tiers;
    HitRateModel rates;
    MissCurveChart chart(stream, tiers, rates);
    chart.flush();
    QVERIFY(chart.empty_text().startsWith("No requests served yet"));
    stream.add({1, 4 * mib});
    chart.flush();
    QVERIFY(chart.empty_text().startsWith("No context was requested twice"));
    QVERIFY(chart.table().rows.isEmpty());
    // 1 2 1 2 3 3, each of 4 MiB: distances 8, 8, 4 MiB.
    for (const std::uint64_t context : {2, 1, 2, 3, 3}) stream.add({context, 4 * mib});
    tiers.tier_occupancy(0, {"dram", 0, 4 * mib, {}});
    tiers.tier_occupancy(0, {"ssd", 0, 6 * mib, {}});
    tiers.tier_occupancy(0, {"cold", 0, 0, {}});  // no limit
    rates.set_tiers({{"dram", 4 * mib, {}, false}, {"ssd", 6 * mib, {}, false}, {"cold", 0, {}, false}});
    for (const char* source : {"prefill", "prefill", "dram", "ssd", "prefill", "write-back", "cold", "dram"}) {
      RequestRecord record;
      record.source = source;
      record.context_tokens = 10;
      rates.request_finished(record, 4 * mib);
    }
    chart.flush();
    QVERIFY(chart.empty_text().isEmpty());
    const auto& steps = chart.curve().answer().steps;
    QCOMPARE(steps.size(), std::size_t{2});
    QCOMPARE(steps[0].capacity, 4 * mib);
    QVERIFY(std::abs(steps[0].miss_ratio - 5.0 / 6) < 1e-12);
    QCOMPARE(steps[1].capacity, 8 * mib);
    QVERIFY(std::abs(steps[1].miss_ratio - 0.5) < 1e-12);
    const auto points = chart.line().points();
    QCOMPARE(points.size(), 6);
    QVERIFY(std::abs(points[1].x() - std::log10(4)) < 1e-12 && points[1].y() == 100);
    QVERIFY(std::abs(points[4].x() - std::log10(8)) < 1e-12 && std::abs(points[4].y() - 50) < 1e-9);
    QCOMPARE(chart.budgets().size(), std::size_t{2});
    const MissCurveChart::Budget &first = chart.budgets()[0], &both = chart.budgets()[1];
    QCOMPARE(first.tiers, QString("dram"));
    QCOMPARE(first.bytes, 4 * mib);
    QVERIFY(std::abs(first.simulated - 5.0 / 6) < 1e-12);
    QVERIFY(std::abs(first.measured - 5.0 / 8) < 1e-12);  // all but dram twice and memory once
    QCOMPARE(both.tiers, QString("dram + ssd"));
    QCOMPARE(both.bytes, 10 * mib);
    QVERIFY(std::abs(both.simulated - 0.5) < 1e-12);
    QVERIFY(std::abs(both.measured - 4.0 / 8) < 1e-12);
    const ChartTable table = chart.table();
    QCOMPARE(table.header, (QStringList{"provenance", "tiers", "capacity_bytes", "miss_ratio"}));
    QCOMPARE(table.rows.size(), 6);
    QCOMPARE(table.rows[1], (QStringList{to_string(Provenance::simulated), "", "8388608", "0.5"}));
    QCOMPARE(table.rows[5], (QStringList{"measured", "dram + ssd", "10485760", "0.5"}));
    QVERIFY(!chart.grab().isNull());  // painted
    // Another budget moves the mark, not the line.
    tiers.tier_occupancy(1, {"dram", 0, 8 * mib, {}});
    chart.flush();
    QCOMPARE(chart.budgets()[0].bytes, 8 * mib);
    QVERIFY(std::abs(chart.budgets()[0].simulated - 0.5) < 1e-12);
    QCOMPARE(chart.line().points().size(), 6);
  }
};

KV_TEST_MAIN(MissCurveTest)

}  // namespace miss_curve_test

#include "miss_curve_test.moc"
