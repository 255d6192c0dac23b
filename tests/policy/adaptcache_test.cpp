// links: kv_base
// AdaptCache against its greedy written a second time with plain loops, and the meaning of its options on small worlds.
#include <QtTest>
#include <cstdio>
#include <map>
#include <set>

#include "core/policy/access_statistics.h"
#include "core/policy/actions.h"
#include "core/policy/adaptcache.h"
#include "core/policy/policy.h"
#include "core/policy/utility.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace adaptcache_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

/// Two tiers; KIVI in three widths and StreamingLLM at three fractions, as in the paper's code, in two families.
Snapshot random_world(Random& random, std::size_t contexts) {
  Snapshot snapshot = random_snapshot(random, {.contexts = contexts, .tiers = 2, .methods = 0});
  std::uint64_t total = 0;
  for (ContextState& context : snapshot.contexts) {
    context.family = random.below(2) == 0 ? "meeting" : "story";
    if (context.frequency == 0) context.frequency = 0.5;
    total += context.full_bytes;
    auto profile = std::make_shared<ContextProfile>();
    const double whole = 0.6 + 0.4 * random.uniform();
    const auto add = [&](const std::string& method, double removed, double bytes_kept, double loss) {
      const double quality = whole * (1 - loss * random.uniform());
      profile->points.push_back({method, removed, quality, quality, quality, 8,
                                 static_cast<std::uint64_t>(static_cast<double>(context.full_bytes) * bytes_kept),
                                 static_cast<int>(context.tokens * (1 - removed))});
    };
    add("none", 0, 1, 0);
    add("kivi8", 0, 0.7286, 0.02);
    add("kivi4", 0, 0.4857, 0.2);
    add("kivi2", 0, 0.3714, 0.7);
    for (const double removed : {0.25, 0.5, 0.75}) add("streaming_llm", removed, 1 - removed, 1.2 * removed);
    context.profile = profile;
  }
  snapshot.tiers[0].budget_bytes = total / 20 + random.below(total / 2);
  snapshot.tiers[1].budget_bytes = total / 20 + random.below(total);
  return snapshot;
}

/// The greedy as the paper describes it. `place`: where a context is and in which point of its profile.
class PlainGreedy {
 public:
  PlainGreedy(const Snapshot& snapshot, bool printed, bool dataset)
      : s_(snapshot), printed_(printed), dataset_(dataset) {
    place.assign(s_.contexts.size(), {-1, 0});
  }
  std::vector<std::pair<int, std::size_t>> place;

  void arrive(std::size_t c) {
    place[c] = {0, 0};
    while (used(0) > s_.tiers[0].budget_bytes) {
      double least = 0;
      std::size_t who = s_.contexts.size();
      std::pair<int, std::size_t> to{-1, 0};
      for (std::size_t i = 0; i < place.size(); ++i) {
        if (place[i].first != 0) continue;
        const auto mine = step(i);
        if (who < place.size() && mine.first >= least) continue;
        least = mine.first;
        who = i;
        to = mine.second;
      }
      place[who] = {-1, 0};
      if (to.first == 1)
        to_disk(who, to.second);
      else
        place[who] = to;
    }
  }

 private:
  const ProfilePoint& point(std::size_t c, std::size_t p) const { return s_.contexts[c].profile->points[p]; }
  static int kind(std::size_t p) { return p == 0 ? 0 : p <= 3 ? 1 : 2; }
  std::uint64_t used(int tier) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < place.size(); ++i)
      if (place[i].first == tier) sum += point(i, place[i].second).bytes;
    return sum;
  }
  double quality(std::size_t c, std::size_t p) const {
    if (!dataset_) return point(c, p).quality;
    double sum = 0;
    int n = 0;
    for (std::size_t i = 0; i < s_.contexts.size(); ++i)
      if (s_.contexts[i].family == s_.contexts[c].family && n < 10) sum += point(i, p).quality, ++n;
    return sum / n;
  }
  double value(std::size_t c, std::size_t p, int tier) const {
    const double n = s_.contexts[c].tokens, f = s_.contexts[c].frequency, kept = point(c, p).kept_tokens;
    double delay = s_.prefill.base_seconds + s_.prefill.seconds_per_token * n +
                   s_.prefill.seconds_per_token_squared * n * n + s_.question.base_seconds +
                   s_.question.seconds_per_kept_token * n;
    if (tier >= 0) {
      const TierModel& m = s_.tiers[static_cast<std::size_t>(tier)].model;
      delay = m.latency_seconds + static_cast<double>(point(c, p).bytes) / m.bytes_per_second +
              m.decode_seconds_per_token * kept + s_.question.base_seconds + s_.question.seconds_per_kept_token * kept;
    }
    const double worth = s_.alpha * quality(c, tier >= 0 ? p : 0);
    return printed_ ? f * worth - delay : f * (worth - delay);
  }
  int chosen_kind(std::size_t c) const {
    if (place[c].second != 0) return kind(place[c].second);
    double least = std::numeric_limits<double>::infinity();
    int best = 0;
    for (std::size_t p = 1; p < 7; ++p) {
      const double marginal =
          (value(c, 0, 0) - value(c, p, 0)) / static_cast<double>(point(c, 0).bytes - point(c, p).bytes);
      if (marginal < least) least = marginal, best = kind(p);
    }
    return best;
  }
  /// Drop per byte of the cheapest change of a context on the fast tier, and where it leads.
  std::pair<double, std::pair<int, std::size_t>> step(std::size_t c) const {
    const std::size_t now = place[c].second;
    const double held = value(c, now, 0), bytes = static_cast<double>(point(c, now).bytes);
    const int kind_of_c = chosen_kind(c);
    double away = value(c, 0, -1);
    std::pair<int, std::size_t> to{-1, 0};
    for (std::size_t p = 0; p < 7; ++p)
      if (point(c, p).bytes <= point(c, now).bytes && (p == 0 || kind(p) == kind_of_c) && value(c, p, 1) > away)
        away = value(c, p, 1), to = {1, p};
    double least = (held - away) / bytes;
    for (std::size_t p = 1; p < 7; ++p)
      if (kind(p) == kind_of_c && point(c, p).bytes < point(c, now).bytes) {
        const double marginal = (held - value(c, p, 0)) / (bytes - static_cast<double>(point(c, p).bytes));
        if (marginal < least) least = marginal, to = {0, p};
      }
    return {least, to};
  }
  void to_disk(std::size_t c, std::size_t p) {
    const std::uint64_t bytes = point(c, p).bytes, budget = s_.tiers[1].budget_bytes;
    if (bytes > budget) return;
    while (used(1) + bytes > budget) {
      std::size_t oldest = place.size();
      for (std::size_t i = 0; i < place.size(); ++i)
        if (place[i].first == 1 &&
            (oldest == place.size() || s_.contexts[i].last_access < s_.contexts[oldest].last_access))
          oldest = i;
      place[oldest] = {-1, 0};
    }
    place[c] = {1, p};
  }

  const Snapshot& s_;
  bool printed_, dataset_;
};

std::shared_ptr<const Policy> policy(const QString& text) { return *make_policy(text.toStdString()); }

void add_readings() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<bool>("printed");
  QTest::addColumn<bool>("dataset");
  for (const bool printed : {false, true})
    for (const bool dataset : {false, true}) {
      const QString text = QString("adaptcache(utility=%1,quality=%2)")
                               .arg(printed ? "printed" : "described", dataset ? "dataset" : "context");
      QTest::newRow(qPrintable(text)) << text << printed << dataset;
    }
}

}  // namespace

class AdaptCacheTest : public QObject {
  Q_OBJECT
 private slots:
  void decidesAsThePlainGreedyOverALongRun_data() { add_readings(); }
  void decidesAsThePlainGreedyOverALongRun() {
    QFETCH(QString, text);
    QFETCH(bool, printed);
    QFETCH(bool, dataset);
    const auto adapt = policy(text);
    Random random(71);
    std::set<std::string> forms;
    int on_disk = 0;
    for (int run = 0; run < 40; ++run) {
      PolicyState state{random_world(random, 10)};
      Snapshot& snapshot = state.snapshot;
      for (ContextState& context : snapshot.contexts) {
        context.archived = false;
        context.last_access = 0;
      }
      PlainGreedy plain(snapshot, printed, dataset);
      for (std::uint64_t now = 1; now <= 60; ++now) {
        const auto c = random.below(1 + random.below(10));
        const bool miss = !snapshot.contexts[c].placement.stored();
        note_request(snapshot, c, now);
        const auto handle = [&](PolicyEvent::Kind kind) {
          for (const PlacementAction& action : adapt->advance(state, {kind, snapshot.contexts[c].key}).actions)
            apply(snapshot, action);
        };
        handle(PolicyEvent::Kind::requested);
        if (miss) {
          // All qualities are known beforehand, but what has no original yet has no choice either.
          snapshot.contexts[c].archived = true;
          handle(PolicyEvent::Kind::context_computed);
          plain.arrive(c);
        }
        for (std::size_t i = 0; i < plain.place.size(); ++i) {
          const ContextState& context = snapshot.contexts[i];
          const ProfilePoint& point = context.profile->points[plain.place[i].second];
          QCOMPARE(context.placement.tier, plain.place[i].first);
          if (!context.placement.stored()) continue;
          QCOMPARE(context.placement.method, point.method);
          QCOMPARE(context.placement.removed_fraction, point.removed_fraction);
          forms.insert(point.method);
          on_disk += context.placement.tier == 1;
        }
      }
    }
    QVERIFY(forms.size() >= (dataset ? 2 : 4));  // means of a family have one favorite
    QVERIFY(on_disk > 50);
  }

  // The paper's estimator samples ten entries of each data set: here the first by key that have a profile.
  void meansOfAFamilyAreOverTenContexts() {
    Random random(79);
    Snapshot snapshot = random_world(random, 26);
    for (std::size_t c = 0; c < snapshot.contexts.size(); ++c)
      snapshot.contexts[c].family = c % 2 == 0 ? "meeting" : "story";
    snapshot.contexts[4].profile = nullptr;
    const AdaptCacheForms forms(snapshot, AdaptCacheOptions{});
    int compared = 0;
    for (std::size_t c = 0; c < snapshot.contexts.size(); ++c)
      for (const AdaptCacheForms::Form& form : forms.forms[c]) {
        double sum = 0;
        int n = 0;
        for (const ContextState& context : snapshot.contexts) {
          if (context.family != snapshot.contexts[c].family || context.profile == nullptr || n == 10) continue;
          const ProfilePoint* point = find_point(context, form.method, form.removed_fraction);
          QVERIFY(point != nullptr);
          sum += point->quality;
          ++n;
        }
        QCOMPARE(n, 10);
        QVERIFY(std::fabs(form.quality - sum / n) < 1e-12);
        ++compared;
      }
    QVERIFY2(compared > 26, qPrintable(QString::number(compared)));
    // The thirteenth of a family says nothing about it, the second does.
    const auto with_zeros_for = [&](std::size_t c) {
      Snapshot changed = snapshot;
      auto profile = std::make_shared<ContextProfile>(*snapshot.contexts[c].profile);
      for (ProfilePoint& point : profile->points) point.quality = 0;
      changed.contexts[c].profile = profile;
      return AdaptCacheForms(changed, AdaptCacheOptions{}).prefill_quality[1];
    };
    QCOMPARE(with_zeros_for(25), forms.prefill_quality[1]);
    QVERIFY(with_zeros_for(3) < forms.prefill_quality[1]);
  }

  void planLetsAllArriveInTheOrderOfTheirLastUse_data() { add_readings(); }
  void planLetsAllArriveInTheOrderOfTheirLastUse() {
    QFETCH(QString, text);
    QFETCH(bool, printed);
    QFETCH(bool, dataset);
    Random random(72);
    for (int i = 0; i < 200; ++i) {
      Snapshot snapshot = random_world(random, 2 + random.below(10));
      std::vector<std::size_t> order(snapshot.contexts.size());
      for (std::size_t c = 0; c < order.size(); ++c)
        order[c] = c, snapshot.contexts[c].last_access = 1000 * random.below(50) + c;
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return snapshot.contexts[a].last_access < snapshot.contexts[b].last_access;
      });
      PlainGreedy plain(snapshot, printed, dataset);
      for (const std::size_t c : order) plain.arrive(c);
      const Plan plan = policy(text)->plan(snapshot);
      for (std::size_t c = 0; c < order.size(); ++c) {
        QCOMPARE(plan.contexts[c].configuration.tier, plain.place[c].first);
        if (plan.contexts[c].configuration.stored())
          QCOMPARE(plan.contexts[c].configuration.method,
                   snapshot.contexts[c].profile->points[plain.place[c].second].method);
      }
    }
  }

  void aCurveIsItsPlansWithoutTheirText() {
    Random random(76);
    int stored = 0, left_behind = 0;
    for (int i = 0; i < 100; ++i) {
      Snapshot snapshot = random_snapshot(random, {.contexts = 12, .tiers = 3, .placed = true, .unprofiled = true});
      if (i % 2 == 1) snapshot.candidates.methods = {"m1"};  // what is stored otherwise is no candidate any more
      for (const char* text :
           {"adaptcache", "adaptcache(utility=printed)", "adaptcache(quality=context)", "adaptcache(pool=paper)"}) {
        const auto adapt = policy(text);
        const std::vector<double> alphas{1e-3, 0.1, 1, 30};
        const auto points = adapt->curve(snapshot, alphas);
        for (std::size_t a = 0; a < alphas.size(); ++a) {
          snapshot.alpha = alphas[a];
          const Plan plan = adapt->plan(snapshot);
          QCOMPARE(points[a].alpha, alphas[a]);
          QCOMPARE(points[a].mean_quality, plan.mean_quality);
          QCOMPARE(points[a].mean_ttft_seconds, plan.mean_ttft_seconds);
          QCOMPARE(points[a].utility, plan.total_utility);
          for (const PlannedContext& context : plan.contexts) {
            stored += context.configuration.stored();
            left_behind += context.configuration.stored() && i % 2 == 1 && context.configuration.method == "m0";
          }
        }
      }
    }
    QVERIFY(stored > 1000);
    QVERIFY(left_behind > 0);
  }

  void thePaperPoolLeavesOtherMethodsAlone() {
    Random random(73);
    int others = 0;
    for (int i = 0; i < 50; ++i) {
      Snapshot snapshot = random_world(random, 8);
      for (ContextState& context : snapshot.contexts) {
        auto profile = std::make_shared<ContextProfile>(*context.profile);
        const ProfilePoint whole = profile->points[0];
        profile->points.push_back({"snapkv", 0.5, whole.quality, 0, 1, 8, whole.bytes / 2, whole.kept_tokens / 2});
        context.profile = profile;
      }
      const auto count = [&](const char* text) {
        int n = 0;
        for (const PlannedContext& context : policy(text)->plan(snapshot).contexts)
          n += context.configuration.method == "snapkv";
        return n;
      };
      others += count("adaptcache");
      QCOMPARE(count("adaptcache(pool=paper)"), 0);
    }
    QVERIFY(others > 20);
  }

  void whatWasDecidedIsStillWantedWhenTheNextArrives() {
    Random random(74);
    for (int i = 0; i < 50; ++i) {
      const Snapshot snapshot = random_world(random, 6);
      PolicyState prompt{snapshot}, late{snapshot};
      const auto adapt = policy("adaptcache");
      std::vector<PlacementAction> open;
      for (const ContextState& context : snapshot.contexts) {
        const PolicyEvent event{PolicyEvent::Kind::context_computed, context.key};
        for (const PlacementAction& action : adapt->advance(prompt, event).actions) apply(prompt.snapshot, action);
        open = adapt->advance(late, event).actions;  // nothing is carried out until the end
      }
      for (const PlacementAction& action : open) apply(late.snapshot, action);
      for (std::size_t c = 0; c < snapshot.contexts.size(); ++c) {
        const Configuration &a = prompt.snapshot.contexts[c].placement, &b = late.snapshot.contexts[c].placement;
        QVERIFY(a == b || (!a.stored() && !b.stored()));
      }
    }
  }

  // Whatever forms there are, all tiers stay within their budgets, and no plan is above the optimum.
  void budgetsAreKeptWithTheNewForms_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"adaptcache", "adaptcache(utility=printed)", "adaptcache(quality=context)", "adaptcache(pool=paper)"})
      QTest::newRow(text) << QString(text);
  }
  void budgetsAreKeptWithTheNewForms() {
    QFETCH(QString, text);
    const auto adapt = policy(text);
    Random random(77);
    int compressed = 0, inputs = 0, gainful = 0;
    for (int i = 0; i < 2'000; ++i) {
      WorldShape shape;
      shape.contexts = random.below(i % 10 < 2 ? 4 : 20);
      shape.tiers = random.below(4);
      shape.methods = random.below(4);
      shape.fractions = 1 + random.below(5);
      const bool small = shape.contexts < 4 && shape.tiers < 3;
      shape.unprofiled = !small && random.below(2) == 0;  // every assignment is tried for profiled contexts alone
      if (small) shape.methods = std::min<std::size_t>(shape.methods, 2);
      Snapshot snapshot = random_snapshot(random, shape);
      if (i % 2 == 1) store_inputs_and_serve_hybrid(snapshot);
      const Plan plan = adapt->plan(snapshot);
      QCOMPARE(plan.contexts.size(), snapshot.contexts.size());
      QVERIFY2(keeps_budgets(plan, snapshot), qPrintable(QString("problem %1").arg(i)));
      for (const PlannedContext& planned : plan.contexts) {
        compressed += planned.configuration.stored() && planned.configuration.method != "none";
        inputs += planned.configuration.method == "layer_inputs";
      }
      if (!small) continue;
      const double best = exhaustive_best(snapshot);
      QVERIFY2(plan.total_utility <= best + 1e-9 * (1 + std::fabs(best)), qPrintable(QString("problem %1").arg(i)));
      gainful += best - prefill_everything(snapshot) > 1e-9;
    }
    const bool paper = text.contains("pool=paper");  // layer inputs are not in the paper's pool
    QVERIFY2(paper ? compressed == 0 : compressed > 500 && inputs > 50,
             qPrintable(QString("%1, %2").arg(compressed).arg(inputs)));
    QVERIFY(gainful > 20);
  }

  // Where everything fits uncompressed into the fast tier, nothing is taken from there, into no new form either.
  void whatFitsStaysUncompressed() {
    Random random(78);
    for (int i = 0; i < 100; ++i) {
      Snapshot snapshot = random_snapshot(random, {.contexts = 8, .tiers = 1 + random.below(3), .unprofiled = true});
      store_inputs_and_serve_hybrid(snapshot);
      snapshot.tiers[0].budget_bytes = std::numeric_limits<std::uint64_t>::max();
      const Plan plan = policy("adaptcache")->plan(snapshot);
      for (std::size_t c = 0; c < plan.contexts.size(); ++c) {
        if (snapshot.contexts[c].frequency <= 0) continue;  // it does not arrive
        QVERIFY(plan.contexts[c].configuration == (Configuration{0, "none", 0}));
      }
    }
  }

  // More budget may lower the total, so no test asks for the opposite. The tier below evicts by recency alone: once an
  // entry begins to fit there, it takes the place of all that were used before it, whatever they are worth together.
  void moreBudgetMayLowerTotalUtility() {
    Snapshot snapshot;
    snapshot.tiers = {{"dram", 50, {0, 1e9, 0, 0}, false}, {"ssd", 1000, {0, 1e8, 0, 0}, false}};
    snapshot.prefill = {0, 0.01, 0};
    for (std::uint64_t i = 0; i < 11; ++i) {
      const bool large = i == 10;  // and the last one that was used
      ContextState context;
      context.key = {0, i};
      context.id = std::string("c").append(std::to_string(i));
      context.tokens = 1000;
      context.full_bytes = large ? 1001 : 100;
      context.frequency = 1;
      context.last_access = i + 1;
      context.archived = true;
      auto profile = std::make_shared<ContextProfile>();
      profile->points.push_back({"none", 0, 1, 1, 1, 1, context.full_bytes, context.tokens});
      context.profile = profile;
      snapshot.contexts.push_back(context);
    }
    const Plan before = policy("adaptcache")->plan(snapshot);
    QCOMPARE(before.used_bytes[1], std::uint64_t{1000});
    snapshot.tiers[1].budget_bytes = 1001;
    const Plan after = policy("adaptcache")->plan(snapshot);
    QCOMPARE(after.used_bytes[1], std::uint64_t{1001});
    QVERIFY(after.total_utility < before.total_utility - 1);
    QVERIFY(keeps_budgets(before, snapshot) && keeps_budgets(after, snapshot));
  }

  void gapToTheOptimumIsPrinted() {
    Random random(75);
    std::map<std::string, double> gaps;
    int n = 0;
    for (int i = 0; i < 300; ++i) {
      const Snapshot snapshot = random_world(random, 3);
      const double best = exhaustive_best(snapshot), floor = prefill_everything(snapshot);
      if (best - floor < 1e-9) continue;
      ++n;
      for (const char* text :
           {"adaptcache", "adaptcache(quality=context)", "adaptcache(utility=printed,quality=context)"}) {
        const double total = policy(text)->plan(snapshot).total_utility;
        QVERIFY(total <= best + 1e-9 * (1 + std::fabs(best)));
        gaps[text] += (best - total) / (best - floor);
      }
    }
    for (const auto& [text, sum] : gaps)
      std::printf(
          "gap to the optimum of EvicPress's utility, share of what storing can gain, %s, %d problems: mean %.4f\n",
          text.c_str(), n, sum / n);
    QVERIFY(n > 200);
  }
};

KV_TEST_GUILESS_MAIN(AdaptCacheTest)

}  // namespace adaptcache_test

#include "adaptcache_test.moc"
