#include "tiers/s3/s3_link.h"

namespace kvantage::inline s3 {

void S3Link::set_up() {
  const std::lock_guard lock(mutex_);
  trouble_.clear();
  up_ = true;
}

void S3Link::set_down(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  trouble_ = reason;
  up_ = false;
  woken_ = true;
  wakes_.notify_all();
}

std::string S3Link::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

Error S3Link::failed(const Error& error) {
  const bool cancelled = error.code == ErrorCode::cancelled;
  if (!cancelled) set_down(error.message);
  return {cancelled ? ErrorCode::cancelled : ErrorCode::io, "tier " + tier_ + ": " + error.message};
}

Error S3Link::unavailable() const {
  return {ErrorCode::io, "tier " + tier_ + ": not reachable: " + trouble() + "; retrying"};
}

void S3Link::wait(double seconds) {
  std::unique_lock lock(mutex_);
  (void)clock_.wait(lock, wakes_, seconds, [this] { return woken_; });
  woken_ = false;
}

void S3Link::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  wakes_.notify_all();
}

}  // namespace kvantage::inline s3
