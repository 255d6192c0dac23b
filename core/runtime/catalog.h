// All contexts of the loaded workload: the part that policies see (ContextState, inside the live Snapshot) and the
// engine's part (tokens, questions, location of the stored entry).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/kv/serial.h"
#include "core/policy/policy.h"
#include "core/ports/storage_tier.h"
#include "core/runtime/model_runtime.h"
#include "core/runtime/prefix_index.h"
#include "core/workload/workload.h"

namespace kvantage::inline runtime {

struct CatalogQuestion {
  std::string text, gold;
  std::vector<std::string> other_golds;  // also accepted
  int max_answer_tokens = 0;             // 0: the engine's default
  bool held_out = true;
  std::vector<std::int32_t> tokens;
  // Greedy answer with the uncompressed cache; its tokens are known only in the session that computed it.
  std::optional<std::string> reference_answer = {};
  std::vector<std::int32_t> reference_tokens = {};
  bool reference_ended = false;  // by a stop token, not by length; only with reference_tokens
  bool in_profile = false;       // re-profiling has measured the context on it, for the session's curves

  void take_reference(std::string answer, std::vector<std::int32_t> answer_tokens, bool ended) {
    reference_answer = std::move(answer);
    reference_tokens = std::move(answer_tokens);
    reference_ended = ended;
  }
  /// Whether its tokens are in memory, so that it can be read over another cache.
  bool reference_readable() const { return !reference_tokens.empty() || reference_ended; }
  /// Accepted answers, best first; none if only the reference answer is available.
  std::vector<std::string> golds() const {
    std::vector<std::string> all;
    if (!gold.empty()) all.push_back(gold);
    for (const std::string& other : other_golds)
      if (!other.empty()) all.push_back(other);
    return all;
  }
};

struct ContextDetails {
  std::vector<std::int32_t> tokens;
  std::vector<CatalogQuestion> questions;
  EntryInfo entry;                            // of the placed entry; the key is zero when not stored
  std::shared_ptr<const EntryHeader> header;  // of the placed entry, null until read
  // For a compressed entry: its kept tokens, as KeptMap::bytes(); null where unknown.
  std::shared_ptr<const std::vector<std::byte>> kept_map = {};
  std::string family;

  void forget_header() {
    header.reset();
    kept_map.reset();
  }
};

class Catalog {
 public:
  /// Tokenizes the workload. rejected_input when a context exceeds the model's positions.
  static Expected<std::unique_ptr<Catalog>> build(const Workload& workload, const ModelRuntime& runtime);

  std::size_t size() const { return details_.size(); }
  std::optional<std::size_t> index_of(const Digest128& key) const;
  /// Index of the context with this id in the workload.
  std::optional<std::size_t> index_of_id(const std::string& id) const;
  ContextState& state(std::size_t index) { return policy_.snapshot.contexts[index]; }
  const ContextState& state(std::size_t index) const { return policy_.snapshot.contexts[index]; }
  /// Parts of the state, for who needs no more.
  const ContextFacts& facts(std::size_t index) const { return state(index); }
  ContextResidency& residency(std::size_t index) { return state(index); }
  const ContextResidency& residency(std::size_t index) const { return state(index); }
  ContextDemand& demand(std::size_t index) { return state(index); }
  std::shared_ptr<const ContextProfile>& profile(std::size_t index) { return state(index).profile; }
  ContextDetails& details(std::size_t index) { return details_[index]; }
  const ContextDetails& details(std::size_t index) const { return details_[index]; }
  const PrefixIndex& prefixes() const { return prefixes_; }
  /// Index of the context with the most tokens; 0 for an empty catalog.
  std::size_t longest() const;
  std::uint64_t full_bytes() const;

  Snapshot& snapshot() { return policy_.snapshot; }
  const Snapshot& snapshot() const { return policy_.snapshot; }
  PolicyState& policy_state() { return policy_; }

  /// Marks the context as not stored.
  void clear_placement(std::size_t index);
  /// Call after every change that the snapshot shows; the publisher checks and clears it.
  void mark_changed() { changed_ = true; }
  bool changed() const { return changed_; }
  void mark_published() { changed_ = false; }

  /// Bytes on a tier, by method of the placed entries.
  std::map<std::string, std::uint64_t> bytes_by_method(int tier) const;

 private:
  PolicyState policy_;
  std::vector<ContextDetails> details_;  // parallel to snapshot.contexts
  std::unordered_map<std::string, std::size_t> by_id_;
  PrefixIndex prefixes_;
  bool changed_ = false;  // since the last published snapshot
};

}  // namespace kvantage::inline runtime
