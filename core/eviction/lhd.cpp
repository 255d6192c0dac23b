#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "core/eviction/define_order.h"

namespace kvantage::inline eviction {
namespace {

/// LHD (Beckmann, Chen and Cidon, NSDI 2018), as in libCacheSim, which has the authors' code: the entry with the lowest
/// hit density, expected hits per size and time, is evicted, among 32 drawn ones and the last 8 newcomers that looked
/// like victims. Densities by age are estimated for 16 classes of the last two reuse ages, again every 2^20 requests.
/// One percent of the capacity explores: such entries stay. Draws come from SplitMix64 with a fixed seed, so results
/// are close to, not the same as, those of the authors' generator.
template <class Key>
class LhdOrder {
 public:
  static constexpr OrderTraits traits{};
  LhdOrder() : recent_(recent_newcomers, none) {
    for (std::size_t c = 0; c < classes; ++c)
      for (std::size_t age = 0; age < ages; ++age)
        density_[c * ages + age] = static_cast<float>(c + 1) / static_cast<float>(age + 1);
  }
  void set_capacity(std::uint64_t capacity) {
    budget_ += static_cast<std::int64_t>(0.01 * static_cast<double>(capacity)) - explored_;
    explored_ = static_cast<std::int64_t>(0.01 * static_cast<double>(capacity));
  }
  void grow(std::size_t keys) {
    tags_.resize(keys);
    places_.resize(keys, absent);
  }
  template <class Book>
  void announce(Key, const Book&) {}
  template <class Book>
  void add(Key key, const Book& book) {
    places_[key] = static_cast<std::uint32_t>(held_.size());
    held_.push_back(key);
    tags_[key] = {};
    tags_[key].older_age = ages;
    refresh(key, book, true);
  }
  template <class Book>
  void add_from_above(Key key, const Book& book) {
    add(key, book);
  }
  template <class Book>
  void hit(Key key, const Book& book) {
    Tag& tag = tags_[key];
    const std::size_t age = age_of(tag);
    hits_[class_of(tag) * ages + age] += 1;
    if (tag.explores) budget_ += tag.size;
    tag.older_age = tag.last_age;
    tag.last_age = static_cast<std::uint32_t>(age);
    refresh(key, book, false);
  }
  template <class Book>
  void remove(Key key, const Book&) {
    if (tags_[key].explores) budget_ += tags_[key].size;
    take_out(key);
  }
  template <class Pinned, class Book>
  std::optional<Key> take_victim(const Pinned& pinned, const Book&) {
    std::optional<Key> victim;
    float least = std::numeric_limits<float>::max();
    const auto consider = [&](Key key) {
      const float density = density_of(tags_[key]);
      if (pinned(key) || (victim && density >= least)) return;
      victim = key;
      least = density;
    };
    const std::size_t drawn = rebuilds_ > 50 ? 32 : 8;  // fewer early: it converges sooner
    for (std::size_t i = 0; i < drawn && !held_.empty(); ++i) consider(held_[random_.below(held_.size())]);
    for (const std::uint64_t recent : recent_)
      if (recent != none && places_[static_cast<std::size_t>(recent)] != absent) consider(static_cast<Key>(recent));
    if (!victim)  // all of the drawn ones are pinned
      for (const Key key : held_) consider(key);
    if (!victim) return std::nullopt;
    victim_density_ = 0.9F * victim_density_ + 0.1F * least;
    Tag& tag = tags_[*victim];
    evictions_[class_of(tag) * ages + age_of(tag)] += 1;
    if (tag.explores) budget_ += tag.size;
    take_out(*victim);
    return victim;
  }

 private:
  static constexpr std::size_t classes = 16, ages = 20'000, recent_newcomers = 8;
  static constexpr std::uint64_t requests_per_rebuild = std::uint64_t{1} << 20, none = ~std::uint64_t{0};
  static constexpr std::uint32_t absent = 0xffffffffU;
  struct Tag {
    std::uint64_t touched = 0;
    std::uint32_t last_age = 0, older_age = 0;
    std::int64_t size = 1;
    bool explores = false;
  };

  std::size_t age_of(const Tag& tag) const {
    return std::min<std::size_t>(static_cast<std::size_t>((now_ - tag.touched) >> shift_), ages - 1);
  }
  /// Something like the logarithm of (the maximum age - the sum of the last two reuse ages).
  static std::size_t class_of(const Tag& tag) {
    std::uint64_t age = std::uint64_t{tag.last_age} + tag.older_age;
    if (age == 0) return classes - 1;
    std::size_t log = 0;
    for (; age < ages && log < classes - 1; ++log) age <<= 1;
    return log;
  }
  float density_of(const Tag& tag) const {
    const std::size_t age = age_of(tag);
    if (age == ages - 1) return std::numeric_limits<float>::lowest();
    return density_[class_of(tag) * ages + age] / static_cast<float>(tag.size) + (tag.explores ? 1.0F : 0.0F);
  }
  template <class Book>
  void refresh(Key key, const Book& book, bool is_new) {
    Tag& tag = tags_[key];
    tag.touched = now_;
    tag.size = static_cast<std::int64_t>(std::max<std::uint64_t>(book.size(key), 1));
    const bool explores = random_.below(32) == 0;
    tag.explores = explores && budget_ > 0 && rebuilds_ < 50;
    if (tag.explores) budget_ -= tag.size;
    if (is_new && !explores && density_of(tag) < victim_density_) recent_[next_recent_++ % recent_newcomers] = key;
    ++now_;
    if (--until_rebuild_ > 0) return;
    rebuild();
    until_rebuild_ = requests_per_rebuild;
    ++rebuilds_;
  }
  void take_out(Key key) {
    const std::uint32_t at = places_[key];
    held_[at] = held_.back();
    places_[held_[at]] = at;
    held_.pop_back();
    places_[key] = absent;
  }
  void rebuild() {
    for (float& count : hits_) count *= 0.9F;
    for (float& count : evictions_) count *= 0.9F;
    fit_ages();
    for (std::size_t c = 0; c < classes; ++c) {
      const std::size_t first = c * ages;
      float hits = hits_[first + ages - 1], events = hits + evictions_[first + ages - 1], lifetime = events;
      for (std::size_t age = ages - 1; age-- > 0;) {
        hits += hits_[first + age];
        events += hits_[first + age] + evictions_[first + age];
        lifetime += events;
        density_[first + age] = events > 1e-5F ? hits / lifetime : 0;
      }
    }
  }
  /// Twice near the beginning, ages are coarsened to the number of entries.
  void fit_ages() {
    entries_ = entries_ * 0.9F + static_cast<float>(held_.size());
    entries_mass_ = entries_mass_ * 0.9F + 1;
    if (rebuilds_ != 5 && rebuilds_ != 25) return;
    const float wanted = entries_ / entries_mass_ / (0.01F * static_cast<float>(ages));
    int log = 1;
    while (static_cast<float>(std::uint64_t{1} << log) < wanted) ++log;
    const int change = log - shift_;
    shift_ = log;
    entries_ *= 8;
    entries_mass_ *= 8;
    for (std::size_t c = 0; c < classes; ++c)
      for (std::vector<float>* counts : {&hits_, &evictions_}) rescale(counts->data() + c * ages, change);
  }
  static void rescale(float* counts, int change) {
    if (change < 0) {
      const int down = -change;
      for (std::size_t age = ages >> down; age < ages - 1; ++age) counts[ages - 1] += counts[age];
      for (std::size_t age = ages - 1; age-- > 0;)
        counts[age] = counts[age >> down] / static_cast<float>(std::uint64_t{1} << down);
    } else if (change > 0) {
      const std::size_t kept = ages >> change;
      for (std::size_t age = 0; age < kept; ++age) {
        float sum = 0;
        for (std::size_t i = 0; i < std::size_t{1} << change; ++i) sum += counts[(age << change) + i];
        counts[age] = sum;
      }
      std::fill(counts + kept, counts + ages - 1, 0.0F);
    }
  }

  std::vector<float> hits_ = std::vector<float>(classes * ages, 0), evictions_ = hits_, density_ = hits_;
  std::vector<Tag> tags_;
  std::vector<Key> held_;
  std::vector<std::uint32_t> places_;  // in held_
  std::vector<std::uint64_t> recent_;
  Random random_ = Random(20180409);
  std::uint64_t now_ = 0, until_rebuild_ = requests_per_rebuild;
  std::size_t next_recent_ = 0;
  std::int64_t budget_ = 0, explored_ = 0;
  int rebuilds_ = 0, shift_ = 10;
  float victim_density_ = 0, entries_ = 0, entries_mass_ = 0;
};

}  // namespace

KVANTAGE_DEFINE_EVICTION_ORDER(lhd, LhdOrder)

}  // namespace kvantage::inline eviction
