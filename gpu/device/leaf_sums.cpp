#include "gpu/device/leaf_sums.h"

#include <algorithm>
#include <array>

#include "core/base/digest.h"
#include "gpu/kernels/leaf_checksums.h"

namespace kvantage::gpu {
namespace {

static_assert(DevicePool::block_bytes % leaf_bytes == 0, "no leaf crosses the end of a run");

std::uint64_t sum_of(const std::vector<std::uint64_t>& leaves) { return checksum_of(std::as_bytes(std::span(leaves))); }

}  // namespace

std::uint64_t leaf_sum_of(std::span<const std::byte> bytes) {
  std::vector<std::uint64_t> leaves;
  leaves.reserve((bytes.size() + leaf_bytes - 1) / leaf_bytes);
  for (; bytes.size() >= leaf_bytes; bytes = bytes.subspan(leaf_bytes))
    leaves.push_back(checksum_of(bytes.first(leaf_bytes)));
  if (!bytes.empty()) {
    std::array<std::byte, leaf_bytes> padded{};
    std::ranges::copy(bytes, padded.begin());
    leaves.push_back(checksum_of(padded));
  }
  return sum_of(leaves);
}

Expected<std::uint64_t> leaf_sum_on_device(DeviceMemory& memory, const DeviceRuns& runs, std::uint64_t offset,
                                           std::uint64_t bytes) {
  std::vector<std::uint64_t> leaves((bytes + leaf_bytes - 1) / leaf_bytes);
  KV_TRY(over_runs(runs, offset, bytes, [&](DeviceAddress address, std::uint64_t from, std::uint64_t count) -> Status {
    const std::uint64_t summed = (count + leaf_bytes - 1) / leaf_bytes;
    return memory.leaf_checksums(address, std::span(leaves).subspan(from / leaf_bytes, summed),
                                 count - (summed - 1) * leaf_bytes);
  }));
  return sum_of(leaves);
}

}  // namespace kvantage::gpu
