#include "core/store/chunk_cache.h"

#include <algorithm>
#include <utility>

#include "core/base/digest.h"
#include "core/kv/serial.h"
#include "core/policy/policy.h"

namespace kvantage::inline store {
namespace {

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + entry_alignment - 1) / entry_alignment * entry_alignment;
}

}  // namespace

ChunkCache::ChunkCache(TierStack& tiers, const Catalog& catalog, const Clock& clock)
    : tiers_(tiers), catalog_(catalog), completions_(clock), of_tiers_(tiers.count() > 0 ? tiers.count() - 1 : 0) {}

ChunkCache::~ChunkCache() {
  for (const auto& [key, copy] : copies_)
    if (copy.write != 0) tiers_[copy.tier].cancel(copy.write);
  while (!writes_.empty())
    for (const Completion& completion : completions_.wait(0.1)) writes_.erase(completion.ticket);
}

Digest128 ChunkCache::key_of(const ChunkId& id) {
  return DigestBuilder()
      .add("chunk of an entry")
      .add(id.entry.high)
      .add(id.entry.low)
      .add(static_cast<std::uint64_t>(id.layer))
      .add(static_cast<std::uint64_t>(id.chunk + 1))
      .add(static_cast<std::uint64_t>(id.probes))
      .finish();
}

void ChunkCache::note_access(const Digest128& entry) {
  ++accesses_[entry];
  for (std::size_t tier = 0; tier < of_tiers_.size(); ++tier) {
    of_tiers_[tier].others = 0;
    for (const auto& [method, bytes] : catalog_.bytes_by_method(static_cast<int>(tier)))
      of_tiers_[tier].others += bytes;
  }
}

std::size_t ChunkCache::tiers() const {
  return whole_context_tier(tiers_.count(), [this](std::size_t tier) { return tiers_[tier].capacity() == 0; });
}

std::optional<RangeReads::Source> ChunkCache::find(const ChunkId& id) {
  const auto at = copies_.find(key_of(id));
  if (at == copies_.end() || !tiers_[at->second.tier].reachable()) return std::nullopt;
  return RangeReads::Source{
      .tier = &tiers_[at->second.tier], .key = at->first, .in_memory = at->second.in_flight, .is_copy = true};
}

void ChunkCache::used(const ChunkId& id, int important_tokens, std::uint64_t bytes,
                      const std::function<std::vector<std::byte>()>& make) {
  const Digest128 key = key_of(id);
  const double score = static_cast<double>(important_tokens) * static_cast<double>(accesses_[id.entry]) /
                       static_cast<double>(std::max<std::uint64_t>(bytes, 1));
  const auto known = copies_.find(key);
  if (known != copies_.end()) rescore(known, score);
  const std::size_t below = known == copies_.end() ? tiers() : std::min(tiers(), known->second.tier);
  for (std::size_t tier = 0; tier < below; ++tier) {
    if (!tiers_[tier].reachable() || !admit(tier, whole_pages(bytes), score)) continue;
    std::vector<std::byte> copy = make();
    if (known != copies_.end()) erase(known);
    write(tier, key, score, std::move(copy));
    return;
  }
}

// All or nothing: victims are dropped only where that admits the newcomer.
bool ChunkCache::admit(std::size_t tier, std::uint64_t bytes, double score) {
  if (bytes_in_flight_ + bytes > max_bytes_in_flight) return false;
  const OfTier& own = of_tiers_[tier];
  const std::uint64_t capacity = tiers_.capacity(tier);
  if (capacity == 0) return true;  // unlimited
  if (own.others + bytes > capacity) return false;
  std::uint64_t freed = 0;
  std::vector<Digest128> victims;
  for (auto at = own.by_score.begin(); own.others + own.bytes - freed + bytes > capacity; ++at) {
    if (at == own.by_score.end() || at->first >= score) return false;
    freed += copies_.at(at->second).bytes;
    victims.push_back(at->second);
  }
  for (const Digest128& victim : victims) erase(copies_.find(victim));
  return true;
}

void ChunkCache::write(std::size_t tier, const Digest128& key, double score, std::vector<std::byte> bytes) {
  bytes.resize(whole_pages(bytes.size()));
  const std::uint64_t size = bytes.size();
  const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const Ticket ticket = tiers_[tier].submit_write(
      {.key = key, .bytes = size, .header_bytes = 0, .label = "chunk of an entry"}, kept, completions_);
  copies_[key] = {.tier = tier, .bytes = size, .score = score, .write = ticket, .in_flight = kept};
  of_tiers_[tier].by_score.emplace(score, key);
  of_tiers_[tier].bytes += size;
  writes_[ticket] = key;
  bytes_in_flight_ += size;
  has_changed_ = true;
}

void ChunkCache::rescore(Copies::iterator at, double score) {
  auto& by_score = of_tiers_[at->second.tier].by_score;
  by_score.erase({at->second.score, at->first});
  at->second.score = score;
  by_score.emplace(score, at->first);
}

void ChunkCache::forget(Copies::iterator at) {
  OfTier& own = of_tiers_[at->second.tier];
  own.by_score.erase({at->second.score, at->first});
  own.bytes -= at->second.bytes;
  if (at->second.write != 0) bytes_in_flight_ -= at->second.bytes;
  copies_.erase(at);
  has_changed_ = true;
}

void ChunkCache::erase(Copies::iterator at) {
  (void)tiers_[at->second.tier].erase(at->first);  // its write in flight completes as cancelled
  forget(at);
}

void ChunkCache::lost(const ChunkId& id) {
  if (const auto at = copies_.find(key_of(id)); at != copies_.end()) erase(at);
}

bool ChunkCache::poll() {
  for (const Completion& completion : completions_.poll()) {
    const auto write = writes_.find(completion.ticket);
    if (write == writes_.end()) continue;
    const auto at = copies_.find(write->second);
    writes_.erase(write);
    // Dropped meanwhile, or written again on another tier.
    if (at == copies_.end() || at->second.write != completion.ticket) continue;
    if (!completion.status) {
      forget(at);
      continue;
    }
    bytes_in_flight_ -= at->second.bytes;
    at->second.write = 0;
    at->second.in_flight = nullptr;
    has_changed_ = true;
  }
  const std::size_t with_copies = tiers();
  for (std::size_t tier = 0; tier < of_tiers_.size(); ++tier) {
    const OfTier& own = of_tiers_[tier];
    const std::uint64_t capacity = tiers_.capacity(tier);
    while (!own.by_score.empty() && (tier >= with_copies || (capacity != 0 && own.bytes > capacity)))
      erase(copies_.find(own.by_score.begin()->second));
  }
  return writes_.empty() && std::exchange(has_changed_, false);
}

void ChunkCache::clear() {
  while (!copies_.empty()) erase(copies_.begin());
  accesses_.clear();  // another policy, or a cold start, counts from zero
}

}  // namespace kvantage::inline store
