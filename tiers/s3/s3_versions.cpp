#include "tiers/s3/s3_versions.h"

#include <algorithm>
#include <iterator>

namespace kvantage::inline s3 {

std::uint64_t S3Versions::set(const Digest128& key, const std::string& etag, bool held) {
  Known& known = known_[key];
  known.etag = etag;
  known.number = known.since = ++clock_;
  known.held = held;
  return known.number;
}

void S3Versions::putting(const Digest128& key) {
  const std::lock_guard lock(mutex_);
  ++known_[key].puts;
}

std::uint64_t S3Versions::put_done(const Digest128& key, const std::string& etag, const std::string& lost) {
  const std::lock_guard lock(mutex_);
  Known& known = known_[key];
  --known.puts;
  known.lost = lost;
  if (!etag.empty()) return set(key, etag, true);
  known.since = ++clock_;
  return 0;
}

std::uint64_t S3Versions::synced(const Digest128& key, const std::string& etag) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  if (found != known_.end() && (found->second.puts > 0 || found->second.etag == etag)) return 0;
  return set(key, etag, true);
}

void S3Versions::retired(const Digest128& key, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  if (found == known_.end() || found->second.number != number) return;
  found->second.held = false;
  found->second.since = ++clock_;
}

std::uint64_t S3Versions::ignored(const Digest128& key, const std::string& etag) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  const std::uint64_t before = found != known_.end() && found->second.held ? found->second.number : 0;
  set(key, etag, false);
  return before;
}

bool S3Versions::knows(const Digest128& key, const std::string& etag) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  return found != known_.end() && found->second.etag == etag;
}

S3Versions::Replaceable S3Versions::replaceable(const Digest128& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  return found == known_.end() ? Replaceable{} : Replaceable{found->second.etag, found->second.lost};
}

bool S3Versions::used_again(const Digest128& key, std::uint64_t number, const std::string& etag) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  return found != known_.end() && found->second.held && found->second.number != number && found->second.etag == etag;
}

std::uint64_t S3Versions::now() {
  const std::lock_guard lock(mutex_);
  return ++clock_;
}

S3Versions::Difference S3Versions::compare(std::uint64_t before, const Listing& listing) {
  const std::lock_guard lock(mutex_);
  Difference difference;
  for (const auto& [key, listed] : listing) {
    const auto found = known_.find(key);
    if (found == known_.end()) {
      difference.appeared.emplace_back(key, listed);
      continue;
    }
    const Known& known = found->second;
    // Local changes after the listing was asked for are newer than its content.
    if (known.puts == 0 && known.since <= before && known.etag != listed.etag)
      difference.appeared.emplace_back(key, listed);
  }
  for (auto at = known_.begin(); at != known_.end();) {
    const Known& known = at->second;
    if (listing.contains(at->first) || known.puts > 0 || known.since > before) {
      ++at;
      continue;
    }
    if (known.held) difference.vanished.emplace_back(at->first, known.number);
    at = known_.erase(at);
  }
  return difference;
}

std::vector<S3Trash::Item> S3Trash::take(std::size_t most) {
  const std::lock_guard lock(mutex_);
  const auto end = items_.begin() + static_cast<std::ptrdiff_t>(std::min(most, items_.size()));
  std::vector<Item> taken(std::make_move_iterator(items_.begin()), std::make_move_iterator(end));
  items_.erase(items_.begin(), end);
  return taken;
}

}  // namespace kvantage::inline s3
