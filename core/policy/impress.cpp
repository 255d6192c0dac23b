#include <limits>

#include "core/policy/eviction_cascade.h"
#include "core/policy/importance_order.h"
#include "core/policy/policies.h"
#include "core/policy/present_plan.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {

/// IMPRESS (Chen et al., FAST 2025): every context is stored whole, in chunks of tokens, on the slowest tier with a
/// budget (whole_context_tier()). A hit reads the keys of the probe heads, lets the question's attention on them name
/// the important tokens, and reads the chunks that hold these (core/request/important_reads_stage.h). The faster tiers
/// hold copies of chunks (core/store/chunk_cache.h), so this policy places no context there. Where the tier is full,
/// the context with the lowest importance times frequency, of equal ones the least recent, moves to an unlimited tier
/// below it, or is evicted where there is none. A request brings it back if it then ranks higher than another.
class ImpressPolicy final : public Policy {
 public:
  ImpressPolicy(std::string name, QuestionTimeReads reads, std::uint64_t chunk_tokens)
      : name_(std::move(name)),
        reads_(reads),
        chunk_tokens_(chunk_tokens),
        method_(chunk_tokens == default_chunk ? "token_chunks"
                                              : "token_chunks(length=" + std::to_string(chunk_tokens) + ")") {}

  static constexpr std::uint64_t default_chunk = 64;  // of the codec token_chunks

  std::string name() const override { return name_; }
  bool uses_alpha() const override { return false; }
  bool is_planner() const override { return false; }
  Configuration admission(const ContextState&) const override { return {0, method_, 0}; }
  std::optional<QuestionTimeReads> question_time_reads() const override { return reads_; }
  Plan plan(const Snapshot& snapshot) const override { return present_plan(snapshot); }

  PolicyStep step(const PolicyState& state, const PolicyEvent& event) const override {
    const Snapshot& snapshot = state.snapshot;
    if (event.kind == PolicyEvent::Kind::commit_failed || snapshot.tiers.empty()) return {};
    const bool changed = event.kind == PolicyEvent::Kind::settings_changed;
    const auto index = find_context(snapshot, event.context);
    const bool enters = event.kind == PolicyEvent::Kind::context_computed && index && may_enter(snapshot, *index);
    const bool returns = event.kind == PolicyEvent::Kind::requested && index &&
                         is_placed(snapshot, snapshot.contexts[*index]) && may_enter(snapshot, *index);
    if (!enters && !returns && !changed && !over_budget(snapshot)) return {};

    EvictionMemory memory(importance_order());
    memory.follow(snapshot);
    EvictionCascade cascade(snapshot, memory);
    for (std::size_t i = 0; changed && i < snapshot.contexts.size(); ++i)
      if (is_placed(snapshot, snapshot.contexts[i]) && may_enter(snapshot, i) && !has_overflowed(snapshot, i))
        enter(snapshot, cascade, i, name_ + " stores every context");
    cascade.shrink_to_budgets();
    if (enters) enter(snapshot, cascade, *index, "just computed: stored");
    if (returns) enter(snapshot, cascade, *index, "just requested: stored");
    return {cascade.actions()};
  }

 private:
  static int home(const Snapshot& snapshot) {
    return static_cast<int>(whole_context_tier(snapshot.tiers.size(), [&](std::size_t tier) {
      return snapshot.tiers[tier].budget_bytes == std::numeric_limits<std::uint64_t>::max();
    }));
  }

  /// In chunks already, on an unlimited tier below: only a request brings it back, so that a change of a setting moves
  /// no contexts of equal rank.
  bool has_overflowed(const Snapshot& snapshot, std::size_t index) const {
    const ContextState& context = snapshot.contexts[index];
    return is_placed(snapshot, context) && context.placement.tier > home(snapshot) &&
           context.placement.method == method_ && context.placement.removed_fraction == 0;
  }
  bool may_enter(const Snapshot& snapshot, std::size_t index) const {
    const ContextState& context = snapshot.contexts[index];
    const Configuration wanted{home(snapshot), method_, 0};
    if (context.pinned || (is_placed(snapshot, context) && context.placement == wanted)) return false;
    return context.archived || has_overflowed(snapshot, index);
  }

  void enter(const Snapshot& snapshot, EvictionCascade& cascade, std::size_t index, const std::string& reason) const {
    const int tier = home(snapshot);
    cascade.insert(index, {tier, method_, 0}, entry_bytes(snapshot.contexts[index]),
                   reason + " whole on " + snapshot.tiers[static_cast<std::size_t>(tier)].name);
  }

  /// As stored elsewhere, else slightly too high: each chunk of a head has a checksum of 8 bytes.
  std::uint64_t entry_bytes(const ContextState& context) const {
    if (context.placement.stored() && context.placement.method == method_) return context.stored_bytes;
    return context.full_bytes + context.full_bytes / 32 + context.full_bytes / (4 * chunk_tokens_) + 4096;
  }

  std::string name_;
  QuestionTimeReads reads_;
  std::uint64_t chunk_tokens_;
  std::string method_;
};

}  // namespace

MadePolicy make_impress_policy(const FormArguments& arguments) {
  constexpr std::uint64_t most = 65536;
  const std::uint64_t chunk = arguments.whole("chunk"), probes = arguments.whole("probes");
  for (const auto& [key, value] : {std::pair("chunk", chunk), std::pair("probes", probes)})
    if (value < 1 || value > most)
      return fail(ErrorCode::usage, "policy 'impress': " + std::string(key) + "=" + std::to_string(value) +
                                        " is not from 1 to " + std::to_string(most) +
                                        "; write impress(kept=0.5,chunk=64,probes=3)");
  return std::make_shared<ImpressPolicy>(
      arguments.canonical_text(), QuestionTimeReads{.kept = arguments.real("kept"), .probes = static_cast<int>(probes)},
      chunk);
}

}  // namespace kvantage::inline policy
