// Copies of whole cache blocks: from addresses in several allocations to blocks of an arena in any order, against the
// reference, byte for byte; what is no target stays.
#include "gpu/kernels/gather_paged.h"

#include <numeric>

#include "core/base/random.h"
#include "tests/gpu/gpu_check.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::vector<unsigned char> drawn(Random& random, std::size_t count) {
  std::vector<unsigned char> bytes(count);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random.next());
  return bytes;
}

void copies(Random& random, std::size_t block_bytes, std::size_t count) {
  const std::size_t room = count + 1 + random.below(5);
  std::vector<std::int32_t> targets(room);
  std::iota(targets.begin(), targets.end(), 0);
  random.shuffle(std::span(targets));
  targets.resize(count);
  // Sources in two allocations.
  const std::vector<unsigned char> first = drawn(random, (count + 1) * block_bytes),
                                   second = drawn(random, (count + 1) * block_bytes);
  const auto first_there = value_of(gpu::DeviceArray<unsigned char>::of(first)),
             second_there = value_of(gpu::DeviceArray<unsigned char>::of(second));
  std::vector<std::uint64_t> here, there;
  for (std::size_t i = 0; i < count; ++i) {
    const bool in_first = random.below(2) == 0;
    const std::size_t at = random.below(count + 1) * block_bytes;
    here.push_back(reinterpret_cast<std::uintptr_t>((in_first ? first : second).data() + at));
    there.push_back(reinterpret_cast<std::uintptr_t>((in_first ? first_there : second_there).data() + at));
  }
  std::vector<unsigned char> arena = drawn(random, room * block_bytes);
  const auto arena_there = value_of(gpu::DeviceArray<unsigned char>::of(arena));
  const auto from = value_of(gpu::DeviceArray<std::uint64_t>::of(there));
  const auto to = value_of(gpu::DeviceArray<std::int32_t>::of(targets));
  must(gpu::launch_copy_blocks({from.data(), to.data(), static_cast<int>(count)}, arena_there.data(), block_bytes,
                               nullptr));
  must(gpu::synchronize());
  gpu::copy_blocks_reference({here.data(), targets.data(), static_cast<int>(count)}, arena.data(), block_bytes);
  check(value_of(arena_there.numbers()) == arena,
        std::to_string(count) + " blocks of " + std::to_string(block_bytes) + " bytes");
}

}  // namespace

int main() {
  need_device();
  Random random(21);
  for (const std::size_t block_bytes : {16U, 48U, 2048U, 2064U, 4288U, 8320U, 16512U})
    for (const std::size_t count : {1U, 2U, 13U}) copies(random, block_bytes, count);
  must(gpu::launch_copy_blocks({nullptr, nullptr, 0}, nullptr, 64, nullptr));
  check(!gpu::launch_copy_blocks({nullptr, nullptr, 1}, nullptr, 72, nullptr), "parts of 16 bytes are refused");
  return end();
}
