#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "gpu/kernels/cuda_words.h"
#include "gpu/kernels/kivi.h"

namespace kvantage::gpu {
namespace {

// One element at a time, with fp16 through doubles: slow, and independent of the kernels' method.
double from_half(unsigned half) {
  const int exponent = static_cast<int>(half >> 10 & 31U), fraction = static_cast<int>(half & 0x3ffU);
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000U) != 0 ? -magnitude : magnitude;
}
/// To nearest, ties to even; at most 65504.
unsigned to_half(double number) {
  const double magnitude = std::fabs(number);
  const int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
  // A fraction that rounds up to 2,048 is the first of the next exponent, and so are its bits.
  const auto fraction = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return (std::signbit(number) ? 0x8000U : 0U) | (fraction + (static_cast<unsigned>(exponent + 14) << 10));
}
unsigned to_half_below(double number) {
  const unsigned nearest = to_half(number);
  if (from_half(nearest) <= number) return nearest;
  if ((nearest & 0x7fffU) == 0) return 0x8001U;
  return (nearest & 0x8000U) != 0 ? nearest + 1 : nearest - 1;
}

float sane(std::uint16_t bf16) {
  const float number = widened(bf16);
  return std::isnan(number) ? 0.0F : std::clamp(number, -65280.0F, 65280.0F);
}

void store(unsigned char* to, unsigned half) {
  const auto bits = static_cast<std::uint16_t>(half);
  std::memcpy(to, &bits, sizeof(bits));
}
unsigned load(const unsigned char* from) {
  std::uint16_t bits;
  std::memcpy(&bits, from, sizeof(bits));
  return bits;
}

/// Calls body(group, its elements' (row, channel)) for all groups, in order.
template <class Body>
void for_each_group(const KiviForm& form, std::size_t quantized, Body&& body) {
  const auto head_dim = static_cast<std::size_t>(form.head_dim), group = static_cast<std::size_t>(form.group);
  std::vector<std::pair<std::size_t, std::size_t>> elements;
  std::size_t number = 0;
  if (form.keys) {
    for (std::size_t first = 0; first < quantized; first += group)
      for (std::size_t channel = 0; channel < head_dim; ++channel) {
        elements.clear();
        for (std::size_t row = first; row < std::min(first + group, quantized); ++row)
          elements.emplace_back(row, channel);
        body(number++, elements);
      }
  } else {
    for (std::size_t row = 0; row < quantized; ++row)
      for (std::size_t first = 0; first < head_dim; first += group) {
        elements.clear();
        for (std::size_t channel = first; channel < std::min(first + group, head_dim); ++channel)
          elements.emplace_back(row, channel);
        body(number++, elements);
      }
  }
}

}  // namespace

void kivi_encode_reference(const KiviForm& form, int count, const std::uint16_t* rows, unsigned char* encoded) {
  const KiviLayout at = kivi_layout(form, count);
  const auto head_dim = static_cast<std::size_t>(form.head_dim), bits = static_cast<std::size_t>(form.bits);
  const auto most = static_cast<float>((1 << form.bits) - 1);
  std::fill_n(encoded + at.codes(), at.quantized * at.row_codes, static_cast<unsigned char>(0));
  for_each_group(form, at.quantized, [&](std::size_t group, const auto& elements) {
    float low = 65280.0F, high = -65280.0F;
    for (const auto& [row, channel] : elements) {
      low = std::min(low, sane(rows[row * head_dim + channel]));
      high = std::max(high, sane(rows[row * head_dim + channel]));
    }
    low += 0.0F, high += 0.0F;  // no negative zeros
    const unsigned minimum = to_half_below(low);
    const auto stored_low = static_cast<float>(from_half(minimum));
    const unsigned scale = to_half((high - stored_low) / most);
    const auto step = static_cast<float>(from_half(scale));
    const float inverse = step > 0 ? 1.0F / step : 0.0F;
    store(encoded + group * 2, scale);
    store(encoded + at.minima() + group * 2, minimum);
    for (const auto& [row, channel] : elements) {
      const float scaled = (sane(rows[row * head_dim + channel]) - stored_low) * inverse;
      const auto code = static_cast<unsigned>(std::min(std::nearbyint(scaled), most));
      encoded[at.codes() + row * at.row_codes + channel * bits / 8] |=
          static_cast<unsigned char>(code << (channel * bits % 8));
    }
  });
  if (at.newest > 0) std::memcpy(encoded + at.as_held(), rows + at.quantized * head_dim, at.newest * at.row);
}

bool kivi_decode_reference(const KiviForm& form, int count, const unsigned char* encoded, std::uint16_t* rows) {
  const KiviLayout at = kivi_layout(form, count);
  const auto head_dim = static_cast<std::size_t>(form.head_dim), bits = static_cast<std::size_t>(form.bits);
  bool finite = true;
  for_each_group(form, at.quantized, [&](std::size_t group, const auto& elements) {
    const unsigned scale = load(encoded + group * 2), minimum = load(encoded + at.minima() + group * 2);
    finite = finite && (scale & 0x7c00U) != 0x7c00U && (minimum & 0x7c00U) != 0x7c00U;
    for (const auto& [row, channel] : elements) {
      const unsigned code =
          static_cast<unsigned>(encoded[at.codes() + row * at.row_codes + channel * bits / 8]) >> (channel * bits % 8) &
          ((1U << bits) - 1U);
      rows[row * head_dim + channel] = narrowed(static_cast<float>(code) * static_cast<float>(from_half(scale)) +
                                                static_cast<float>(from_half(minimum)));
    }
  });
  if (at.newest > 0) std::memcpy(rows + at.quantized * head_dim, encoded + at.as_held(), at.newest * at.row);
  return finite;
}

}  // namespace kvantage::gpu
