// The kinds of tier: name, capabilities and options of each. Core validates and reports tiers and the window colors
// them by this; tiers/kinds/tier_place.h opens them. To add a kind: a file in tiers/ with its TierPlace, and one row in
// tier_kinds.inl, or a call of register_tier_kind() there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline ports {

/// The storage medium of a tier: determines faults, consent and GPU use.
enum class TierMedium : std::uint8_t { host_memory, device_memory, files, server };

/// An option that locates a tier, besides those of all tiers (kind, bandwidth, latency, faults).
struct TierOption {
  std::string key = {};   // as written: "path"
  std::string form = {};  // "path=DIR"
  std::string meaning = {};
  bool implies_kind = false;  // a tier with this option is of this kind, whatever its name
  std::string begins = {};    // it implies the kind only with a value that begins so, and before any without this
  bool is_local = false;      // machine-specific: neither recorded nor read from files
  bool is_time = false;       // its value is a positive duration
  std::string misfit = {};    // error for a tier of another kind: the problem and the right form; empty: generic error
};

struct TierKind {
  std::string id = {};     // as after "kind=", and the default name of such a tier: "dram"
  std::string noun = {};   // in messages: "host memory"
  std::string place = {};  // where its tiers are: "the memory of a GPU"
  std::string summary = {};
  TierMedium medium = TierMedium::files;
  bool implied_by_name = false;  // a tier with the kind's name is of this kind, unless an option implies another
  bool is_default = false;       // for tiers whose kind is not specified; one kind only
  bool is_persistent = false;    // entries survive the process
  bool is_shared = false;        // other processes see the same entries
  std::size_t color = 0;         // in charts, one of eight shades
  std::vector<TierOption> options = {};

  /// Faults can be injected only into files.
  bool supports_fault_injection() const { return medium == TierMedium::files; }
  /// Bytes leave this machine: a server named in a file requires consent.
  bool needs_consent() const { return medium == TierMedium::server; }
  bool needs_accelerator() const { return medium == TierMedium::device_memory; }
  const TierOption* find_option(std::string_view key) const;
};

const std::deque<TierKind>& tier_kinds();
/// Null for an unknown id.
const TierKind* find_tier_kind(std::string_view id);
/// The option of any kind; null if none has it.
const TierOption* find_tier_option(std::string_view key);

/// Adds a kind to the built-in ones, before any other thread queries kinds. usage error for an id that is taken or an
/// incomplete row.
Status add_tier_kind(TierKind kind);

}  // namespace kvantage::inline ports
