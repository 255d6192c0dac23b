// links: kv_base
// Where IMPRESS puts contexts: whole and in chunks, on the slowest tier with a budget, which holds at every moment, and
// what does not fit there on an unlimited tier below.
#include <QtTest>

#include <limits>

#include "core/policy/access_statistics.h"
#include "core/policy/actions.h"
#include "core/policy/policy.h"
#include "tests/support/test_program.h"

namespace impress_test {

using namespace kvantage;

namespace {

constexpr std::uint64_t full_bytes = 100'000;
constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
const Configuration on_ssd{1, "token_chunks", 0}, on_remote{2, "token_chunks", 0};

Snapshot snapshot_of(int contexts, std::vector<std::uint64_t> budgets) {
  Snapshot snapshot;
  for (const std::uint64_t budget : budgets)
    snapshot.tiers.push_back(
        {.name = "t" + std::to_string(snapshot.tiers.size()), .budget_bytes = budget, .model = {}});
  for (int c = 0; c < contexts; ++c) {
    ContextState context;
    context.key = {static_cast<std::uint64_t>(c + 1), 0};
    context.id = "c" + std::to_string(c);
    context.tokens = 1000;
    context.full_bytes = full_bytes;
    context.archived = true;
    snapshot.contexts.push_back(context);
  }
  return snapshot;
}

PolicyEvent event_of(PolicyEvent::Kind kind, const Snapshot& snapshot, std::size_t context) {
  return {.kind = kind, .context = snapshot.contexts[context].key};
}

/// Carries out what the policy wants; real entries are a little larger than the uncompressed ones.
std::vector<PlacementAction> carry_out(const Policy& policy, PolicyState& state, const PolicyEvent& event) {
  auto actions = policy.advance(state, event).actions;
  for (const PlacementAction& action : actions) {
    apply(state.snapshot, action, action.to.stored() ? std::optional(full_bytes + full_bytes / 100) : std::nullopt);
    if (over_budget(state.snapshot)) qFatal("a tier is above its budget");
  }
  return actions;
}

}  // namespace

class ImpressTest : public QObject {
  Q_OBJECT

 private slots:
  void contextsAreWholeOnTheSlowestTier() {
    const auto policy = *make_policy("impress(kept=0.3,chunk=32)");
    QCOMPARE(policy->question_time_reads()->kept, 0.3);
    QCOMPARE(policy->question_time_reads()->probes, 3);
    QVERIFY(!policy->is_planner() && !policy->uses_alpha());
    QVERIFY(policy->admission({}).stored());
    for (const std::size_t tiers : {1U, 2U, 3U}) {
      PolicyState state{snapshot_of(5, std::vector<std::uint64_t>(tiers, 1'000'000))};
      for (std::size_t c = 0; c < 5; ++c) {
        const auto actions =
            carry_out(*policy, state, event_of(PolicyEvent::Kind::context_computed, state.snapshot, c));
        QCOMPARE(actions.size(), std::size_t{1});
        QVERIFY((state.snapshot.contexts[c].placement ==
                 Configuration{static_cast<int>(tiers) - 1, "token_chunks(length=32)", 0}));
        QVERIFY(carry_out(*policy, state, event_of(PolicyEvent::Kind::requested, state.snapshot, c)).empty());
      }
    }
    QCOMPARE((*make_policy("impress"))->admission({}).method, std::string("token_chunks"));
    QVERIFY(!(*make_policy("important_fraction"))->question_time_reads() &&
            !(*make_policy("lru"))->question_time_reads());
  }

  void wholeContextsAreOnTheSlowestTierWithABudget() {
    const auto tier = [](const std::vector<bool>& is_unlimited) {
      return whole_context_tier(is_unlimited.size(), [&](std::size_t t) { return is_unlimited[t]; });
    };
    QCOMPARE(tier({}), std::size_t{0});
    QCOMPARE(tier({true}), std::size_t{0});
    for (const bool first : {false, true})
      for (const bool last : {false, true}) QCOMPARE(tier({first, last}), std::size_t{1});
    QCOMPARE(tier({false, false, false}), std::size_t{2});
    QCOMPARE(tier({false, false, true}), std::size_t{1});
    QCOMPARE(tier({false, true, true}), std::size_t{1});  // the fastest tier is for copies
    QCOMPARE(tier({false, true, false}), std::size_t{2});
    QCOMPARE(tier({false, false, false, true}), std::size_t{2});
  }

  // As on the paper's machine: the SSD has a budget, the remote tier has none.
  void whatDoesNotFitOverflowsToTheUnlimitedTier() {
    const auto policy = *make_policy("impress");
    PolicyState state{snapshot_of(5, {50'000, 350'000, unlimited})};  // room for three on the SSD
    auto& contexts = state.snapshot.contexts;
    std::uint64_t counter = 0;
    for (std::size_t c = 0; c < 5; ++c) {
      for (std::size_t times = 0; times < 5 - c; ++times) note_request(state.snapshot, c, ++counter);
      carry_out(*policy, state, event_of(PolicyEvent::Kind::context_computed, state.snapshot, c));
    }
    for (std::size_t c = 0; c < 5; ++c) QVERIFY(contexts[c].placement == (c < 3 ? on_ssd : on_remote));
    // What is still requested least stays below, and no setting moves it.
    QVERIFY(carry_out(*policy, state, event_of(PolicyEvent::Kind::requested, state.snapshot, 4)).empty());
    QVERIFY(carry_out(*policy, state, {.kind = PolicyEvent::Kind::settings_changed, .context = {}}).empty());
    // Requested more than another, it returns in that one's place, unchanged and so without an original.
    for (int times = 0; times < 6; ++times) note_request(state.snapshot, 4, ++counter);
    contexts[4].archived = false;
    QCOMPARE(carry_out(*policy, state, event_of(PolicyEvent::Kind::requested, state.snapshot, 4)).size(),
             std::size_t{2});
    for (std::size_t c = 0; c < 5; ++c) QVERIFY(contexts[c].placement == (c == 2 || c == 3 ? on_remote : on_ssd));
    // A smaller SSD drops nothing.
    state.snapshot.tiers[1].budget_bytes = 150'000;
    const auto moves = policy->advance(state, {.kind = PolicyEvent::Kind::settings_changed, .context = {}}).actions;
    for (const PlacementAction& action : moves) apply(state.snapshot, action, action.bytes_before);
    QVERIFY(!over_budget(state.snapshot));
    for (std::size_t c = 0; c < 5; ++c) QVERIFY(contexts[c].placement == (c == 4 ? on_ssd : on_remote));
    QCOMPARE(used_bytes(state.snapshot)[0], std::uint64_t{0});
    // An SSD that is too small for any context holds none.
    state.snapshot.tiers[1].budget_bytes = 90'000;
    carry_out(*policy, state, {.kind = PolicyEvent::Kind::settings_changed, .context = {}});
    for (const ContextState& context : contexts) QVERIFY(context.placement == on_remote);
  }

  void ofEquallyRequestedContextsTheLeastRecentOverflows() {
    const auto policy = *make_policy("impress");
    PolicyState state{snapshot_of(4, {50'000, 350'000, unlimited})};
    auto& contexts = state.snapshot.contexts;
    constexpr std::uint64_t last_access[] = {3, 1, 2, 9};
    for (std::size_t c = 0; c < 4; ++c) {
      contexts[c].placement = c < 3 ? on_ssd : on_remote;
      contexts[c].stored_bytes = full_bytes + full_bytes / 100;
      contexts[c].frequency = 2;
      contexts[c].last_access = last_access[c];
    }
    carry_out(*policy, state, event_of(PolicyEvent::Kind::requested, state.snapshot, 3));
    for (std::size_t c = 0; c < 4; ++c) QVERIFY(contexts[c].placement == (c == 1 ? on_remote : on_ssd));
  }

  // Two tiers are as on IMPRESS's own machine: the slower one has everything, unlimited or not.
  void ofTwoTiersTheSlowerOneHoldsEverything() {
    const auto policy = *make_policy("impress");
    for (const std::uint64_t fast : {std::uint64_t{250'000}, unlimited})
      for (const std::uint64_t slow : {std::uint64_t{1'000'000}, unlimited}) {
        PolicyState state{snapshot_of(4, {fast, slow})};
        for (std::size_t c = 0; c < 4; ++c) {
          carry_out(*policy, state, event_of(PolicyEvent::Kind::context_computed, state.snapshot, c));
          QVERIFY(state.snapshot.contexts[c].placement == on_ssd);
          QVERIFY(carry_out(*policy, state, event_of(PolicyEvent::Kind::requested, state.snapshot, c)).empty());
        }
      }
  }

  void theLeastRequestedLeaves() {
    const auto policy = *make_policy("impress");
    PolicyState state{snapshot_of(4, {50'000, 350'000})};  // room for three
    std::uint64_t counter = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t times = 0; times < 5 - c; ++times) note_request(state.snapshot, c, ++counter);
      carry_out(*policy, state, event_of(PolicyEvent::Kind::context_computed, state.snapshot, c));
    }
    note_request(state.snapshot, 3, ++counter);
    carry_out(*policy, state, event_of(PolicyEvent::Kind::context_computed, state.snapshot, 3));
    QVERIFY(!state.snapshot.contexts[3].placement.stored());  // the newcomer was requested least
    for (int times = 0; times < 6; ++times) note_request(state.snapshot, 3, ++counter);
    carry_out(*policy, state, event_of(PolicyEvent::Kind::context_computed, state.snapshot, 3));
    QVERIFY(state.snapshot.contexts[3].placement.stored() && !state.snapshot.contexts[2].placement.stored());
    QCOMPARE(used_bytes(state.snapshot)[0], std::uint64_t{0});
  }

  // What another policy left is made again where it belongs; what is being read stays.
  void otherFormsAreReplaced() {
    const auto policy = *make_policy("impress");
    PolicyState state{snapshot_of(4, {1'000'000, 1'000'000})};
    auto& contexts = state.snapshot.contexts;
    contexts[0].placement = {0, "none", 0};
    contexts[1].placement = {1, "snapkv", 0.5};
    contexts[2].placement = {0, "none", 0};
    contexts[2].pinned = true;
    for (std::size_t c = 0; c < 3; ++c) contexts[c].stored_bytes = full_bytes;
    carry_out(*policy, state, {.kind = PolicyEvent::Kind::settings_changed, .context = {}});
    const Configuration wanted{1, "token_chunks", 0};
    QVERIFY(contexts[0].placement == wanted && contexts[1].placement == wanted);
    QVERIFY((contexts[2].placement == Configuration{0, "none", 0}));
    QVERIFY(!contexts[3].placement.stored());  // it was never computed
    contexts[2].pinned = false;
    carry_out(*policy, state, event_of(PolicyEvent::Kind::requested, state.snapshot, 2));
    QVERIFY(contexts[2].placement == wanted);
  }

  void aSmallerBudgetIsKept() {
    const auto policy = *make_policy("impress");
    PolicyState state{snapshot_of(4, {50'000, 1'000'000})};
    for (std::size_t c = 0; c < 4; ++c)
      carry_out(*policy, state, event_of(PolicyEvent::Kind::context_computed, state.snapshot, c));
    state.snapshot.tiers[1].budget_bytes = 250'000;
    const auto actions = policy->advance(state, {.kind = PolicyEvent::Kind::settings_changed, .context = {}}).actions;
    for (const PlacementAction& action : actions) apply(state.snapshot, action);
    QVERIFY(!over_budget(state.snapshot));
    QCOMPARE(std::ranges::count_if(state.snapshot.contexts,
                                   [](const ContextState& context) { return context.placement.stored(); }),
             std::ptrdiff_t{2});
  }

  void withoutTiersNothingHappens() {
    const auto policy = *make_policy("impress");
    PolicyState state{snapshot_of(1, {})};
    QVERIFY(carry_out(*policy, state, event_of(PolicyEvent::Kind::context_computed, state.snapshot, 0)).empty());
  }
};

KV_TEST_GUILESS_MAIN(ImpressTest)

}  // namespace impress_test

#include "impress_test.moc"
