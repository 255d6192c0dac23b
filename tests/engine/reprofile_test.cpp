// links: app_wiring
// Questions drift, and curves that are measured again restore the quality that old ones lose; without, it stays lost.
// In virtual time, with the numbers of the real model.
#include <QtTest>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "core/base/statistics.h"
#include "core/ports/recorded_snapshot.h"
#include "core/quality/drift_watch.h"
#include "tests/support/drifting_part.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace reprofile_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::uint64_t requests = 180;

/// The drift at a place of its own, so that both sides of it are long enough.
Workload drifting_part(const Workload& sample) {
  Workload part = first_of_each_family(sample);
  part.arrivals.requests = requests;
  part.arrivals.drift->begin = 0.3;
  part.arrivals.drift->end = 0.4;
  return part;
}

/// The most that a compressed form is still expected to give, over what was found to be left: at a drift, before the
/// curve is measured again.
double max_trusted(const std::vector<Event>& events) {
  std::map<std::string, double> left;
  double most = 0;
  for (const Event& event : events) {
    if (const auto* drift = std::get_if<events::DriftDetected>(&event.payload))
      left[drift->context_id] = drift->achieved_quality / drift->profiled_quality;
    const auto* assumed = std::get_if<events::ContextProfiled>(&event.payload);
    if (assumed == nullptr || !assumed->after_drift || assumed->seconds > 0 || !left.contains(assumed->context_id))
      continue;
    for (const ProfilePoint& point : assumed->profile.points)
      if (point.removed_fraction > 0 && left[assumed->context_id] > 0)
        most = std::max(most, point.estimate() / left[assumed->context_id]);
  }
  return most;
}

struct Qualities {
  double before = 0, profiled_before = 0, at_the_end = 0;
  std::size_t drifts = 0, curves = 0;
  double max_trusted = 0;
};

}  // namespace

class ReprofileTest : public QObject {
  Q_OBJECT

  static Expected<Qualities> serve(EngineHarness& harness, bool reprofile) {
    SessionSettings settings = harness.engine().settings();
    settings.reprofile = reprofile;
    KV_TRY(harness.engine().apply(settings));
    harness.sink.clear();
    harness.engine().start();
    if (harness.wait(900) != RunState::finished) return fail(ErrorCode::internal, "the run did not finish");
    const std::vector<RequestRecord> records = harness.sink.records();
    if (records.size() != requests) return fail(ErrorCode::internal, "requests are missing");
    std::vector<double> before, profiled, end;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const double share = static_cast<double>(i) / requests;
      const double quality = records[i].quality.at("token_f1");
      if (share >= 0.05 && share < 0.3) before.push_back(quality), profiled.push_back(records[i].predicted_quality);
      if (share >= 0.7) end.push_back(quality);
    }
    Qualities result{mean_of(before),
                     mean_of(profiled),
                     mean_of(end),
                     harness.sink.all<events::DriftDetected>().size(),
                     0,
                     max_trusted(harness.sink.events())};
    for (const auto& event : harness.sink.all<events::ContextProfiled>()) result.curves += event.after_drift ? 1 : 0;
    qInfo("%s: %.3f before (%.3f profiled), %.3f at the end; %zu drifts, %zu curves measured again",
          reprofile ? "measured again" : "kept", result.before, result.profiled_before, result.at_the_end,
          result.drifts, result.curves);
    return result;
  }

  /// One context that drifts, curves of kvzip and keydiff measured.
  static Expected<std::unique_ptr<EngineHarness>> open_with_kvzip(const QTemporaryDir& folder, bool frozen,
                                                                  ModelKind model) {
    KV_ASSIGN(const auto sample, read_workload(source_directory() / "sample_workloads" / "drifting-questions"));
    SessionOptions options;
    options.model = model_directory();
    options.workload = folder.path().toStdString() + "/workload";
    options.store = folder.path().toStdString() + "/store";
    options.tiers = {"dram=2MiB", "ssd=64MiB,bandwidth=180MB/s,latency=1ms"};
    options.policy = "evicpress";
    options.alpha = 0.1;
    options.methods = {"kvzip", "keydiff"};
    options.removed_fractions = {0.8};
    options.cold_start = true;
    options.frozen = frozen;
    Workload part = drifting_part(sample);
    part.contexts.resize(1);
    std::erase_if(part.questions, [](const WorkloadQuestion& question) { return question.context > 0; });
    KV_TRY(write_workload(part, options.workload));
    KV_ASSIGN(auto harness, open_virtual(options, model));
    harness->engine().profile_all();
    if (harness->wait(280) != RunState::ready) return fail(ErrorCode::internal, "it was not profiled");
    SessionSettings settings = harness->engine().settings();
    settings.reprofile = true;
    settings.reprofile_when = ReprofileRule::relative(0.1);
    KV_TRY(harness->engine().apply(settings));
    return harness;
  }

 private slots:
  void initTestCase() {
    if (model_directory() != source_directory() / "resources" / "model") QSKIP("the default model is not there");
  }

  /// What loading and computing cost on an idle machine, so that the same is decided on every one.
  static events::SnapshotTaken costs_at_rest(const Snapshot& of_session) {
    events::SnapshotTaken costs = recorded_snapshot(of_session, "frozen");
    costs.contexts.clear();
    costs.tiers[0].model = {1e-4, 4e9, 3e-7, 0};
    costs.tiers[1].model = {1.3e-3, 180e6, 3e-7, 0};
    costs.prefill = {0, 4.2e-5, 1.15e-8};
    costs.question = {3e-3, 1e-6};
    return costs;
  }

  // Frozen and with given costs.
  void curvesMeasuredAgainRestoreQuality() {
    const auto sample = read_workload(source_directory() / "sample_workloads" / "drifting-questions");
    QVERIFY2(sample, sample ? "" : sample.error().message.c_str());
    QTemporaryDir folder;
    SessionOptions options;
    options.model = model_directory();
    options.workload = folder.path().toStdString() + "/workload";
    options.store = folder.path().toStdString() + "/store";
    options.tiers = {"dram=2MiB", "ssd=64MiB,bandwidth=180MB/s,latency=1ms"};
    options.policy = "evicpress";
    options.alpha = 0.1;
    options.methods = {"keydiff"};
    options.removed_fractions = {0.8, 0.9};
    options.cold_start = true;
    options.frozen = true;
    QVERIFY(write_workload(drifting_part(*sample), options.workload));
    {
      const auto fitted = open_virtual(options, ModelKind::ticking);
      QVERIFY2(fitted, fitted ? "" : fitted.error().message.c_str());
      options.frozen_costs = costs_at_rest(*(*fitted)->engine().snapshot());
    }
    const auto opened = open_virtual(options, ModelKind::ticking);
    QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
    EngineHarness& harness = **opened;
    harness.engine().profile_all();
    QCOMPARE(harness.wait(900), RunState::ready);
    const auto profiles = harness.engine().snapshot()->contexts;

    const auto kept = serve(harness, false);
    QVERIFY2(kept, kept ? "" : kept.error().message.c_str());
    QCOMPARE(kept->drifts, std::size_t{0});
    const auto again = serve(harness, true);
    QVERIFY2(again, again ? "" : again.error().message.c_str());
    QVERIFY(again->drifts > 0 && again->curves > 0);
    QVERIFY2(again->max_trusted > 0 && again->max_trusted <= 1 + 1e-9, qPrintable(QString::number(again->max_trusted)));
    QVERIFY(kept->at_the_end < 0.9 * kept->before);
    // Back within 3 % of what was profiled before the drift, and not without measuring again.
    QVERIFY2(again->at_the_end >= 0.97 * again->profiled_before,
             qPrintable(QString("%1 of %2").arg(again->at_the_end).arg(again->profiled_before)));
    QVERIFY(kept->at_the_end < 0.97 * kept->profiled_before);
    QVERIFY2(again->at_the_end > kept->at_the_end + 0.1, "no better than with the old curves");
    // A cold start goes back to the curves of the profile questions: the same as the first time.
    const auto restarted = serve(harness, false);
    QVERIFY2(restarted, restarted ? "" : restarted.error().message.c_str());
    QCOMPARE(restarted->at_the_end, kept->at_the_end);
    QCOMPARE(restarted->profiled_before, kept->profiled_before);
  }

  // What would take the whole model over the context at once is not done while requests wait: kvzip keeps its curve,
  // less what keydiff's has lost.
  void longStepsAreLeftOut() {
    QTemporaryDir folder;
    const auto opened = open_with_kvzip(folder, true, ModelKind::timed);
    QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
    EngineHarness& harness = **opened;
    const ContextProfile before = *harness.engine().snapshot()->contexts[0].profile;
    harness.sink.clear();
    harness.engine().start();
    QCOMPARE(harness.wait(280), RunState::finished);
    std::optional<ContextProfile> after;
    for (const auto& event : harness.sink.all<events::ContextProfiled>())
      if (event.after_drift && event.seconds > 0) after = event.profile;
    QVERIFY(after.has_value());
    const auto point = [](const ContextProfile& profile, const std::string& method) {
      return *std::ranges::find(profile.points, method, &ProfilePoint::method);
    };
    const double kept_share = point(*after, "keydiff").quality / point(before, "keydiff").quality;
    QVERIFY(kept_share < 1);
    QVERIFY(point(*after, "kvzip").quality > 0);
    QCOMPARE(point(*after, "kvzip").n, point(before, "kvzip").n);
    QVERIFY(std::abs(point(*after, "kvzip").quality - point(before, "kvzip").quality * kept_share) < 1e-9);
  }

  // A question is scored before a profile may know it, and a request says whether one knew its question: one of the
  // last eight that were answered before the latest curve, or before an earlier one.
  void requestsSayWhetherAProfileKnewTheirQuestion() {
    QTemporaryDir folder;
    const auto opened = open_with_kvzip(folder, true, ModelKind::timed);
    QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
    EngineHarness& harness = **opened;
    harness.sink.clear();
    harness.engine().start();
    QCOMPARE(harness.wait(280), RunState::finished);
    std::deque<std::string> latest;
    std::set<std::string> in_profiles;
    std::size_t curves = 0, known = 0;
    for (const Event& event : harness.sink.events()) {
      if (const auto* measured = std::get_if<events::ContextProfiled>(&event.payload);
          measured != nullptr && measured->after_drift && measured->seconds > 0) {
        in_profiles.insert(latest.begin(), latest.end());
        ++curves;
      }
      const auto* finished = std::get_if<events::RequestFinished>(&event.payload);
      if (finished == nullptr) continue;
      const RequestRecord& record = finished->record;
      QVERIFY(record.quality.contains("token_f1"));
      QCOMPARE(record.in_profile, in_profiles.contains(record.question));
      known += record.in_profile ? 1 : 0;
      std::erase(latest, record.question);
      latest.push_back(record.question);
      if (latest.size() > DriftRule{}.max_questions) latest.pop_front();
    }
    qInfo("%zu curves measured again; %zu of %d questions were in one", curves, known, static_cast<int>(requests));
    QVERIFY(curves > 0 && known > 0 && known < requests);
    // A cold start restores the first curves, which know none of them.
    SessionSettings settings = harness.engine().settings();
    settings.reprofile = false;
    QVERIFY(harness.engine().apply(settings));
    harness.sink.clear();
    harness.engine().start();
    QCOMPARE(harness.wait(280), RunState::finished);
    QCOMPARE(harness.sink.records().size(), static_cast<std::size_t>(requests));
    for (const RequestRecord& record : harness.sink.records()) QVERIFY(!record.in_profile);
  }

  // At a rate: of the busy time no more than 5 % is spent on it, one step apart, and a step is of the order of a layer
  // (quality_profiler_test counts them).
  void requestsAtARateAreHardlyHeldUp() {
    QTemporaryDir folder;
    const auto opened = open_with_kvzip(folder, false, ModelKind::timed);
    QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
    EngineHarness& harness = **opened;
    SessionSettings settings = harness.engine().settings();
    settings.max_batch = 4;
    settings.requests_per_second = 12;
    QVERIFY(harness.engine().apply(settings));
    harness.sink.clear();
    harness.engine().start();
    QCOMPARE(harness.wait(280), RunState::finished);
    const auto counted = harness.sink.all<events::EngineCounted>();
    QCOMPARE(counted.size(), std::size_t{1});
    QVERIFY(counted[0].drifts > 0 && counted[0].reprofiling_seconds > 0);
    // Room for a step is left before it begins: only one longer than any layer of a prefill goes beyond the 5 %.
    const double profile_step = counted[0].longest_profile_step_seconds,
                 layer = counted[0].longest_prefill_step_seconds;
    qInfo("%.2f %% of %.1f s busy; longest step of profiling %.1f ms, of a prefill %.1f ms",
          100 * counted[0].reprofiling_seconds / counted[0].busy_seconds, counted[0].busy_seconds, 1e3 * profile_step,
          1e3 * layer);
    QVERIFY(counted[0].reprofiling_seconds <= 0.05 * counted[0].busy_seconds + std::max(0.0, profile_step - layer));
    QVERIFY2(profile_step <= 4 * layer, qPrintable(QString("%1 s, a layer %2 s").arg(profile_step).arg(layer)));
  }
};

KV_TEST_GUILESS_MAIN(ReprofileTest)

}  // namespace reprofile_test

#include "reprofile_test.moc"
