// Keys moved in their blocks: against the reference within what the device's sines may be off, and the reference
// against a rotation in doubles. Nothing else of the arena changes but the rows' positions.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "gpu/kernels/rerotate.h"
#include "tests/gpu/kernels/paged_arena.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// |a| + |b| of a pair as it was: what rounding is measured by.
double reach(const std::uint16_t* key, int pair, int pairs) {
  return std::fabs(gpu::widened(key[pair])) + std::fabs(gpu::widened(key[pair + pairs]));
}

void check_moves(const std::vector<std::int32_t>& counts, int head_dim, int pairs, bool to_front, std::int32_t far,
                 Random& random) {
  const std::string where = "head_dim " + std::to_string(head_dim) + ", " + std::to_string(pairs) + " pairs, " +
                            (to_front ? "to the front" : "to anywhere");
  PagedArena arena = paged_arena(counts, head_dim, random.below(2) == 0, random);
  std::vector<float> frequencies;
  for (int f = 0; f < pairs; ++f)
    frequencies.push_back(std::pow(500000.0F, -static_cast<float>(f) / static_cast<float>(pairs)));
  std::vector<std::int32_t> positions;
  for (const std::int32_t count : counts)
    for (std::int32_t i = 0; i < count; ++i)
      positions.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(far))));

  std::vector<unsigned char> expected = arena.bytes;
  std::vector<double> slack(arena.bytes.size(), -1);  // of an element, at its first byte
  std::int32_t most = 0;
  for (std::size_t h = 0; h < counts.size(); ++h) {
    most = std::max(most, counts[h]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(counts[h]); ++i) {
      std::vector<std::uint16_t> key(static_cast<std::size_t>(head_dim)), before;
      std::memcpy(key.data(), &arena.bytes[arena.key_at[h][i]], key.size() * sizeof(std::uint16_t));
      before = key;
      std::int32_t from = 0;
      std::memcpy(&from, &arena.bytes[arena.position_at[h][i]], sizeof(from));
      std::int32_t& to = positions[static_cast<std::size_t>(arena.first_row[h]) + i];
      if (to_front) to = static_cast<std::int32_t>(i);
      if (!to_front && i % 7 == 3) to = from;  // stays: so do its bits, whatever they are
      gpu::rerotate_reference(key.data(), 1, head_dim, frequencies.data(), pairs, &from, &to);
      for (int f = 0; f < 2 * pairs; ++f) {
        const int pair = f % pairs;
        const double angle =
            static_cast<double>(static_cast<float>(to - from) * frequencies[static_cast<std::size_t>(pair)]);
        const double x = gpu::widened(before[static_cast<std::size_t>(pair)]),
                     y = gpu::widened(before[static_cast<std::size_t>(pair + pairs)]);
        const double turned =
            f < pairs ? x * std::cos(angle) - y * std::sin(angle) : y * std::cos(angle) + x * std::sin(angle);
        const double size = reach(before.data(), pair, pairs);
        check(std::fabs(gpu::widened(key[static_cast<std::size_t>(f)]) - turned) <=
                  std::fabs(turned) * 0x1p-8 + size * 0x1p-22,
              where + ": the reference's channel " + std::to_string(f));
        slack[arena.key_at[h][i] + static_cast<std::size_t>(f) * 2] =
            from == to ? 0 : std::fabs(turned) * 0x1p-7 + size * 0x1p-21;
      }
      std::memcpy(&expected[arena.key_at[h][i]], key.data(), key.size() * sizeof(std::uint16_t));
      std::memcpy(&expected[arena.position_at[h][i]], &to, sizeof(to));
    }
  }

  const auto device_frequencies = value_of(gpu::DeviceArray<float>::of(frequencies));
  const auto device_positions = value_of(gpu::DeviceArray<std::int32_t>::of(positions));
  gpu::Rerotation rerotation{device_frequencies.data(), pairs, nullptr, nullptr, most};
  if (!to_front) rerotation.positions = device_positions.data(), rerotation.first_row = arena.first_slot.data();
  must(gpu::launch_rerotate(arena.heads, rerotation, nullptr));
  must(gpu::synchronize());
  const std::vector<unsigned char> now = arena.now();
  std::size_t others = 0, elements = 0;
  for (std::size_t at = 0; at < now.size(); ++at) {
    if (slack[at] < 0) {
      check(now[at] == expected[at],
            where + ": byte " + std::to_string(at) + " of the arena, which is no turned element");
      continue;
    }
    std::uint16_t got = 0, reference = 0;
    std::memcpy(&got, &now[at], sizeof(got));
    std::memcpy(&reference, &expected[at], sizeof(reference));
    check(std::fabs(static_cast<double>(gpu::widened(got)) - static_cast<double>(gpu::widened(reference))) <= slack[at],
          where + ": the element at " + std::to_string(at));
    others += got != reference ? 1 : 0;
    ++elements;
    ++at;
  }
  check(others <= elements / 50, where + ": " + std::to_string(others) + " of " + std::to_string(elements) +
                                     " elements are not the reference's");
}

}  // namespace

int main() {
  need_device();
  Random random(9);
  for (const int head_dim : {32, 64, 96, 128, 256}) {
    check_moves({70, 0, 1, 16, static_cast<std::int32_t>(random.below(60))}, head_dim, head_dim / 2, true, 1, random);
    check_moves({33, 5, 0}, head_dim, head_dim / 2, false, 4000, random);
  }
  check_moves({40}, 128, 64, false, 1 << 20, random);  // angles that need the slow reduction
  check_moves({40, 3}, 128, 16, false, 4000, random);  // a rotation of a part of the channels
  check_moves({0}, 64, 32, true, 1, random);
  gpu::PagedHeads narrow;
  narrow.head_dim = 64;
  check(!gpu::launch_rerotate(narrow, {nullptr, 40, nullptr, nullptr, 1}, nullptr).has_value() &&
            !gpu::launch_rerotate(narrow, {nullptr, 12, nullptr, nullptr, 1}, nullptr).has_value(),
        "pairs that are no whole eights, or too many, are taken");
  return end();
}
