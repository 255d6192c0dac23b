#include "tiers/request_planner.h"

#include <algorithm>

namespace kvantage::inline tiers {

void DeviceRequest::advance(std::size_t done) {
  offset += done;
  bytes -= done;
  std::size_t whole = 0;
  for (; whole < parts.size() && done >= parts[whole].iov_len; ++whole) done -= parts[whole].iov_len;
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(whole));
  if (done == 0) return;
  parts.front().iov_base = static_cast<std::byte*>(parts.front().iov_base) + done;
  parts.front().iov_len -= done;
}

bool RequestPlanner::pull() {
  if (!rest_.bytes.empty()) return true;
  const std::optional<Transfer> transfer = batch_.next();
  if (!transfer) return false;
  rest_ = *transfer;
  missing_.push_back(rest_.bytes.size());
  return true;
}

std::optional<DeviceRequest> RequestPlanner::next() {
  const std::uint64_t limit =
      requests_ < limits_.first_requests ? std::min(limits_.first_bytes, limits_.request_bytes) : limits_.request_bytes;
  DeviceRequest request;
  while (request.bytes < limit && pull()) {
    if (request.bytes == 0) request.offset = rest_.offset;
    if (rest_.offset != request.offset + request.bytes) break;
    std::byte* const address = rest_.bytes.data();
    const std::uint64_t step = std::min<std::uint64_t>(rest_.bytes.size(), limit - request.bytes);
    iovec* const last = request.parts.empty() ? nullptr : &request.parts.back();
    if (last != nullptr && static_cast<std::byte*>(last->iov_base) + last->iov_len == address) {
      last->iov_len += step;
    } else {
      if (request.parts.size() >= limits_.parts) break;
      request.parts.push_back({address, step});
    }
    request.shares.push_back({delivered_ + missing_.size() - 1, step});
    request.bytes += step;
    rest_ = {rest_.offset + step, rest_.bytes.subspan(step)};
  }
  if (request.bytes == 0) return std::nullopt;
  ++requests_;
  return request;
}

void RequestPlanner::finish(const DeviceRequest& request) {
  for (const DeviceRequest::Share& share : request.shares) missing_[share.transfer - delivered_] -= share.bytes;
}

Status RequestPlanner::deliver() {
  while (!missing_.empty() && missing_.front() == 0) {
    missing_.pop_front();
    KV_TRY(batch_.done(delivered_++));
  }
  return {};
}

}  // namespace kvantage::inline tiers
