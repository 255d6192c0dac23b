// KIVI's kernels against their reference, byte for byte, and the reference against what the paper's text and core's
// say: the largest fp16 that is not above the least of a group, the nearest fp16 to the step, the nearest of all codes.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gpu/kernels/kivi.h"
#include "tests/gpu/kernels/paged_arena.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::string name_of(const gpu::KiviForm& form) {
  return std::string(form.keys ? "keys" : "values") + ", " + std::to_string(form.bits) + " bits, residual " +
         std::to_string(form.residual) + ", group " + std::to_string(form.group) + ", head_dim " +
         std::to_string(form.head_dim);
}

enum class Numbers { normal, special };
std::uint16_t random_number(Numbers numbers, Random& random) {
  if (numbers == Numbers::special && random.below(3) == 0)
    return static_cast<std::uint16_t>(random.below(1 << 16));  // NaN, infinite, subnormal, beyond fp16
  return gpu::narrowed(static_cast<float>(
      random.normal() * (numbers == Numbers::special ? std::exp2(static_cast<double>(random.below(40)) - 30) : 1.0)));
}

/// Every fp16 number there is, ascending, as a table by definition.
const std::vector<double>& halves() {
  static const std::vector<double> all = [] {
    std::vector<double> made;
    for (int half = 0; half < 0x7c00; ++half)
      made.push_back(half < 0x400 ? std::ldexp(half, -24) : std::ldexp(1024 + half % 1024, half / 1024 - 25));
    const std::vector<double> positive = made;
    for (const double half : positive) made.push_back(-half);
    std::ranges::sort(made);
    return made;
  }();
  return all;
}
double half_at(const unsigned char* from) {
  const unsigned half = static_cast<unsigned>(from[0] | from[1] << 8);
  const double magnitude = halves()[0x7c00 + (half & 0x7fffU)];  // the negative ones and both zeros stand before
  return (half & 0x8000U) != 0 ? -magnitude : magnitude;
}

void check_by_search(const gpu::KiviForm& form, int count, const std::vector<std::uint16_t>& rows,
                     const std::vector<unsigned char>& encoded, const std::string& where) {
  const gpu::KiviLayout at = gpu::kivi_layout(form, count);
  const int codes = 1 << form.bits, groups_per_row = (form.head_dim + form.group - 1) / form.group;
  std::vector<std::uint16_t> decoded(rows.size());
  check(gpu::kivi_decode_reference(form, count, encoded.data(), decoded.data()),
        where + ": what the reference encoded is corrupt");
  const auto group_of = [&](int row, int channel) {
    return static_cast<std::size_t>(form.keys ? row / form.group * form.head_dim + channel
                                              : row * groups_per_row + channel / form.group);
  };
  std::vector<double> least(at.groups, 1e9), most(at.groups, -1e9);
  for (int row = 0; row < static_cast<int>(at.quantized); ++row)
    for (int channel = 0; channel < form.head_dim; ++channel) {
      const double number = gpu::widened(rows[static_cast<std::size_t>(row * form.head_dim + channel)]);
      least[group_of(row, channel)] = std::min(least[group_of(row, channel)], number);
      most[group_of(row, channel)] = std::max(most[group_of(row, channel)], number);
    }
  for (std::size_t group = 0; group < at.groups; ++group) {
    const double minimum = half_at(&encoded[at.minima() + group * 2]), scale = half_at(&encoded[group * 2]),
                 step = (most[group] - minimum) / (codes - 1);
    check(minimum == *std::prev(std::ranges::upper_bound(halves(), least[group])),
          where + ": the minimum of group " + std::to_string(group));
    const auto above = std::ranges::lower_bound(halves(), step);
    double nearest = std::fabs(*above - step);
    if (above != halves().begin()) nearest = std::min(nearest, std::fabs(*std::prev(above) - step));
    check(std::fabs(scale - step) <= nearest + step * 0x1p-22, where + ": the scale of group " + std::to_string(group));
  }
  for (int row = 0; row < count; ++row)
    for (int channel = 0; channel < form.head_dim; ++channel) {
      const auto i = static_cast<std::size_t>(row * form.head_dim + channel);
      if (row >= static_cast<int>(at.quantized)) {
        check(decoded[i] == rows[i], where + ": a row as held, " + std::to_string(row));
        continue;
      }
      const std::size_t group = group_of(row, channel);
      const double minimum = half_at(&encoded[at.minima() + group * 2]), scale = half_at(&encoded[group * 2]),
                   number = gpu::widened(rows[i]);
      double nearest = 1e9;
      for (int code = 0; code < codes; ++code)
        nearest = std::min(nearest, std::fabs(number - (minimum + code * scale)));
      const auto byte = static_cast<std::size_t>(channel * form.bits / 8);
      const int code =
          encoded[at.codes() + static_cast<std::size_t>(row) * at.row_codes + byte] >> channel * form.bits % 8 &
          (codes - 1);
      check(std::fabs(number - (minimum + code * scale)) <= nearest + scale * codes * 0x1p-21,
            where + ": the code of row " + std::to_string(row) + ", channel " + std::to_string(channel));
      check(decoded[i] == gpu::narrowed(static_cast<float>(minimum + code * scale)),
            where + ": the number of row " + std::to_string(row) + ", channel " + std::to_string(channel));
    }
}

std::vector<std::uint16_t> random_head(std::int32_t count, std::size_t head_dim, Numbers numbers, Random& random) {
  std::vector<std::uint16_t> head(static_cast<std::size_t>(count) * head_dim);
  for (std::size_t i = 0; i < head.size(); ++i) {
    const std::size_t row = i / head_dim, channel = i % head_dim;
    head[i] = random_number(numbers, random);
    // Groups that are constant, of keys and of values: zeros of both signs, and one number.
    if (numbers == Numbers::special && (channel < 4 || row % 8 < 4))
      head[i] = std::array<std::uint16_t, 4>{0, 0x8000, 0x3e99, 0xc120}[channel < 4 ? channel : row % 4];
  }
  return head;
}

void check_form(const gpu::KiviForm& form, const std::vector<std::int32_t>& counts, Numbers numbers, Random& random) {
  const std::string where = name_of(form);
  const auto head_dim = static_cast<std::size_t>(form.head_dim);
  PagedArena arena = paged_arena(counts, form.head_dim, random.below(2) == 0, random);
  std::vector<std::uint16_t> rows;
  std::vector<std::size_t> first_byte;
  std::vector<unsigned char> expected(16, 0xee);  // something before, between and behind
  std::int32_t most = 0;
  for (std::size_t h = 0; h < counts.size(); ++h) {
    const std::vector<std::uint16_t> head = random_head(counts[h], head_dim, numbers, random);
    std::vector<unsigned char> encoded(gpu::kivi_layout(form, counts[h]).bytes());
    gpu::kivi_encode_reference(form, counts[h], head.data(), encoded.data());
    if (numbers == Numbers::normal)
      check_by_search(form, counts[h], head, encoded, where + ", " + std::to_string(counts[h]) + " rows");
    for (std::size_t i = 0; i < static_cast<std::size_t>(counts[h]); ++i)
      std::memcpy(&arena.bytes[arena.key_at[h][i] + (form.keys ? 0 : arena.heads.values_at)], &head[i * head_dim],
                  head_dim * sizeof(std::uint16_t));
    rows.insert(rows.end(), head.begin(), head.end());
    first_byte.push_back(expected.size());
    expected.insert(expected.end(), encoded.begin(), encoded.end());
    expected.resize((expected.size() + 15) / 16 * 16 + 16, 0xee);
    most = std::max(most, counts[h]);
  }
  arena.fill();
  const auto gathered = value_of(gpu::DeviceArray<std::uint16_t>::of(rows));
  const auto first_row = value_of(gpu::DeviceArray<std::int32_t>::of(arena.first_row));
  const auto first_bytes = value_of(gpu::DeviceArray<std::size_t>::of(first_byte));
  const gpu::KiviHeads heads{static_cast<int>(counts.size()), most, arena.kept.data(), first_bytes.data()};
  const gpu::HeadRows as_gathered = gpu::gathered_rows(gathered.data(), first_row.data(), form.head_dim),
                      as_paged = gpu::paged_rows(arena.heads, !form.keys);
  for (const gpu::HeadRows* source : {&as_gathered, &as_paged}) {
    const auto target =
        value_of(gpu::DeviceArray<unsigned char>::of(std::vector<unsigned char>(expected.size(), 0xee)));
    must(gpu::launch_kivi_encode(form, *source, heads, target.data(), nullptr));
    must(gpu::synchronize());
    check(value_of(target.numbers()) == expected,
          where + ": bytes of " + (source == &as_paged ? "paged" : "gathered") + " rows");
  }

  // And back: gathered, then over rows in blocks that hold something else.
  std::vector<std::uint16_t> decoded(rows.size());
  std::vector<unsigned char> blocks = arena.bytes;
  for (std::size_t h = 0; h < counts.size(); ++h) {
    std::uint16_t* const head = decoded.data() + static_cast<std::size_t>(arena.first_row[h]) * head_dim;
    check(gpu::kivi_decode_reference(form, counts[h], &expected[first_byte[h]], head),
          where + ": the reference finds its own bytes corrupt");
    for (std::size_t i = 0; i < static_cast<std::size_t>(counts[h]); ++i)
      std::memcpy(&blocks[arena.key_at[h][i] + (form.keys ? 0 : arena.heads.values_at)], &head[i * head_dim],
                  head_dim * sizeof(std::uint16_t));
  }
  const auto encoded = value_of(gpu::DeviceArray<unsigned char>::of(expected));
  const auto corrupt = value_of(gpu::DeviceArray<std::int32_t>::zeros(1));
  for (const gpu::HeadRows* target : {&as_gathered, &as_paged}) {
    must(gpu::launch_kivi_decode(form, heads, encoded.data(), *target, corrupt.data(), nullptr));
    must(gpu::synchronize());
  }
  check(value_of(gathered.numbers()) == decoded, where + ": rows gathered");
  check(arena.now() == blocks, where + ": rows in blocks");
  check(value_of(corrupt.numbers())[0] == 0, where + ": sound bytes are corrupt");

  // A scale of the first head, then a minimum, becomes infinite.
  const gpu::KiviLayout at = gpu::kivi_layout(form, counts[0]);
  if (at.groups == 0) return;
  for (const std::size_t part : {std::size_t{0}, at.minima()}) {
    std::vector<unsigned char> broken = expected;
    broken[first_byte[0] + part + 2 * random.below(at.groups) + 1] = 0x7c;
    const auto bad = value_of(gpu::DeviceArray<unsigned char>::of(broken));
    const auto found = value_of(gpu::DeviceArray<std::int32_t>::zeros(1));
    must(gpu::launch_kivi_decode(form, heads, bad.data(), as_gathered, found.data(), nullptr));
    must(gpu::synchronize());
    check(value_of(found.numbers())[0] == 1, where + ": an infinite scale or minimum is not found");
    check(!gpu::kivi_decode_reference(form, counts[0], &broken[first_byte[0]], decoded.data()),
          where + ": the reference does not find it");
  }
}

}  // namespace

int main() {
  need_device();
  Random random(5);
  for (const bool keys : {true, false})
    for (const int bits : {2, 4, 8}) {
      for (const int head_dim : {32, 64, 128}) {
        const Numbers numbers = head_dim == 64 ? Numbers::special : Numbers::normal;
        check_form({bits, 32, 32, head_dim, keys}, {70, 0, 1, 33, 32, static_cast<std::int32_t>(random.below(90))},
                   numbers, random);
        check_form({bits, 0, 32, head_dim, keys}, {37, 96}, Numbers::special,
                   random);  // the last group of keys is short
      }
      check_form({bits, 25, 16, 96, keys}, {80, 13}, Numbers::normal,
                 random);  // lanes left over, residuals that are no whole groups
      check_form({bits, 10, 128, 64, keys}, {140, 5}, Numbers::normal, random);
      check_form({bits, 7, 64, 256, keys}, {0, 0, 20}, Numbers::normal, random);
    }
  check(!gpu::kivi_fits({4, 128, 32, 80, false}).has_value() &&
            !gpu::kivi_fits({4, 128, 1024, 128, true}).has_value() &&
            !gpu::kivi_fits({3, 128, 32, 128, true}).has_value(),
        "a form that kernels do not know is taken");
  return end();
}
