// A sequential specification of one key of a shared store, and the search for an order of its operations that obeys it
// (Wing and Gong, "Testing and verifying concurrent objects", 1993).
//
// The key is a register. A put of a version, each used once, replaces what is there; an erase removes it; a get returns
// what is there. A history is explained if its operations can be put in one order so that each get returns the version
// of the last put before it, with no erase between, and
//
// - an operation that ended before another began comes before it, whoever asked;
// - what has no end (failed, or its client crashed) takes effect at any time after it began, or never;
// - a get may return an older state, but none from before `view`: what the client must have learned by then. One
//   client's gets never go back, and see its own puts: operations of one client that do not overlap keep their order;
// - after a forget, its client is never given again a version that it had put or got before.
//
// Not looked at, as a store may do all of it at any time: a get that finds nothing. Budgets and the server evict
// entries, servers fail or lose chunks, unfinished versions are removed when a lease ends, others erase. That an
// acknowledged version stays where nothing of this happens, each test has to check by itself.
//
// An erase with an end is one that is acknowledged for all clients. The erase of a shared tier is not: it binds only
// who asked, and is a forget here. Whether it is also removed for others depends on who holds it, so it allows misses
// and demands nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kvantage::test {

struct KeyOperation {
  enum class Kind : std::uint8_t { put, get, erase, forget };
  static constexpr double never = std::numeric_limits<double>::infinity();

  Kind kind = Kind::get;
  int client = 0;
  std::uint64_t version = 0;  // of a put or get, from 1
  double begin = 0, end = never;
  double view = begin;  // of a get

  std::string text() const {
    const char* const names[] = {"put", "get", "erase", "forget"};
    const std::string what = names[static_cast<int>(kind)] + (version > 0 ? " " + std::to_string(version) : "");
    return what + " of client " + std::to_string(client) + " [" + std::to_string(begin) + ", " +
           (end == never ? "?" : std::to_string(end)) + "]";
  }
};

class LinearHistory {
 public:
  explicit LinearHistory(const std::vector<KeyOperation>& all) : all_(all) {}

  /// Why no order explains the operations; empty: one does.
  std::string unexplained() {
    if (std::string wrong = wrong_version(); !wrong.empty()) return wrong;
    if (std::string wrong = remembered(); !wrong.empty()) return wrong;
    keep_what_binds();
    Order order;
    order.placed.assign(kept_.size(), false);
    if (place(order)) return {};
    if (tried_.size() >= max_orders) return "not decided within " + std::to_string(max_orders) + " orders";
    return stuck_;
  }

 private:
  using Kind = KeyOperation::Kind;
  static constexpr std::size_t max_orders = 200'000;
  struct Order {
    std::vector<bool> placed;   // of kept_
    std::uint64_t present = 0;  // version; 0: none
    std::string text;           // the writes so far
    std::size_t count = 0;
  };

  static bool precedes(const KeyOperation& first, const KeyOperation& second) {
    const double begin = second.kind == Kind::get ? second.view : second.begin;
    return first.end < begin || (first.client == second.client && first.end < second.begin);
  }

  std::string wrong_version() const {
    std::map<std::uint64_t, double> puts;
    for (const KeyOperation& one : all_)
      if (one.kind == Kind::put && !puts.emplace(one.version, one.begin).second)
        return "version " + std::to_string(one.version) + " was put twice";
    for (const KeyOperation& one : all_) {
      if (one.kind != Kind::get) continue;
      const auto put = puts.find(one.version);
      if (put == puts.end()) return one.text() + ": a version that nobody put";
      if (one.end < put->second) return one.text() + ": before it was put";
    }
    return {};
  }

  std::string remembered() const {
    for (const KeyOperation& forget : all_) {
      if (forget.kind != Kind::forget) continue;
      std::set<std::uint64_t> known;
      for (const KeyOperation& one : all_)
        if (one.client == forget.client && one.end < forget.begin) known.insert(one.version);
      for (const KeyOperation& one : all_)
        if (one.kind == Kind::get && one.client == forget.client && one.begin > forget.begin &&
            known.contains(one.version))
          return one.text() + ": a version from before a " + forget.text();
    }
    return {};
  }

  /// Without an end, an erase and a put that nobody read explain nothing that their absence does not.
  void keep_what_binds() {
    std::set<std::uint64_t> read;
    for (const KeyOperation& one : all_)
      if (one.kind == Kind::get && one.end != KeyOperation::never) read.insert(one.version);
    for (const KeyOperation& one : all_)
      if (one.kind != Kind::forget &&
          (one.end != KeyOperation::never || (one.kind == Kind::put && read.contains(one.version))))
        kept_.push_back(one);
    before_.resize(kept_.size());
    for (std::size_t i = 0; i < kept_.size(); ++i)
      for (std::size_t j = 0; j < kept_.size(); ++j)
        if (i != j && precedes(kept_[j], kept_[i])) before_[i].push_back(j);
  }

  bool may_be_next(const Order& order, std::size_t i) const {
    return !order.placed[i] && std::ranges::all_of(before_[i], [&](std::size_t j) { return order.placed[j]; });
  }
  void put_next(Order& order, std::size_t i) const {
    order.placed[i] = true;
    ++order.count;
    if (kept_[i].kind == Kind::get) return;
    order.present = kept_[i].version;  // 0 of an erase
    order.text += (order.text.empty() ? "" : "; ") + kept_[i].text();
  }

  /// Whether the rest can follow. A get that may be next changes nothing, so it need not wait.
  bool place(Order order) {
    for (bool found = true; found;) {
      found = false;
      for (std::size_t i = 0; i < kept_.size(); ++i)
        if (kept_[i].kind == Kind::get && kept_[i].version == order.present && may_be_next(order, i)) {
          put_next(order, i);
          found = true;
        }
    }
    if (order.count == kept_.size()) return true;
    if (tried_.size() >= max_orders || !tried_.emplace(order.placed, order.present).second) return false;
    for (std::size_t i = 0; i < kept_.size(); ++i)
      if (kept_[i].kind == Kind::get && kept_[i].version == order.present && !order.placed[i]) {
        note_stuck(order, i);  // its version does not come back
        return false;
      }
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i].kind == Kind::get || !may_be_next(order, i)) continue;
      Order next = order;
      put_next(next, i);
      if (place(std::move(next))) return true;
    }
    return false;
  }
  void note_stuck(const Order& order, std::size_t i) {
    if (order.count < longest_) return;
    longest_ = order.count;
    stuck_ = "after " + order.text + ", no order has " + kept_[i].text();
    for (const std::size_t j : before_[i])
      if (!order.placed[j]) stuck_ += ", which follows " + kept_[j].text();
  }

  const std::vector<KeyOperation>& all_;
  std::vector<KeyOperation> kept_;
  std::vector<std::vector<std::size_t>> before_;  // what precedes each of kept_
  std::set<std::pair<std::vector<bool>, std::uint64_t>> tried_;
  std::size_t longest_ = 0;
  std::string stuck_ = "no order has all operations";
};

}  // namespace kvantage::test
