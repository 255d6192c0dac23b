// How far apart two colors look, also without one kind of cones: simulated as Machado, Oliveira and Fernandes (IEEE
// TVCG 2009) do for full dichromacy, in linear RGB, compared by CIEDE2000 (CIE 142-2001, as Sharma, Wu and Dalal 2005
// write it out). And the contrast ratio of WCAG 2.
#pragma once

#include <QColor>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace kvantage::testing {

enum class Sight { normal, without_red, without_green, without_blue };
inline constexpr std::array all_sights{Sight::normal, Sight::without_red, Sight::without_green, Sight::without_blue};

using LinearRgb = std::array<double, 3>;  // 0 to 1
struct Lab {
  double lightness = 0, a = 0, b = 0;  // CIE 1976, D65
};

inline LinearRgb linear_of(const QColor& color) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return {linear(color.redF()), linear(color.greenF()), linear(color.blueF())};
}

/// Relative luminance of sRGB.
inline double luminance_of(const QColor& color) {
  const auto [red, green, blue] = linear_of(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/// 1 to 21.
inline double contrast_ratio(const QColor& one, const QColor& other) {
  const double x = luminance_of(one), y = luminance_of(other);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

/// The color as it looks, severity 1.
inline LinearRgb seen(const LinearRgb& color, Sight sight) {
  using Matrix = std::array<LinearRgb, 3>;
  static constexpr Matrix protan{
      {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
  static constexpr Matrix deutan{
      {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
  static constexpr Matrix tritan{
      {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};
  if (sight == Sight::normal) return color;
  const Matrix& matrix = sight == Sight::without_red ? protan : sight == Sight::without_green ? deutan : tritan;
  LinearRgb looks{};
  for (std::size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < 3; ++column) sum += matrix[row][column] * color[column];
    looks[row] = std::clamp(sum, 0.0, 1.0);
  }
  return looks;
}

inline Lab lab_of(const LinearRgb& color) {
  const auto [r, g, b] = color;
  const double x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047;
  const double y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b;
  const double z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883;
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}

/// Some 1 is the least that is seen side by side.
inline double ciede2000(const Lab& one, const Lab& other) {
  constexpr double degree = std::numbers::pi / 180;
  const auto seventh = [](double c) { return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7))); };
  const double mean_plain = (std::hypot(one.a, one.b) + std::hypot(other.a, other.b)) / 2;
  const double stretch = 1.5 - 0.5 * seventh(mean_plain);
  const double a1 = stretch * one.a, a2 = stretch * other.a;
  const double c1 = std::hypot(a1, one.b), c2 = std::hypot(a2, other.b);
  const auto hue = [](double a, double b) {  // 0 to 360
    const double angle = a == 0 && b == 0 ? 0 : std::atan2(b, a) / degree;
    return angle < 0 ? angle + 360 : angle;
  };
  const double h1 = hue(a1, one.b), h2 = hue(a2, other.b);
  const bool gray = c1 * c2 == 0;
  double turn = gray ? 0 : h2 - h1;
  if (turn > 180) turn -= 360;
  if (turn < -180) turn += 360;
  double mean_hue = h1 + h2;
  if (!gray) {
    if (std::fabs(h1 - h2) > 180) mean_hue += mean_hue < 360 ? 360 : -360;
    mean_hue /= 2;
  }
  const double lightness = (one.lightness + other.lightness) / 2, chroma = (c1 + c2) / 2;
  const double t = 1 - 0.17 * std::cos((mean_hue - 30) * degree) + 0.24 * std::cos(2 * mean_hue * degree) +
                   0.32 * std::cos((3 * mean_hue + 6) * degree) - 0.2 * std::cos((4 * mean_hue - 63) * degree);
  const double off = (lightness - 50) * (lightness - 50);
  const double by_lightness = (other.lightness - one.lightness) / (1 + 0.015 * off / std::sqrt(20 + off));
  const double by_chroma = (c2 - c1) / (1 + 0.045 * chroma);
  const double by_hue = 2 * std::sqrt(c1 * c2) * std::sin(turn / 2 * degree) / (1 + 0.015 * chroma * t);
  const double from_blue = (mean_hue - 275) / 25;
  const double rotation = -std::sin(60 * std::exp(-from_blue * from_blue) * degree) * 2 * seventh(chroma);
  return std::sqrt(by_lightness * by_lightness + by_chroma * by_chroma + by_hue * by_hue +
                   rotation * by_chroma * by_hue);
}

inline double difference(const QColor& one, const QColor& other, Sight sight) {
  return ciede2000(lab_of(seen(linear_of(one), sight)), lab_of(seen(linear_of(other), sight)));
}

/// By whoever tells them from one another worst.
inline double least_difference(const QColor& one, const QColor& other) {
  double least = 1e9;
  for (const Sight sight : all_sights) least = std::min(least, difference(one, other, sight));
  return least;
}

}  // namespace kvantage::testing
