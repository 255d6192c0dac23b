#include "core/base/student.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kvantage {

double normal_share(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double normal_quantile(double share) {
  if (share > 0.5) return -normal_quantile(1 - share);
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                          -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
  double z = 0;
  if (share < 0.02425) {
    const double q = std::sqrt(-2 * std::log(std::max(share, 1e-300)));
    z = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
        ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  } else {
    const double q = share - 0.5, r = q * q;
    z = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
        (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
  }
  const double error = normal_share(z) - share;
  const double step = error * std::sqrt(2 * std::numbers::pi) * std::exp(z * z / 2);
  return z - step / (1 + z * step / 2);
}

double student_quantile(double share, double freedom) {
  if (share == 0.5) return 0;
  if (share < 0.5) return -student_quantile(1 - share, freedom);
  const double n = std::max(freedom, 1.0), p = 2 * (1 - share);  // of both tails
  if (n < 1 + 1e-9) return std::cos(p * std::numbers::pi / 2) / std::sin(p * std::numbers::pi / 2);
  if (std::fabs(n - 2) < 1e-9) return std::sqrt(2 / (p * (2 - p)) - 2);
  // Hill's expansion is 18 % off near 1: between the two exact ones, by a power fitted to the quantiles at 0.9 to 0.99.
  if (n < 2) {
    const double part = (std::pow(n, -1.3) - 1) / (std::pow(2, -1.3) - 1);
    return std::pow(student_quantile(share, 1), 1 - part) * std::pow(student_quantile(share, 2), part);
  }
  const double a = 1 / (n - 0.5), b = 48 / (a * a);
  double c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
  const double d = ((94.5 / (b + c) - 3) / b + 1) * std::sqrt(a * std::numbers::pi / 2) * n;
  double y = std::pow(d * p, 2 / n);
  if (y > 0.05 + a) {
    const double x = normal_quantile(p / 2);
    y = x * x;
    if (n < 5) c += 0.3 * (n - 4.5) * (x + 0.6);
    c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b;
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
    y = std::expm1(a * y * y);
  } else {
    y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (n + 1) / (n + 2) +
        1 / y;
  }
  return std::sqrt(n * y);
}

double chi_square_quantile(double share, double freedom) {
  const double part = 2 / (9 * freedom);
  const double root = std::max(1 - part + normal_quantile(share) * std::sqrt(part), 0.0);
  return freedom * root * root * root;
}

double student_power(double shift, double critical, double freedom) {
  return normal_share((shift - critical * (1 - 1 / (4 * freedom))) /
                      std::sqrt(1 + critical * critical / (2 * freedom)));
}

}  // namespace kvantage
