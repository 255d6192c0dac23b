// fp8 rows: every bf16 number there is, and every code, against the reference and against a search for the nearest;
// ragged counts leave what is behind.
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "gpu/kernels/cuda_words.h"
#include "gpu/kernels/fp8.h"
#include "tests/gpu/gpu_check.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// What e4m3's definition says of a code, NaN aside.
double value_of_code(unsigned code) {
  const int exponent = static_cast<int>(code >> 3 & 15U), fraction = static_cast<int>(code & 7U);
  const double value = exponent == 0 ? fraction / 8.0 * std::exp2(-6) : (1 + fraction / 8.0) * std::exp2(exponent - 7);
  return (code & 0x80U) != 0 ? -value : value;
}
/// By search: the nearest of all codes of the number's sign, an even one where two are as near.
unsigned nearest(std::uint16_t bf16) {
  const double number = gpu::widened(bf16);
  const unsigned sign = (bf16 & 0x8000U) != 0 ? 0x80U : 0U;
  if (std::isnan(number)) return sign | 0x7fU;
  unsigned best = sign;
  for (unsigned code = sign + 1; code < sign + 0x7fU; ++code) {
    const double before = std::fabs(number - value_of_code(best)), now = std::fabs(number - value_of_code(code));
    if (now < before || (now == before && code % 2 == 0 && std::isfinite(number))) best = code;
  }
  return std::isinf(number) ? sign | 0x7eU : best;
}

}  // namespace

int main() {
  need_device();
  std::vector<std::uint16_t> all(1 << 16);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  std::vector<std::uint8_t> reference(all.size());
  gpu::fp8_encode_reference(all.data(), all.size(), reference.data());
  const auto rows = value_of(gpu::DeviceArray<std::uint16_t>::of(all));
  const auto codes = value_of(gpu::DeviceArray<std::uint8_t>::zeros(all.size()));
  must(gpu::launch_fp8_encode(rows.data(), all.size(), codes.data(), nullptr));
  must(gpu::synchronize());
  const auto encoded = value_of(codes.numbers());
  for (std::size_t i = 0; i < all.size(); ++i) {
    check(encoded[i] == reference[i], "code of bf16 " + std::to_string(i) + ": " + std::to_string(encoded[i]) +
                                          ", the reference has " + std::to_string(reference[i]));
    check(reference[i] == nearest(all[i]), "reference's code of bf16 " + std::to_string(i) + ": " +
                                               std::to_string(reference[i]) + " for " +
                                               std::to_string(nearest(all[i])));
  }

  std::vector<std::uint8_t> every(256);
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<std::uint8_t>(i);
  std::vector<std::uint16_t> reference_rows(256);
  gpu::fp8_decode_reference(every.data(), every.size(), reference_rows.data());
  const auto every_code = value_of(gpu::DeviceArray<std::uint8_t>::of(every));
  const auto decoded_rows = value_of(gpu::DeviceArray<std::uint16_t>::zeros(256));
  must(gpu::launch_fp8_decode(every_code.data(), every.size(), decoded_rows.data(), nullptr));
  must(gpu::synchronize());
  const auto decoded = value_of(decoded_rows.numbers());
  for (unsigned i = 0; i < 256; ++i) {
    check(decoded[i] == reference_rows[i], "number of code " + std::to_string(i) + ": " + std::to_string(decoded[i]) +
                                               ", the reference has " + std::to_string(reference_rows[i]));
    const bool is_nan = (i & 0x7fU) == 0x7fU;
    check(is_nan ? std::isnan(gpu::widened(reference_rows[i]))
                 : static_cast<double>(gpu::widened(reference_rows[i])) == value_of_code(i),
          "reference's number of code " + std::to_string(i));
    check((reference_rows[i] >> 15) == (i >> 7), "sign of code " + std::to_string(i));
  }

  // Counts that end within a piece, a block, or nowhere.
  Random random(11);
  for (const std::size_t count : {0, 1, 7, 8, 9, 32, 4095, 4096, 4097, 4113, 9000}) {
    std::vector<std::uint16_t> some(count);
    for (std::uint16_t& number : some)
      number =
          gpu::narrowed(static_cast<float>(random.normal() * std::exp2(static_cast<double>(random.below(16)) - 10)));
    std::vector<std::uint8_t> expected(count + 16, 0xee);
    gpu::fp8_encode_reference(some.data(), count, expected.data());
    const auto source = value_of(gpu::DeviceArray<std::uint16_t>::of(some));
    const auto target = value_of(gpu::DeviceArray<std::uint8_t>::of(std::vector<std::uint8_t>(count + 16, 0xee)));
    must(gpu::launch_fp8_encode(source.data(), count, target.data(), nullptr));
    must(gpu::synchronize());
    check(value_of(target.numbers()) == expected, "codes of " + std::to_string(count) + " elements");
    std::vector<std::uint16_t> back(count + 8, 0xeeee);
    gpu::fp8_decode_reference(expected.data(), count, back.data());
    const auto again = value_of(gpu::DeviceArray<std::uint16_t>::of(std::vector<std::uint16_t>(count + 8, 0xeeee)));
    must(gpu::launch_fp8_decode(target.data(), count, again.data(), nullptr));
    must(gpu::synchronize());
    check(value_of(again.numbers()) == back, "numbers of " + std::to_string(count) + " codes");
  }
  return end();
}
