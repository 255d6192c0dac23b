// How the transfers of a batch become requests to the system: neighbours are joined, large ones cut, both to about
// `request_bytes`. Tells the batch of each transfer when every request it lies in is over, in order.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/ports/file_device.h"

namespace kvantage {

struct RequestLimits {
  std::uint64_t request_bytes = std::uint64_t{1} << 20;
  // The first requests of a batch are smaller: the first layer is there sooner, and checksums of a short entry find
  // something to hide behind.
  std::uint64_t first_bytes = std::uint64_t{256} << 10;
  std::size_t first_requests = 4;
  std::size_t parts = 256;  // pieces of memory in one request
};

/// Bytes [offset, offset + bytes) of a file and the memory they go to or come from.
struct DeviceRequest {
  struct Share {
    std::size_t transfer = 0;
    std::uint64_t bytes = 0;
  };
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::vector<iovec> parts;
  std::vector<Share> shares;  // what finishing it means for which transfer

  /// The first `done` bytes are through: what is left is the request from now on.
  void advance(std::size_t done);
};

class RequestPlanner {
 public:
  RequestPlanner(TransferBatch& batch, const RequestLimits& limits) : batch_(batch), limits_(limits) {}

  /// The next request; nothing: none for now (see TransferBatch::next).
  std::optional<DeviceRequest> next();
  void finish(const DeviceRequest& request);
  /// Calls done() for every transfer that is complete up to the first that is not.
  Status deliver();
  /// Transfers given out and not delivered yet.
  std::size_t open_transfers() const { return missing_.size(); }

 private:
  bool pull();

  TransferBatch& batch_;
  RequestLimits limits_;
  Transfer rest_;                      // of the transfer given out last
  std::deque<std::uint64_t> missing_;  // bytes, per transfer from `delivered_` on
  std::size_t delivered_ = 0;
  std::size_t requests_ = 0;
};

}  // namespace kvantage
