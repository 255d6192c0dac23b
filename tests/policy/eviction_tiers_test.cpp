// links: kv_base
// lfu, s3fifo and gdsf over several tiers, alone and over a fixed configuration, against plain lists written apart from
// the product.
#include <QtTest>
#include <list>
#include <map>

#include "core/policy/access_statistics.h"
#include "core/policy/actions.h"
#include "core/policy/policy.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace eviction_tiers_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

struct Entry {
  std::size_t item = 0;
  std::uint64_t bytes = 0, last = 0;
  int count = 0;
  double score = 0;
};

/// One tier of a model: looks through everything it has each time.
class Tier {
 public:
  virtual ~Tier() = default;
  std::uint64_t budget = 0;
  virtual bool has(std::size_t item) const = 0;
  virtual std::uint64_t used() const = 0;
  virtual void hit(Entry entry) = 0;
  virtual void take_out(std::size_t item) = 0;
  /// Those that had to go, in order; the entry itself among them where it may not stay.
  virtual std::vector<std::size_t> put(Entry entry) = 0;
};

class Scored : public Tier {
 public:
  explicit Scored(bool with_size) : with_size_(with_size) {}
  bool has(std::size_t item) const override { return entries_.contains(item); }
  std::uint64_t used() const override {
    std::uint64_t sum = 0;
    for (const auto& [item, entry] : entries_) sum += entry.bytes;
    return sum;
  }
  void hit(Entry entry) override { entries_[entry.item] = scored(entry); }
  void take_out(std::size_t item) override { entries_.erase(item); }
  std::vector<std::size_t> put(Entry entry) override {
    std::vector<std::size_t> gone;
    if (with_size_) entries_[entry.item] = scored(entry);
    while (used() + (with_size_ ? 0 : entry.bytes) > budget) {
      auto worst = entries_.begin();
      for (auto it = entries_.begin(); it != entries_.end(); ++it)
        if (std::pair(it->second.score, it->second.last) < std::pair(worst->second.score, worst->second.last))
          worst = it;
      age_ = worst->second.score;
      gone.push_back(worst->first);
      entries_.erase(worst);
    }
    if (!with_size_) entries_[entry.item] = scored(entry);
    return gone;
  }

 private:
  Entry scored(Entry entry) const {
    entry.score = with_size_ ? age_ + entry.count * entry.score / static_cast<double>(entry.bytes) : entry.count;
    return entry;
  }
  bool with_size_;
  double age_ = 0;
  std::map<std::size_t, Entry> entries_;
};

/// Algorithm 1 of the S3-FIFO paper with its authors' rule for the time before the first eviction.
class Queues : public Tier {
 public:
  bool has(std::size_t item) const override { return find(small_, item) || find(main_, item); }
  std::uint64_t used() const override { return sum(small_) + sum(main_); }
  void hit(Entry entry) override {
    for (auto* list : {&small_, &main_})
      for (Entry& one : *list)
        if (one.item == entry.item) one.count = std::min(one.count + 1, 3);
  }
  void take_out(std::size_t item) override {
    for (auto* list : {&small_, &main_}) list->remove_if([&](const Entry& one) { return one.item == item; });
  }
  std::vector<std::size_t> put(Entry entry) override {
    entry.count = 0;
    std::vector<std::size_t> gone;
    const bool again = find(ghost_, entry.item);
    ghost_.remove_if([&](const Entry& one) { return one.item == entry.item; });
    while (used() + entry.bytes > budget) {
      full_once_ = true;
      const auto main_room = budget - static_cast<std::uint64_t>(static_cast<double>(budget) * 0.1);
      if (sum(main_) > main_room || small_.empty()) {
        Entry oldest = main_.front();
        main_.pop_front();
        if (oldest.count-- == 0)
          gone.push_back(oldest.item);
        else
          main_.push_back(oldest);
        continue;
      }
      Entry oldest = small_.front();
      small_.pop_front();
      if (oldest.count > 1) {
        oldest.count = 0;
        main_.push_back(oldest);
        // The loop continues with the same queue until it has evicted or is empty.
        while (!small_.empty() && small_.front().count > 1) {
          main_.push_back(small_.front());
          main_.back().count = 0;
          small_.pop_front();
        }
        if (small_.empty()) continue;
        oldest = small_.front();
        small_.pop_front();
      }
      gone.push_back(oldest.item);
      const auto ghost_room = static_cast<std::uint64_t>(static_cast<double>(budget) * 0.9);
      if (oldest.bytes > ghost_room) continue;
      while (sum(ghost_) + oldest.bytes > ghost_room) ghost_.pop_front();
      ghost_.push_back(oldest);
    }
    const bool filling = !full_once_ && sum(small_) >= static_cast<std::uint64_t>(static_cast<double>(budget) * 0.1);
    (again || filling ? main_ : small_).push_back(entry);
    return gone;
  }

 private:
  static bool find(const std::list<Entry>& list, std::size_t item) {
    return std::any_of(list.begin(), list.end(), [&](const Entry& one) { return one.item == item; });
  }
  static std::uint64_t sum(const std::list<Entry>& list) {
    std::uint64_t bytes = 0;
    for (const Entry& one : list) bytes += one.bytes;
    return bytes;
  }
  std::list<Entry> small_, main_, ghost_;
  bool full_once_ = false;
};

class Model {
 public:
  Model(const Snapshot& snapshot, const std::string& order, std::vector<std::uint64_t> sizes)
      : snapshot_(snapshot), sizes_(std::move(sizes)), counts_(sizes_.size(), 0), last_(sizes_.size(), 0) {
    for (const TierState& tier : snapshot.tiers) {
      if (order == "s3fifo")
        tiers_.push_back(std::make_unique<Queues>());
      else
        tiers_.push_back(std::make_unique<Scored>(order == "gdsf"));
      tiers_.back()->budget = tier.budget_bytes;
    }
  }
  int tier_of(std::size_t item) const {
    for (std::size_t t = 0; t < tiers_.size(); ++t)
      if (tiers_[t]->has(item)) return static_cast<int>(t);
    return -1;
  }
  void access(std::size_t item, std::uint64_t now) {
    last_[item] = now;
    const int tier = tier_of(item);
    counts_[item] = tier < 0 ? 1 : counts_[item] + 1;
    if (tier == 0) return tiers_[0]->hit(entry(item, 0));
    if (tier > 0) tiers_[static_cast<std::size_t>(tier)]->take_out(item);
    put(item, 0);
  }

 private:
  Entry entry(std::size_t item, std::size_t tier) const {
    const ContextState& context = snapshot_.contexts[item];
    const double n = context.tokens, bytes = static_cast<double>(sizes_[item]);
    const double kept = sizes_[item] == context.full_bytes ? n : context.profile->points[1].kept_tokens;
    const auto& q = snapshot_.question;
    const auto& p = snapshot_.prefill;
    const auto& m = snapshot_.tiers[tier].model;
    const double prefilled = p.base_seconds + p.seconds_per_token * n + p.seconds_per_token_squared * n * n +
                             q.base_seconds + q.seconds_per_kept_token * n;
    const double loaded = m.latency_seconds + bytes / m.bytes_per_second + m.decode_seconds_per_token * kept +
                          (q.base_seconds + q.seconds_per_kept_token * kept);
    return {item, sizes_[item], last_[item], counts_[item], std::max(0.0, prefilled - loaded)};
  }
  void put(std::size_t item, std::size_t tier) {
    if (tier == tiers_.size()) return;
    for (const std::size_t gone : tiers_[tier]->put(entry(item, tier))) put(gone, tier + 1);
  }

  const Snapshot& snapshot_;
  std::vector<std::uint64_t> sizes_;
  std::vector<int> counts_;
  std::vector<std::uint64_t> last_;
  std::vector<std::unique_ptr<Tier>> tiers_;
};

}  // namespace

class EvictionTiersTest : public QObject {
  Q_OBJECT
 private slots:
  void placesLikeTheModel_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("tiers");
    for (const char* text : {"lfu", "gdsf", "s3fifo", "fixed(m0,0.5,eviction=lfu)", "fixed(m0,0.5,eviction=gdsf)",
                             "fixed(m0,0.5,eviction=s3fifo)"})
      for (const int tiers : {1, 2, 3})
        QTest::newRow(qPrintable(QString("%1 on %2").arg(text).arg(tiers))) << QString(text) << tiers;
  }
  void placesLikeTheModel() {
    QFETCH(QString, text);
    QFETCH(int, tiers);
    const auto policy = *make_policy(text.toStdString());
    const bool fixed = text.startsWith("fixed");
    const std::string order = fixed ? text.section('=', 1).chopped(1).toStdString() : text.toStdString();
    Random random(51);
    int demoted = 0, returned = 0;
    for (int run = 0; run < 20; ++run) {
      PolicyState state{random_snapshot(
          random, {.contexts = 15, .tiers = static_cast<std::size_t>(tiers), .methods = 1, .fractions = 1})};
      Snapshot& snapshot = state.snapshot;
      std::vector<std::uint64_t> sizes;
      for (ContextState& context : snapshot.contexts) {
        context.archived = false;
        context.frequency = 0;
        context.last_access = 0;
        sizes.push_back(fixed ? context.profile->points[1].bytes : context.full_bytes);
      }
      // Tiers that hold at least the largest entry, so that every tier is offered everything.
      const auto largest = *std::max_element(sizes.begin(), sizes.end());
      for (TierState& tier : snapshot.tiers) tier.budget_bytes = largest + random.below(4 * largest);
      Model model(snapshot, order, sizes);
      for (std::uint64_t now = 1; now <= 300; ++now) {
        const auto c = random.below(1 + random.below(15));
        ContextState& context = snapshot.contexts[c];
        const bool miss = !context.placement.stored();
        returned += context.placement.tier > 0;
        note_request(snapshot, c, now);
        const auto handle = [&](PolicyEvent::Kind kind) {
          for (const PlacementAction& action : policy->advance(state, {kind, context.key}).actions) {
            demoted += action.kind == ActionKind::demote;
            apply(snapshot, action);
          }
        };
        handle(PolicyEvent::Kind::requested);
        if (miss) {
          context.archived = true;
          handle(PolicyEvent::Kind::context_computed);
        }
        model.access(c, now);
        for (std::size_t i = 0; i < sizes.size(); ++i)
          QVERIFY2(snapshot.contexts[i].placement.tier == model.tier_of(i),
                   qPrintable(QString("run %1, request %2, context %3: on %4 instead of %5")
                                  .arg(run)
                                  .arg(now)
                                  .arg(i)
                                  .arg(snapshot.contexts[i].placement.tier)
                                  .arg(model.tier_of(i))));
      }
    }
    QVERIFY(tiers == 1 || (demoted > 100 && returned > 50));
  }

  void whatWasDecidedWithoutCarryingOutIsForgotten() {
    for (const char* text : {"lfu", "s3fifo", "gdsf"}) {
      const auto policy = *make_policy(text);
      Random random(52);
      PolicyState state{random_snapshot(random, {.contexts = 3, .tiers = 1, .methods = 0})};
      Snapshot& snapshot = state.snapshot;
      for (ContextState& context : snapshot.contexts) {
        context.full_bytes = 100;
        context.profile = nullptr;
      }
      snapshot.tiers[0].budget_bytes = 200;
      QCOMPARE(policy->advance(state, {PolicyEvent::Kind::context_computed, snapshot.contexts[0].key}).actions.size(),
               std::size_t{1});
      // Nothing was stored: two others fit, and none is displaced.
      for (const std::size_t c : {1u, 2u})
        for (const PlacementAction& action :
             policy->advance(state, {PolicyEvent::Kind::context_computed, snapshot.contexts[c].key}).actions) {
          QCOMPARE(action.kind, ActionKind::store);
          apply(snapshot, action);
        }
      QVERIFY(snapshot.contexts[1].placement.stored() && snapshot.contexts[2].placement.stored());
    }
  }

  void contextsMayBeAddedInTheMiddle() {
    for (const char* text : {"lfu", "s3fifo", "gdsf"}) {
      const auto policy = *make_policy(text);
      Random random(53);
      PolicyState state{random_snapshot(random, {.contexts = 8, .tiers = 2, .methods = 0})};
      Snapshot& snapshot = state.snapshot;
      for (TierState& tier : snapshot.tiers) tier.budget_bytes = 3'000'000;
      int stored = 0;
      for (std::uint64_t now = 1; now <= 200; ++now) {
        if (now % 20 == 0) {
          ContextState context = snapshot.contexts[0];
          context.key = {random.below(8), random.next()};
          context.placement = {};
          context.stored_bytes = 0;
          const auto at = std::lower_bound(snapshot.contexts.begin(), snapshot.contexts.end(), context.key,
                                           [](const ContextState& one, const Digest128& key) { return one.key < key; });
          snapshot.contexts.insert(at, context);
        }
        if (now % 50 == 0) snapshot.contexts.erase(snapshot.contexts.begin() + 2);
        const auto c = random.below(snapshot.contexts.size());
        note_request(snapshot, c, now);
        const bool miss = !snapshot.contexts[c].placement.stored();
        const Digest128 key = snapshot.contexts[c].key;
        for (const auto kind : {PolicyEvent::Kind::requested, PolicyEvent::Kind::context_computed}) {
          if (kind == PolicyEvent::Kind::context_computed && !miss) continue;
          for (const PlacementAction& action : policy->advance(state, {kind, key}).actions) apply(snapshot, action);
        }
        QVERIFY(!over_budget(snapshot));  // a newcomer that competes may lose
        stored += snapshot.contexts[*find_context(snapshot, key)].placement.stored();
      }
      QVERIFY(stored == 200 || (std::string(text) == "gdsf" && stored > 150));
    }
  }
};

KV_TEST_GUILESS_MAIN(EvictionTiersTest)

}  // namespace eviction_tiers_test

#include "eviction_tiers_test.moc"
