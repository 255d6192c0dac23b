#include "core/kvpr/offloaded_peers.h"

namespace kvantage::inline kvpr {

std::unique_ptr<OffloadedPeers::Member> OffloadedPeers::join() {
  std::unique_ptr<Member> member(new Member(shared_from_this()));
  members_.push_back(member.get());
  return member;
}

OffloadedPeers::Member::~Member() { std::erase(peers_->members_, this); }

LayerSeconds OffloadedPeers::Member::others() const {
  LayerSeconds sum;
  for (const Member* member : peers_->members_)
    if (member != this) sum = sum + member->own_;
  return sum;
}

}  // namespace kvantage::inline kvpr
