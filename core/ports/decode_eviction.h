// Decode-time eviction as a setting, one text: "paged_eviction(budget=25%)", "r_kv(window=16,budget=512,cadence=64)",
// "quest(page=16,budget=50%)" or "none". The method's own parameters and those of the loop share the parentheses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline ports {

/// KV entries per head of a layer: a share of the prompt's tokens (context and question), or a number.
struct DecodeBudget {
  double percent = 0;  // of the prompt; 0: `tokens`
  int tokens = 0;
  /// At least 1.
  int of_prompt(int prompt_tokens) const;
  bool operator==(const DecodeBudget&) const = default;
};
/// "25%" or "512".
std::string to_string(const DecodeBudget& budget);

/// What shares one block table, and so drops the same tokens: one head, all heads of a layer, or the whole sequence
/// (vLLM).
enum class BlockTableScope : std::uint8_t { head, layer, sequence };
const char* to_string(BlockTableScope scope);

enum class CompactionKind : std::uint8_t { none, repack, hole_fill };
const char* to_string(CompactionKind kind);

/// When the prompt is cut to the budget: after the first token, or each layer as soon as its prefill is done
/// (PagedEviction, Algorithm 2), so that the whole prompt is never in memory.
enum class PromptCut : std::uint8_t { first_token, prefill };
const char* to_string(PromptCut cut);

/// When a method evicts the page that is full: while there are more entries than the budget allows, or always
/// (PagedEviction, Algorithm 3).
enum class EvictWhen : std::uint8_t { above_budget, page_full };
const char* to_string(EvictWhen when);

struct DecodeEvictionSetting {
  std::string method = {};  // canonical, without the loop's parameters: "knorm", "quest(page=32)"
  DecodeBudget budget = {};
  BlockTableScope table = BlockTableScope::head;
  int cadence = 1;  // decoded tokens between evictions; page-based methods evict per page instead
  CompactionKind compaction = CompactionKind::repack;
  int compact_every = 128;  // decoded tokens between compaction passes
  double compact_ms = 0;    // of a pass between two tokens, which then resumes after the next one; 0: all at once
  PromptCut cut = PromptCut::first_token;

  /// "knorm"
  std::string name() const;
  /// Page selection: nothing is evicted, a query reads some pages only.
  bool selects_pages() const;
  /// The method's own parameter `page`, in tokens (0: the pool's block); nothing: it has none.
  std::optional<int> page() const;
  /// usage error: the method has no pages, or none of so many tokens.
  Expected<DecodeEvictionSetting> with_page(int tokens) const;
  /// The method's own parameter `evict_when`; nothing: it has none.
  std::optional<EvictWhen> evict_when() const;
  /// usage error: the method has no such parameter.
  Expected<DecodeEvictionSetting> with_evict_when(EvictWhen when) const;
  /// Canonical text; defaults are left out, the budget is always given.
  std::string text() const;
  bool operator==(const DecodeEvictionSetting&) const = default;
};

inline constexpr double default_decode_budget_percent = 50;

/// In place of a method: each request is decoded with the session's option of the highest utility.
inline constexpr std::string_view planned_decode_eviction = "planned";

/// Nothing for "none". usage error that names the parameter or a near miss of the method; the values of its own
/// parameters are checked where it is made (core/compress/decode).
Expected<std::optional<DecodeEvictionSetting>> parse_decode_eviction(std::string_view text);

struct DecodeMethodInfo {
  std::string_view name;
  std::string_view parameters;  // its own, with their defaults
  std::string_view summary;
  std::string_view source;
  bool needs_attention = false;  // weights of every step
  int cadence = 1;               // default; page-based methods have none
  bool pages = false;            // evicts or selects whole pages
  bool selects = false;          // evicts nothing
};
/// decode_methods.inl.
const std::vector<DecodeMethodInfo>& decode_methods();
/// These, then what add_decode_method() has added.
std::vector<DecodeMethodInfo> all_decode_methods();
/// Adds a row for the rest of the process, or replaces that of its name; its texts are copied. `alias` names the newest
/// row that was added with it. Any thread.
void add_decode_method(const DecodeMethodInfo& method, std::string_view alias);
/// By its name, an alias, or another name that papers give it; null: unknown.
const DecodeMethodInfo* find_decode_method(std::string_view name);
/// Parameters of the loop that runs a method, with their defaults: "budget=50%,cadence=1,...".
std::string loop_parameters(const DecodeMethodInfo& method);

}  // namespace kvantage::inline ports
