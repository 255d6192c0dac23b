// Checksums of leaves: the kernel against xxHash's library, over every count of leaves that leaves a block of threads
// unfilled, and over leaves that differ in one bit.
#include "gpu/kernels/leaf_checksums.h"

#include <cstring>

#include "core/base/digest.h"
#include "core/base/random.h"
#include "tests/gpu/gpu_check.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::vector<std::byte> random_bytes(Random& random, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t at = 0; at < count; at += 8) {
    const std::uint64_t word = random.next();
    std::memcpy(bytes.data() + at, &word, 8);
  }
  return bytes;
}

std::vector<std::uint64_t> sums_on_device(const std::vector<std::byte>& bytes) {
  const std::size_t leaves = bytes.size() / gpu::leaf_bytes;
  const auto there = value_of(gpu::DeviceArray<std::byte>::of(bytes));
  // One more, which must stay as it is.
  const auto sums = value_of(gpu::DeviceArray<std::uint64_t>::of(std::vector<std::uint64_t>(leaves + 1, 7)));
  must(gpu::launch_leaf_checksums(there.data(), leaves, sums.data(), nullptr));
  must(gpu::synchronize());
  auto all = value_of(sums.numbers());
  check(all.back() == 7, "nothing is written behind the last leaf");
  all.pop_back();
  return all;
}

}  // namespace

int main() {
  need_device();
  Random random(5);
  for (std::size_t leaves = 0; leaves <= 33; ++leaves) {
    const auto bytes = random_bytes(random, leaves * gpu::leaf_bytes);
    std::vector<std::uint64_t> expected;
    for (std::size_t leaf = 0; leaf < leaves; ++leaf)
      expected.push_back(checksum_of(std::span(bytes).subspan(leaf * gpu::leaf_bytes, gpu::leaf_bytes)));
    check(sums_on_device(bytes) == expected, "checksums of " + std::to_string(leaves) + " leaves");
  }
  // Bytes of all zeros and all ones, where carries and halves are extreme.
  for (const std::byte byte : {std::byte{0}, std::byte{0xff}}) {
    const std::vector<std::byte> bytes(gpu::leaf_bytes, byte);
    check(sums_on_device(bytes).front() == checksum_of(bytes), "checksum of equal bytes");
  }
  // One bit of any 16 bytes of a leaf: each lane's pieces and both halves count.
  auto bytes = random_bytes(random, gpu::leaf_bytes);
  const std::uint64_t whole = checksum_of(bytes);
  for (std::size_t at = 0; at < gpu::leaf_bytes; at += 16) {
    const std::size_t place = at + random.below(16);
    bytes[place] ^= std::byte{0x20};
    const std::uint64_t changed = sums_on_device(bytes).front();
    check(changed != whole && changed == checksum_of(bytes), "a bit of byte " + std::to_string(place));
    bytes[place] ^= std::byte{0x20};
  }
  check(!gpu::launch_leaf_checksums(nullptr, std::uint64_t{1} << 40, nullptr, nullptr), "too many leaves are refused");
  return end();
}
