// links: kv_ui
// What a window holds of a run does not grow with the run beyond what each model says: elements are counted, however
// many events come. What was thinned still says what all requests say.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "core/base/random.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/live/frontier/model/frontier_planner.h"
#include "ui/look/icons.h"
#include "ui/session/run_model.h"
#include "ui/session/settings_controller.h"

namespace bounded_models_test {

using namespace kvantage;

namespace {

std::size_t held_sums(const HitRateModel& rates) {
  std::size_t sums = 0;
  for (const auto& chunk : rates.content().chunks) sums += chunk->size();
  return sums;
}

std::size_t held_references(const ReferenceStream& stream) {
  std::size_t held = 0;
  for (const auto& chunk : stream.content().chunks) held += chunk->size();
  return held;
}

RequestRecord record_from(const char* source) {
  RequestRecord record;
  record.source = source;
  record.context_tokens = 100;
  record.bytes_loaded = 1000;
  return record;
}

}  // namespace

class BoundedModelsTest : public QObject {
  Q_OBJECT

  /// The most samples that a tier has.
  static std::size_t check_sizes(const RunModel& run) {
    std::size_t samples = 0;
    const auto fits = [](std::size_t held, std::size_t most, const char* what) {
      if (held > most) QTest::qFail(what, __FILE__, __LINE__);
    };
    fits(static_cast<std::size_t>(run.requests.rowCount()), 20'000, "requests");
    fits(static_cast<std::size_t>(run.log.rowCount()), 5'000, "events");
    fits(run.time_line.annotations().size(), TimeLineModel::annotation_limit, "annotations");
    fits(run.pool.samples().size(), SessionPoolModel::kept_samples, "samples of the pool");
    fits(run.frontier.segments().segments().size(), RunSegments::max_changes, "segments");
    fits(held_sums(run.hit_rates), HitRateModel::max_chunks * HitRateModel::chunk_requests, "sums");
    for (const TierSeriesModel::Tier& tier : run.tiers.tiers()) {
      fits(tier.samples.size(), TierSeriesModel::sample_limit, "samples");
      fits(tier.marks.size(), TierSeriesModel::mark_limit, "marks");
      fits(tier.loads.size(), TierSeriesModel::load_window, "loads");
      samples = std::max(samples, tier.samples.size());
    }
    return samples;
  }

 private slots:
  void aMeanOfOneContextHoldsBlocks() {
    GrowingMean mean;
    Random random(11);
    double sum = 0, squares = 0;
    constexpr std::size_t count = 100'000;
    for (std::size_t i = 1; i <= count; ++i) {
      const double value = random.uniform();
      mean.add(value, "story-1");
      sum += value;
      squares += value * value;
      if (i == GrowingMean::max_blocks) QCOMPARE(mean.sums().size(), i);  // as they came
      if (i % 500 == 0) QVERIFY(mean.sums().size() <= GrowingMean::max_blocks);
    }
    const std::vector<GroupSum> blocks = mean.sums();
    QCOMPARE(std::accumulate(blocks.begin(), blocks.end(), std::size_t{0},
                             [](std::size_t n, const GroupSum& block) { return n + block.n; }),
             static_cast<std::size_t>(mean.n()));
    const double n = static_cast<double>(mean.n());
    QVERIFY(std::abs(mean.mean() - sum / n) < 1e-12);
    QCOMPARE(mean.groups(), std::uint64_t{1});
    const double error = 1.96 * std::sqrt((squares / n - sum / n * sum / n) / n);
    const MeasuredMean measured = mean.measured();
    QVERIFY(measured.has_interval);
    const double half = (measured.high - measured.low) / 2;
    QVERIFY2(half > 0.9 * error && half < 1.1 * error, qPrintable(QStringLiteral("%1, not %2").arg(half).arg(error)));
  }

  // A second context: sums of all, as if there had been no blocks.
  void blocksBecomeASum() {
    GrowingMean mean;
    for (int i = 0; i < 10'000; ++i) mean.add(0.25, "a");
    mean.add(1, "b");
    QCOMPARE(mean.sums().size(), std::size_t{2});
    QCOMPARE(mean.sums()[0].n, std::size_t{10'000});
    QCOMPARE(mean.sums()[0].sum, 2500.0);
  }

  void hitRatesKeepFewerSumsOfOlderRequests() {
    constexpr std::size_t most = HitRateModel::max_chunks * HitRateModel::chunk_requests, count = 3 * most;
    constexpr double coarsest = 16;  // requests from one old sum to the next, at most
    HitRateModel rates;
    rates.set_tiers({{"dram", 1, {}, false}, {"ssd", 1, {}, false}});
    const RequestRecord dram = record_from("dram"), ssd = record_from("ssd");
    std::vector<std::uint32_t> hits{0};  // of dram, of the first so many requests
    hits.reserve(count + 1);
    Random random(5);
    for (std::size_t i = 0; i < count; ++i) {
      const bool from_dram = random.uniform() < (i < count / 2 ? 0.2 : 0.7);
      rates.request_finished(from_dram ? dram : ssd, 1000, static_cast<double>(i + 1));
      hits.push_back(hits.back() + (from_dram ? 1 : 0));
    }
    QCOMPARE(rates.requests(), std::uint64_t{count});
    QVERIFY(rates.content().chunks.size() <= HitRateModel::max_chunks);
    QVERIFY(held_sums(rates) <= most);
    const auto share = [&hits](std::uint64_t begin, std::uint64_t end) {
      return static_cast<double>(hits[end] - hits[begin]) / static_cast<double>(end - begin);
    };
    const auto by = HitRateModel::by_requests;
    for (int check = 0; check < 500; ++check) {  // the newest are whole
      const std::uint64_t end = count - random.below(most / 4);
      QCOMPARE(rates.rate_after(0, by, end, 0), share(0, end));
      QCOMPARE(rates.rate_after(0, by, end, 25), share(end - 25, end));
      QCOMPARE(rates.window_after(end, 25), std::uint64_t{25});
      QCOMPARE(rates.seconds_of(end), static_cast<double>(end));
      QCOMPARE(rates.requests_at(static_cast<double>(end)), end);
    }
    for (int check = 0; check < 500; ++check) {
      const std::uint64_t end = 1000 + random.below(count - 2000);
      const double near = 2 * coarsest / static_cast<double>(end);
      QVERIFY(std::abs(rates.rate_after(0, by, end, 0) - share(0, end)) <= near);
      QVERIFY(std::abs(rates.rate_after(0, by, end, 1000) - share(end - 1000, end)) <= 4 * coarsest / 1000);
      const double narrow = rates.rate_after(0, by, end, 2);  // of one sum to the next at least
      QVERIFY(narrow >= 0 && narrow <= 1);
      const std::uint64_t over = rates.window_after(end, 2);
      QVERIFY(over >= 2 && static_cast<double>(over) <= 2 * coarsest);
      QVERIFY(std::abs(rates.seconds_of(end) - static_cast<double>(end)) <= coarsest);
    }
    QVERIFY(rates.rate_after(0, by, count / 4, 1000) > 0.1);  // never an empty window
    QVERIFY(rates.window_after(count / 4, 2) > 2);
  }

  // Tiers that come and go take no more columns.
  void columnsOfTiersAreUsedAgain() {
    HitRateModel rates;
    rates.set_tiers({{"dram", 1, {}, false}, {"ssd", 1, {}, false}});
    rates.request_finished(record_from("dram"), 1000, 1);
    rates.set_tiers({{"dram", 1, {}, false}});
    rates.set_tiers({{"dram", 1, {}, false}, {"ssd", 1, {}, false}});
    const std::size_t columns = rates.content().sums.size();
    for (int round = 0; round < 100; ++round) {
      rates.set_tiers({{"dram", 1, {}, false}});
      rates.set_tiers({{"dram", 1, {}, false}, {"other", 1, {}, false}});
      rates.set_tiers({{"dram", 1, {}, false}, {"ssd", 1, {}, false}});
    }
    QCOMPARE(rates.content().sums.size(), columns);
    rates.request_finished(record_from("ssd"), 1000, 2);
    QCOMPARE(rates.latest(0, HitRateModel::by_requests, 0), 0.5);
    QCOMPARE(rates.latest(1, HitRateModel::by_requests, 0), 0.5);
    QCOMPARE(rates.rate_after(1, HitRateModel::by_requests, 1, 0), 0.0);
  }

  void referencesAreTheNewest() {
    constexpr std::size_t most = ReferenceStream::max_chunks * ReferenceStream::chunk_requests, count = most + 5000;
    ReferenceStream stream;
    ReferenceStream::Content early, late;
    for (std::size_t i = 0; i < count; ++i) {
      if (i == 100) early = stream.content();
      if (i == count - 700) late = stream.content();
      stream.add({i, 1});
    }
    const ReferenceStream::Content& now = stream.content();
    QCOMPARE(now.requests, std::uint64_t{count});
    QVERIFY(held_references(stream) <= most && held_references(stream) > most - ReferenceStream::chunk_requests);
    QCOMPARE(now.dropped + held_references(stream), std::uint64_t{count});
    QVERIFY(now.extends(late) && now.extends(now));
    QVERIFY(!now.extends(early));  // what came behind it is gone
    const auto rest = now.after(late.requests);
    QCOMPARE(rest.size(), std::size_t{700});
    for (std::size_t i = 0; i < rest.size(); ++i) QCOMPARE(rest[i].context, count - 700 + i);
    QCOMPARE(now.after(0).front().context, now.dropped);
  }

  void whatServesNobodyAnyMoreIsForgotten() {
    FrontierPlanner planner;
    for (std::size_t i = 0; i < FrontierPlanner::max_waiting + 1000; ++i) planner.feed({i, 1});  // nobody asks
    QVERIFY(planner.waiting() <= FrontierPlanner::max_waiting);
    QVERIFY(planner.waiting() > 0);
    ScriptedSession session;
    SettingsController controller(session);
    for (int step = 0; step < SettingsController::max_undo_steps + 50; ++step) {
      SessionSettings changed = controller.committed();
      changed.alpha = 1 + 0.001 * step;
      QVERIFY(controller.commit(changed, "alpha", {}));
    }
    QCOMPARE(controller.undo_stack().count(), SettingsController::max_undo_steps);
    RunProgress progress;
    progress.report_work({"never ends", 1, 2}, 0);
    for (int piece = 0; piece < 1000; ++piece) progress.report_work({"piece " + std::to_string(piece), 1, 1}, piece);
    QVERIFY(progress.work_.size() <= RunProgress::max_work);
    QCOMPARE(progress.work_.front().what, QString("never ends"));
    QCOMPARE(progress.work_.back().what, QString("piece 999"));
  }

  // Qt keeps what it paints of each icon that it sees: the same icon every time.
  void iconsAreMadeOnce() {
    const Theme &light = theme_of(ThemeKind::light), &dark = theme_of(ThemeKind::dark);
    std::set<qint64> keys;
    for (int round = 0; round < 50; ++round)
      for (const char* name : {"start", "pause"})
        for (const Theme* theme : {&light, &dark}) keys.insert(icon(QString::fromLatin1(name), *theme).cacheKey());
    QCOMPARE(keys.size(), std::size_t{4});
    for (int i = 0; i < 3 * max_kept_icons; ++i) {
      (void)kept_icon(QStringLiteral("made %1").arg(i), [] { return QIcon(QPixmap(4, 4)); });
      QVERIFY(kept_icon_count() <= max_kept_icons);
    }
    QVERIFY(!icon(QStringLiteral("start"), light).isNull());
  }

  void aRunOfManyRequestsIsBounded() {
    constexpr int rounds = 11, requests = 2000;
    ScriptedSession session(60);
    RunModel run(session);
    session.set_state(RunState::running);
    session.serve(requests);
    const std::vector<Event> served = session.drain(1'000'000);
    run.tick(1000);
    std::size_t samples = 0, emitted = 0;
    for (std::uint64_t round = 0; round < rounds; ++round)  // the same again, as requests of their own
      for (const Event& event : served) {
        EventPayload payload = event.payload;
        if (std::holds_alternative<events::RunStarted>(payload)) continue;
        if (auto* begun = std::get_if<events::RequestStarted>(&payload)) begun->id += round * requests;
        if (auto* ended = std::get_if<events::RequestFinished>(&payload)) ended->record.id += round * requests;
        session.advance(0.001);
        session.emit_event(std::move(payload));
        if (++emitted % 500 != 0) continue;
        run.tick(60'000);
        samples = std::max(samples, check_sizes(run));
        if (QTest::currentTestFailed()) return;
      }
    run.tick(60'000);
    QCOMPARE(run.served(), static_cast<std::uint64_t>(rounds * requests));
    QVERIFY2(run.requests.rowCount() > 19'000 && samples > TierSeriesModel::sample_limit / 3,
             qPrintable(QStringLiteral("%1 rows, %2 samples").arg(run.requests.rowCount()).arg(samples)));
  }
};

KV_TEST_MAIN(BoundedModelsTest)

}  // namespace bounded_models_test

#include "bounded_models_test.moc"
