#include "tiers/s3/s3_link.h"

namespace kvantage::inline s3 {

void S3Link::set_up() {
  const std::lock_guard lock(mutex_);
  trouble_.clear();
  up_ = true;
}

void S3Link::set_down(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    trouble_ = reason;
    up_ = false;
  }
  wakes_.wake();
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

}  // namespace kvantage::inline s3
