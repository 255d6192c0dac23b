#include "gpu/device/leaf_sums.h"

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
  for (; !bytes.empty(); bytes = bytes.subspan(std::min<std::size_t>(leaf_bytes, bytes.size())))
    leaves.push_back(checksum_of(bytes.first(std::min<std::size_t>(leaf_bytes, bytes.size()))));
  return sum_of(leaves);
}

Expected<std::uint64_t> leaf_sum_on_device(DeviceMemory& memory, const DeviceRuns& runs, std::uint64_t offset,
                                           std::uint64_t bytes) {
  std::vector<std::uint64_t> leaves((bytes + leaf_bytes - 1) / leaf_bytes);
  KV_TRY(over_runs(runs, offset, bytes, [&](DeviceAddress address, std::uint64_t from, std::uint64_t count) -> Status {
    const std::span<std::uint64_t> sums = std::span(leaves).subspan(from / leaf_bytes);
    const std::uint64_t whole = count / leaf_bytes;
    if (whole > 0) KV_TRY(memory.leaf_checksums(address, sums.first(whole)));
    if (count % leaf_bytes == 0) return {};
    // The entry's last leaf is shorter: a few bytes, which are summed here.
    std::array<std::byte, leaf_bytes> tail;
    const std::span<std::byte> rest = std::span(tail).first(count % leaf_bytes);
    KV_ASSIGN(auto copy, memory.copy_out(rest, address + whole * leaf_bytes));
    KV_TRY(copy->wait());
    sums[whole] = checksum_of(rest);
    return {};
  }));
  return sum_of(leaves);
}

}  // namespace kvantage::gpu
