// Who leaves a full tier next, among entries named by small numbers: the orders of core/policy/eviction_order.h for
// catalogues of millions. Arrays over the numbers hold their links, so nothing is allocated per entry; a test holds
// each against the policy of its name.
//     lru      the one touched longest ago
//     fifo     the one that came first
//     lfu      the fewest requests since it was stored anew, of equal ones the one touched longest ago
//     gdsf     least L + requests * seconds saved / size, L = that of the last victim; a newcomer competes
//     s3fifo   queues small, main and ghost (Yang et al., SOSP 2023)
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kvantage {

/// What orders may know of entries, by number.
struct EntryBook {
  std::vector<std::uint64_t> sizes;     // in the unit of the tiers; empty: all 1
  std::vector<std::uint64_t> touched;   // request counter of the last touch
  std::vector<std::uint32_t> requests;  // since it was stored anew
  std::vector<double> saved_seconds;    // [number][tier], by a hit there; empty: as its size
  std::size_t tiers = 1;

  std::uint64_t size(std::uint32_t number) const { return sizes.empty() ? 1 : sizes[number]; }
  double saved_per_size(std::uint32_t number, std::size_t tier) const {
    return saved_seconds.empty()
               ? 1
               : saved_seconds[number * tiers + tier] / static_cast<double>(std::max<std::uint64_t>(size(number), 1));
  }
};

/// Doubly linked lists through one array; number + 1 is the node, 0 closes the ring.
class LinkedRing {
 public:
  void grow(std::size_t numbers) { links_.resize(numbers + 1); }
  bool empty() const { return links_[0].newer == 0; }
  std::uint32_t oldest() const { return links_[0].newer - 1; }
  std::uint32_t newest() const { return links_[0].older - 1; }
  void add_newest(std::uint32_t number) { link_after(number + 1, links_[0].older); }
  /// Behind the newest that was touched no later than `touched`.
  void add_by_age(std::uint32_t number, const std::vector<std::uint64_t>& touched) {
    std::uint32_t after = links_[0].older;
    while (after != 0 && touched[after - 1] > touched[number]) after = links_[after].older;
    link_after(number + 1, after);
  }
  void remove(std::uint32_t number) {
    const Links links = links_[number + 1];
    links_[links.older].newer = links.newer;
    links_[links.newer].older = links.older;
  }
  void to_newest(std::uint32_t number) {
    if (links_[0].older == number + 1) return;
    remove(number);
    add_newest(number);
  }

 private:
  struct Links {
    std::uint32_t older = 0, newer = 0;
  };
  void link_after(std::uint32_t node, std::uint32_t older) {
    const std::uint32_t newer = links_[older].newer;
    links_[node] = {older, newer};
    links_[older].newer = node;
    links_[newer].older = node;
  }
  std::vector<Links> links_ = std::vector<Links>(1);
};

/// A binary heap over numbers that knows where each stands; least rank first, ties to the smaller number.
class RankedHeap {
 public:
  void grow(std::size_t numbers) { places_.resize(numbers, absent); }
  bool empty() const { return heap_.empty(); }
  std::uint32_t least() const { return heap_.front().number; }
  double least_rank() const { return heap_.front().rank; }
  bool holds(std::uint32_t number) const { return places_[number] != absent; }
  void put(std::uint32_t number, double rank, std::uint64_t tie);
  void remove(std::uint32_t number);

 private:
  struct Item {
    double rank;
    std::uint64_t tie;
    std::uint32_t number;
    bool before(const Item& other) const {
      if (rank != other.rank) return rank < other.rank;
      return tie != other.tie ? tie < other.tie : number < other.number;
    }
  };
  static constexpr std::uint32_t absent = 0xffffffffU;
  void up(std::size_t at, const Item& item);
  void down(std::size_t at, const Item& item);

  std::vector<Item> heap_;
  std::vector<std::uint32_t> places_;
};

/// Who entered first leaves first.
class FifoOrder {
 public:
  static constexpr bool counts = false, values = false, newcomers_compete = false;
  void open(std::size_t, std::uint64_t, const EntryBook&) {}
  void announce(std::uint32_t) {}
  void grow(std::size_t numbers) { ring_.grow(numbers); }
  bool empty() const { return ring_.empty(); }
  void add(std::uint32_t number) { ring_.add_newest(number); }
  void add_from_above(std::uint32_t number) { ring_.add_newest(number); }
  void hit(std::uint32_t) {}
  void remove(std::uint32_t number) { ring_.remove(number); }
  std::uint32_t take_victim() {
    const std::uint32_t number = ring_.oldest();
    ring_.remove(number);
    return number;
  }

 protected:
  LinkedRing ring_;
};

class LruOrder : public FifoOrder {
 public:
  void open(std::size_t, std::uint64_t, const EntryBook& book) { book_ = &book; }
  /// From a faster tier: it may be older than what entered here at once.
  void add_from_above(std::uint32_t number) { ring_.add_by_age(number, book_->touched); }
  void hit(std::uint32_t number) { ring_.to_newest(number); }

 private:
  const EntryBook* book_ = nullptr;
};

class LfuOrder {
 public:
  static constexpr bool counts = true, values = false, newcomers_compete = false;
  void open(std::size_t, std::uint64_t, const EntryBook& book) { book_ = &book; }
  void announce(std::uint32_t) {}
  void grow(std::size_t numbers) { heap_.grow(numbers); }
  bool empty() const { return heap_.empty(); }
  void add(std::uint32_t number) { heap_.put(number, book_->requests[number], book_->touched[number]); }
  void add_from_above(std::uint32_t number) { add(number); }
  void hit(std::uint32_t number) { add(number); }
  void remove(std::uint32_t number) { heap_.remove(number); }
  std::uint32_t take_victim() {
    const std::uint32_t number = heap_.least();
    heap_.remove(number);
    return number;
  }

 private:
  const EntryBook* book_ = nullptr;
  RankedHeap heap_;
};

class GdsfOrder {
 public:
  static constexpr bool counts = true, values = true, newcomers_compete = true;
  void open(std::size_t tier, std::uint64_t, const EntryBook& book) {
    tier_ = tier;
    book_ = &book;
  }
  void announce(std::uint32_t) {}
  void grow(std::size_t numbers) { heap_.grow(numbers); }
  bool empty() const { return heap_.empty(); }
  void add(std::uint32_t number) {
    heap_.put(number, inflation_ + book_->requests[number] * book_->saved_per_size(number, tier_),
              book_->touched[number]);
  }
  void add_from_above(std::uint32_t number) { add(number); }
  void hit(std::uint32_t number) { add(number); }
  void remove(std::uint32_t number) { heap_.remove(number); }
  std::uint32_t take_victim() {
    const std::uint32_t number = heap_.least();
    inflation_ = std::max(inflation_, heap_.least_rank());
    heap_.remove(number);
    return number;
  }

 private:
  const EntryBook* book_ = nullptr;
  RankedHeap heap_;
  std::size_t tier_ = 0;
  double inflation_ = 0;
};

/// A newcomer waits in the small queue, a tenth of the tier; who was asked for twice there moves to the main queue, the
/// others go and are remembered for nine tenths of the tier. Who comes back while remembered enters the main queue,
/// which gives a turn for each of up to three requests. Until the first eviction newcomers fill the main queue, too.
class S3FifoOrder {
 public:
  static constexpr bool counts = false, values = false, newcomers_compete = false;
  void open(std::size_t tier, std::uint64_t capacity, const EntryBook& book);
  void announce(std::uint32_t number);
  void grow(std::size_t numbers);
  bool empty() const { return small_.empty() && main_.empty(); }
  void add(std::uint32_t number);
  void add_from_above(std::uint32_t number) { add(number); }
  void hit(std::uint32_t number) {
    if (uses_[number] < 3) ++uses_[number];
  }
  void remove(std::uint32_t number);
  std::uint32_t take_victim();

 private:
  enum class Place : std::uint8_t { nowhere, small, main };
  void push(Place place, std::uint32_t number);
  void remember(std::uint32_t number);
  void forget(std::uint32_t number);

  const EntryBook* book_ = nullptr;
  std::uint64_t small_capacity_ = 0, main_capacity_ = 0, ghost_capacity_ = 0;
  std::uint64_t small_size_ = 0, main_size_ = 0, ghost_size_ = 0;
  LinkedRing small_, main_, ghost_;
  std::vector<Place> places_;
  std::vector<std::uint8_t> uses_, returns_, remembered_;
  std::vector<std::uint64_t> ghost_sizes_;  // as when it was remembered
  bool has_evicted_ = false;
};

}  // namespace kvantage
