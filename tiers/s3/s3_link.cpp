#include "tiers/s3/s3_link.h"

namespace kvantage::inline s3 {

void S3Link::set_up() {
  const std::lock_guard lock(mutex_);
  trouble_.reset();
  up_ = true;
}

void S3Link::set_down(const Error& reason) {
  {
    const std::lock_guard lock(mutex_);
    trouble_ = reason;
    up_ = false;
  }
  wakes_.wake();
}

void S3Link::limit(const std::string& limitation) {
  const std::lock_guard lock(mutex_);
  limitation_ = limitation;
}

bool S3Link::refused() const {
  const std::lock_guard lock(mutex_);
  return is_refused();
}

bool S3Link::is_refused() const { return trouble_ && trouble_->code == ErrorCode::unauthorized; }

std::string S3Link::down_text() const {
  const std::string reason = trouble_ ? trouble_->message : std::string();
  return is_refused() ? reason : "not reachable: " + reason + "; retrying";
}

std::string S3Link::note(const std::string& address) const {
  const std::lock_guard lock(mutex_);
  if (trouble_) return down_text();
  return "at " + address + (limitation_.empty() ? "" : "; " + limitation_);
}

Error S3Link::failed(const Error& error) {
  const bool cancelled = error.code == ErrorCode::cancelled;
  if (!cancelled) set_down(error);
  return {cancelled ? ErrorCode::cancelled : ErrorCode::io, "tier " + tier_ + ": " + error.message};
}

Error S3Link::unavailable() const {
  const std::lock_guard lock(mutex_);
  return {ErrorCode::io, "tier " + tier_ + ": " + down_text()};
}

}  // namespace kvantage::inline s3
