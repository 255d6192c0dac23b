// A policy that is not part of the program: what a user would write to add one. It keeps the contexts that were asked
// for last on the fastest tier, uncompressed, and nothing else.
#pragma once

#include "core/policy/actions.h"
#include "core/policy/policy_info.h"
#include "core/policy/present_plan.h"
#include "core/policy/utility.h"

namespace kvantage::test {

class NewestFitPolicy final : public Policy {
 public:
  NewestFitPolicy(std::string name, std::uint64_t keep) : name_(std::move(name)), keep_(keep) {}
  std::string name() const override { return name_; }
  bool uses_alpha() const override { return false; }
  bool is_planner() const override { return false; }
  Configuration admission(const ContextState&) const override { return {0, "none", 0}; }
  Plan plan(const Snapshot& snapshot) const override { return present_plan(snapshot); }

  PolicyStep step(const PolicyState& state, const PolicyEvent& event) const override {
    const Snapshot& snapshot = state.snapshot;
    if (event.kind != PolicyEvent::Kind::context_computed || snapshot.tiers.empty()) return {};
    std::vector<std::size_t> newest;  // of all that could be stored, by last access
    for (std::size_t i = 0; i < snapshot.contexts.size(); ++i)
      if (snapshot.contexts[i].archived && !snapshot.contexts[i].pinned) newest.push_back(i);
    std::ranges::sort(newest, [&](std::size_t a, std::size_t b) {
      return snapshot.contexts[a].last_access > snapshot.contexts[b].last_access;
    });
    std::vector<Target> targets(snapshot.contexts.size());
    std::uint64_t used = 0, kept = 0;
    for (const std::size_t i : newest) {
      const std::uint64_t bytes = snapshot.contexts[i].full_bytes;
      if (kept == keep_ || used + bytes > snapshot.tiers[0].budget_bytes) continue;
      ++kept;
      used += bytes;
      targets[i] = {{0, "none", 0}, bytes, 0, "one of the last that came"};
    }
    return {ordered_actions(snapshot, targets)};
  }

 private:
  std::string name_;
  std::uint64_t keep_;
};

/// All that it takes to add it.
inline Status register_newest_fit() {
  return register_policy({.name = "newest_fit",
                          .summary = "keeps the last contexts that came, up to a number of them",
                          .source = "tests",
                          .parameters = {whole_number("keep", 2, "how many")},
                          .offers = {{"newest_fit", 3}},
                          .make = [](const FormArguments& arguments) -> MadePolicy {
                            return std::make_shared<NewestFitPolicy>(arguments.canonical_text(),
                                                                     arguments.whole("keep"));
                          }});
}

}  // namespace kvantage::test
