// Who leaves a tier that is full. One object a tier; a cascade tells it who comes, who is asked for and who goes, and
// asks it for victims. Entries are known by slots, small numbers that stay the same for as long as the order lives.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace kvantage {

using Slot = std::uint32_t;

/// What an order may weigh about an entry on its tier.
struct EntryFacts {
  std::uint64_t bytes = 0;        // as stored
  std::uint64_t last_access = 0;  // request counter
  std::uint64_t requests = 0;     // since its context was last stored anew, that one included
  double frequency = 0;           // requests that fade
  double seconds_saved = 0;       // TTFT of prefilling minus TTFT of loading it from this tier, at least 0
  double kept_tokens = 0;
};

class EvictionOrder {
 public:
  virtual ~EvictionOrder() = default;
  virtual std::unique_ptr<EvictionOrder> clone() const = 0;
  virtual void set_capacity(std::uint64_t /*bytes*/) {}
  /// Before room is made for an entry that is about to enter.
  virtual void announce(Slot /*slot*/) {}
  virtual void enter(Slot slot, const EntryFacts& facts) = 0;
  /// A request for an entry on this tier.
  virtual void touch(Slot slot, const EntryFacts& facts) = 0;
  /// Gone without having been a victim. Nothing happens where it is not here.
  virtual void leave(Slot slot) = 0;
  /// Whether an entry that enters a full tier may itself be the victim.
  virtual bool newcomers_compete() const { return false; }
  /// Takes the next victim out; nothing when all that is here is `pinned` (by slot).
  virtual std::optional<Slot> evict(const std::vector<bool>& pinned) = 0;
};

enum class Eviction : std::uint8_t { lru, lfu, s3fifo, gdsf, importance };

/// The orders that a policy text may name.
inline constexpr std::array<std::pair<std::string_view, Eviction>, 4> eviction_names{
    {{"lru", Eviction::lru}, {"lfu", Eviction::lfu}, {"s3fifo", Eviction::s3fifo}, {"gdsf", Eviction::gdsf}}};

/// Whether the order knows more than a snapshot tells, so that it must be carried from step to step.
constexpr bool remembers(Eviction eviction) {
  return eviction == Eviction::lfu || eviction == Eviction::s3fifo || eviction == Eviction::gdsf;
}
/// What an evicted entry is called in a reason: "least recently used".
std::string_view victim_words(Eviction eviction);

std::unique_ptr<EvictionOrder> make_eviction_order(Eviction eviction);
std::unique_ptr<EvictionOrder> make_lru_order();
std::unique_ptr<EvictionOrder> make_lfu_order();
std::unique_ptr<EvictionOrder> make_s3fifo_order();
std::unique_ptr<EvictionOrder> make_gdsf_order();
std::unique_ptr<EvictionOrder> make_importance_order();

}  // namespace kvantage
