// The kinds of place that a tier can be: what each is called, what it can do, which options it knows. Core validates,
// reports and the window colors tiers by this; opening one is for tiers/kinds/tier_place.h.
// To add a kind: a file in tiers/ with its TierPlace, and one row in tier_kinds.inl, or a call of register_tier_kind()
// there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage {

/// What the bytes of a tier lie in: what other systems call it, and what follows for faults, consent and a GPU.
enum class TierMedium : std::uint8_t { host_memory, device_memory, files, server };

/// An option that says where a tier is, beside those of all tiers (kind, bandwidth, latency, faults).
struct TierOption {
  std::string key = {};   // as written: "path"
  std::string form = {};  // "path=DIR"
  std::string meaning = {};
  bool implies_kind = false;  // a tier that has it is of this kind, whatever its name
  bool is_local = false;      // means nothing on another machine: neither recorded nor read from files
  bool is_time = false;       // its value is a time above 0
  std::string misfit = {};    // on a tier of another kind: what is wrong and the right form; empty: that it has none
};

struct TierKind {
  std::string id = {};     // as after "kind=", and the name of such a tier where nothing else is said: "dram"
  std::string noun = {};   // in messages: "host memory"
  std::string place = {};  // what its tiers are: "the memory of a GPU"
  std::string summary = {};
  TierMedium medium = TierMedium::files;
  bool implied_by_name = false;  // a tier named as the kind is of it, unless an option says otherwise
  bool is_default = false;       // of tiers of which nothing says their kind; one kind alone
  bool is_persistent = false;    // entries outlast the process
  bool is_shared = false;        // other processes see the same entries
  std::size_t color = 0;         // in charts, as of policies
  std::vector<TierOption> options = {};

  /// Only files can be made to fail on purpose.
  bool can_fail_on_purpose() const { return medium == TierMedium::files; }
  /// Bytes leave this machine: a server that a file names is asked for first.
  bool needs_consent() const { return medium == TierMedium::server; }
  bool needs_accelerator() const { return medium == TierMedium::device_memory; }
  const TierOption* find_option(std::string_view key) const;
};

const std::deque<TierKind>& tier_kinds();
/// Null for an id that is none.
const TierKind* find_tier_kind(std::string_view id);
/// The option of any kind; null where none has it.
const TierOption* find_tier_option(std::string_view key);

/// Adds a kind to those that the program comes with, before any other thread asks for kinds. usage error for an id that
/// is taken or a row that is not whole.
Status add_tier_kind(TierKind kind);

}  // namespace kvantage
