// links: kv_base
// Where IMPRESS puts contexts: whole and in chunks, on the slowest tier only, whose budget holds at every moment.
#include <QtTest>

#include "core/policy/access_statistics.h"
#include "core/policy/actions.h"
#include "core/policy/policy.h"
#include "tests/support/test_program.h"

namespace impress_test {

using namespace kvantage;

namespace {

constexpr std::uint64_t full_bytes = 100'000;

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
