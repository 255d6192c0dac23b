// Converts the transfers of a batch to system requests: merges neighbors and splits large ones, both to about
// `request_bytes`. Reports each transfer to the batch, in order, once all of its requests are complete.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/ports/file_device.h"

namespace kvantage::inline tiers {

struct RequestLimits {
  std::uint64_t request_bytes = std::uint64_t{1} << 20;
  // The first requests of a batch are smaller: the first layer arrives earlier, and checksums of a short entry overlap
  // with later requests.
  std::uint64_t first_bytes = std::uint64_t{256} << 10;
  std::size_t first_requests = 4;
  std::size_t parts = 256;  // memory pieces per request
};

/// Bytes [offset, offset + bytes) of a file and their source or destination in memory.
struct DeviceRequest {
  struct Share {
    std::size_t transfer = 0;
    std::uint64_t bytes = 0;
  };
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::vector<iovec> parts;
  std::vector<Share> shares;  // the transfers that it completes, in part or whole

  /// The first `done` bytes are complete: the request shrinks to the rest.
  void advance(std::size_t done);
};

class RequestPlanner {
 public:
  RequestPlanner(TransferBatch& batch, const RequestLimits& limits) : batch_(batch), limits_(limits) {}

  /// The next request; nothing: none for now (see TransferBatch::next).
  std::optional<DeviceRequest> next();
  void finish(const DeviceRequest& request);
  /// Calls done() for every complete transfer up to the first incomplete one.
  Status deliver();

 private:
  bool pull();

  TransferBatch& batch_;
  RequestLimits limits_;
  Transfer rest_;                      // of the last issued transfer
  std::deque<std::uint64_t> missing_;  // bytes per transfer that is not delivered, from `delivered_` on
  std::size_t delivered_ = 0;
  std::size_t requests_ = 0;
};

}  // namespace kvantage::inline tiers
