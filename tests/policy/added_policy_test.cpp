// links: kv_base
// A policy that is compiled outside of the program and added by one call is written, listed, described and served like
// those that the program comes with.
#include <QtTest>

#include "core/policy/simulate.h"
#include "core/simulator/planned_simulation.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/newest_fit_policy.h"
#include "tests/support/test_program.h"

namespace added_policy_test {

using namespace kvantage;
using namespace kvantage::test;

class AddedPolicyTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    QVERIFY(!make_policy("newest_fit").has_value());
    const Status added = register_newest_fit();
    QVERIFY2(added.has_value(), added ? "" : added.error().message.c_str());
  }

  void itIsWrittenAsItsRowSays() {
    QCOMPARE((*make_policy("newest_fit(keep=2)"))->name(), std::string("newest_fit"));
    QCOMPARE((*make_policy("newest_fit(keep=07)"))->name(), std::string("newest_fit(keep=7)"));
    const auto wrong = make_policy("newest_fit(keep=all)");
    QVERIFY(!wrong.has_value());
    QVERIFY2(wrong.error().message.find("newest_fit(keep=N)") != std::string::npos, wrong.error().message.c_str());
    QVERIFY(make_policy("newest_fi").error().message.find("did you mean 'newest_fit'") != std::string::npos);
  }

  void itIsInEveryList() {
    const auto known = known_policies();
    QCOMPARE(std::ranges::count(known, "newest_fit"), std::ptrdiff_t{1});
    const PolicyInfo* info = find_policy_info("newest_fit");
    QVERIFY(info != nullptr);
    QCOMPARE(info->form(), std::string("newest_fit(keep=2)"));
    QCOMPARE(find_offered_policy("newest_fit")->color, std::size_t{3});
  }

  void aNameIsTakenOnce() {
    const Status again = register_newest_fit();
    QVERIFY(!again.has_value());
    QVERIFY(again.error().message.find("the name is taken") != std::string::npos);
    QVERIFY(!register_policy({.name = "no_factory",
                              .summary = "s",
                              .source = "s",
                              .parameters = {},
                              .offers = {{"no_factory"}},
                              .make = {}})
                 .has_value());
    QVERIFY(find_policy_info("no_factory") == nullptr);
  }

  // Three contexts in turn, of which two are kept: each is gone when it is asked for again. Two in turn always hit.
  void itServesASimulation() {
    PlannedSetup setup;
    setup.preset.bytes_per_token = 1000;
    setup.preset.prefill = PrefillModel{0.01, 1e-3, 0};
    setup.tiers = {{"dram", 10'000'000, {0.001, 1e-5}}};
    for (const std::uint64_t contexts : {std::uint64_t{2}, std::uint64_t{3}}) {
      TraceScan scan;
      for (std::uint64_t c = 0; c < contexts; ++c) scan.contexts[c] = 1000;
      scan.requests = 60;
      auto simulation = PlannedSimulation::make(setup, scan, *make_policy("newest_fit"));
      QVERIFY2(simulation.has_value(), simulation ? "" : simulation.error().message.c_str());
      for (std::uint64_t i = 0; i < scan.requests; ++i) {
        TraceRequest request;
        request.context = i % contexts;
        request.input_tokens = 1000;
        (*simulation)->request(request);
      }
      QCOMPARE((*simulation)->totals().hit_requests, contexts == 2 ? std::uint64_t{58} : std::uint64_t{0});
      QVERIFY((*simulation)->totals().tiers[0].held <= 2'000'000);
    }
  }

  void itNeverExceedsABudget() {
    Random random(5);
    for (int world = 0; world < 50; ++world) {
      WhatIfSimulation what_if(kvantage::testing::random_snapshot(random, {.contexts = 12, .tiers = 2, .methods = 0}),
                               *make_policy("newest_fit(keep=4)"));
      for (int i = 0; i < 50; ++i) {
        what_if.request(random.below(12));
        const auto used = used_bytes(what_if.snapshot());
        for (std::size_t t = 0; t < used.size(); ++t) QVERIFY(used[t] <= what_if.snapshot().tiers[t].budget_bytes);
      }
    }
  }
};

KV_TEST_GUILESS_MAIN(AddedPolicyTest)

}  // namespace added_policy_test

#include "added_policy_test.moc"
