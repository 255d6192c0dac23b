// Requests that decode over one tier at the same time, each at its own pace: they share its link and the processor, so
// each solves its split beside what the others read and compute. One thread uses it.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace kvantage::inline kvpr {

/// Seconds of a layer in one step.
struct LayerSeconds {
  double link = 0, compute = 0;
  /// Both work at the same time.
  double longer() const { return std::max(link, compute); }
  LayerSeconds operator+(const LayerSeconds& more) const { return {link + more.link, compute + more.compute}; }
};

class OffloadedPeers : public std::enable_shared_from_this<OffloadedPeers> {
 public:
  /// One request. Leaves when destroyed.
  class Member {
   public:
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

    /// Of its newest step, if it were alone.
    void note(const LayerSeconds& own) { own_ = own; }
    /// Sums over the other members: requests take turns, so each waits for a layer of every other one.
    LayerSeconds others() const;

   private:
    friend class OffloadedPeers;
    explicit Member(std::shared_ptr<OffloadedPeers> peers) : peers_(std::move(peers)) {}

    std::shared_ptr<OffloadedPeers> peers_;
    LayerSeconds own_ = {};
  };
  std::unique_ptr<Member> join();

 private:
  std::vector<const Member*> members_;
};

}  // namespace kvantage::inline kvpr
