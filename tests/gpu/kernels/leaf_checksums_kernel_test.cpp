// Checksums on the device against xxHash's library: of leaves, over every count that leaves a block of threads unfilled
// and over last leaves of drawn sizes, and of cache blocks, of which those that changed are counted. Changes of one bit
// are found.
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

/// Entries of drawn sizes: the bytes lie at the very end of the device's memory, and zeros follow the last leaf.
void of_drawn_sizes(Random& random) {
  for (int round = 0; round < 60; ++round) {
    const std::size_t size = round < 20 ? 1 + static_cast<std::size_t>(round) : 1 + random.below(5 * gpu::leaf_bytes);
    auto bytes = random_bytes(random, size);
    const std::size_t leaves = (size + gpu::leaf_bytes - 1) / gpu::leaf_bytes;
    for (const bool changed : {false, true}) {
      if (changed) bytes[random.below(size)] ^= std::byte{4};
      auto padded = bytes;
      padded.resize(leaves * gpu::leaf_bytes);
      std::vector<std::uint64_t> expected;
      for (std::size_t leaf = 0; leaf < leaves; ++leaf)
        expected.push_back(checksum_of(std::span(padded).subspan(leaf * gpu::leaf_bytes, gpu::leaf_bytes)));
      const auto there = value_of(gpu::DeviceArray<std::byte>::of(bytes));
      const auto sums = value_of(gpu::DeviceArray<std::uint64_t>::zeros(leaves));
      must(gpu::launch_leaf_checksums(there.data(), leaves, sums.data(), nullptr,
                                      size - (leaves - 1) * gpu::leaf_bytes));
      must(gpu::synchronize());
      check(value_of(sums.numbers()) == expected,
            std::to_string(size) + " bytes" + (changed ? ", one of them changed" : ""));
    }
  }
  check(!gpu::launch_leaf_checksums(nullptr, 1, nullptr, nullptr, 0), "a last leaf of none is refused");
  check(!gpu::launch_leaf_checksums(nullptr, 1, nullptr, nullptr, 4097), "a last leaf of more than one is refused");
}

/// Blocks of the sizes that caches have, and of every number of stripes up to three blocks of XXH3.
void of_blocks(Random& random) {
  std::vector<std::size_t> sizes{4288, 8320, 8448, 16512, 33024};
  for (std::size_t bytes = 256; bytes <= 3 * 1024 + 64; bytes += 64) sizes.push_back(bytes);
  for (const std::size_t bytes : sizes) {
    const std::size_t count = 1 + random.below(9);
    auto blocks = random_bytes(random, count * bytes);
    std::vector<std::uint64_t> sums;
    for (std::size_t block = 0; block < count; ++block)
      sums.push_back(checksum_of(std::span(blocks).subspan(block * bytes, bytes)));
    const auto expected = value_of(gpu::DeviceArray<std::uint64_t>::of(sums));
    const auto changed = value_of(gpu::DeviceArray<std::uint32_t>::of(std::vector<std::uint32_t>{77}));
    for (std::size_t flipped = 0; flipped <= count; ++flipped) {
      if (flipped > 0)  // a bit of one more block
        blocks[(flipped - 1) * bytes + random.below(bytes)] ^= std::byte{0x80};
      const auto there = value_of(gpu::DeviceArray<std::byte>::of(blocks));
      must(gpu::launch_reset_count(changed.data(), nullptr));
      must(gpu::launch_check_blocks({there.data(), count, bytes, expected.data()}, changed.data(), nullptr));
      must(gpu::synchronize());
      check(value_of(changed.numbers()).front() == flipped, std::to_string(flipped) + " of " + std::to_string(count) +
                                                                " blocks of " + std::to_string(bytes) +
                                                                " bytes changed");
    }
    // A second launch adds.
    const auto there = value_of(gpu::DeviceArray<std::byte>::of(blocks));
    must(gpu::launch_check_blocks({there.data(), count, bytes, expected.data()}, changed.data(), nullptr));
    must(gpu::synchronize());
    check(value_of(changed.numbers()).front() == 2 * count, "counts of two launches add up");
  }
  check(!gpu::launch_check_blocks({nullptr, 1, 192, nullptr}, nullptr, nullptr), "shorter blocks are refused");
  check(!gpu::launch_check_blocks({nullptr, 1, 1000, nullptr}, nullptr, nullptr), "parts of stripes are refused");
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
  of_drawn_sizes(random);
  of_blocks(random);
  return end();
}
