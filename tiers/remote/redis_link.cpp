#include "tiers/remote/redis_link.h"

namespace kvantage::inline remote {

void RedisLink::set_up() {
  const std::lock_guard lock(mutex_);
  trouble_.clear();
  up_ = true;
}

void RedisLink::set_down(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  trouble_ = reason;
  up_ = false;
  woken_ = true;
  wakes_.notify_all();
}

std::string RedisLink::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

Expected<std::unique_ptr<RedisConnection>> RedisLink::connect(const GiveUp& give_up) const {
  return RedisConnection::connect(url_, timeouts_, transport_, give_up);
}

Expected<RedisConnection*> RedisLink::ready(std::unique_ptr<RedisConnection>& slot, const GiveUp& give_up) {
  if (!up_) return tl::unexpected(unavailable());
  if (slot == nullptr || !slot->alive()) {
    slot.reset();
    auto made = connect(give_up);
    if (!made) return tl::unexpected(failed(made.error()));
    slot = std::move(*made);
  }
  return slot.get();
}

Error RedisLink::failed(const Error& error) {
  if (error.code != ErrorCode::cancelled) set_down(error.message);
  return {error.code == ErrorCode::cancelled ? ErrorCode::cancelled : ErrorCode::io,
          "tier " + tier_ + ": " + error.message};
}

Error RedisLink::unavailable() const {
  return {ErrorCode::io, "tier " + tier_ + ": not reachable: " + trouble() + "; retrying"};
}

bool RedisLink::wait(double seconds) {
  std::unique_lock lock(mutex_);
  (void)transport_.clock().wait(lock, wakes_, seconds, [this] { return woken_; });
  return std::exchange(woken_, false);
}

void RedisLink::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  wakes_.notify_all();
}

}  // namespace kvantage::inline remote
