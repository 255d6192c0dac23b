// Quantiles of the distributions behind intervals of few repetitions.
#pragma once

namespace kvantage {

/// P(Z <= z) of a standard normal Z.
double normal_share(double z);
/// The z with P(Z <= z) = share, share in (0, 1), to 1e-9 (Acklam's rational approximation and one step of Halley).
double normal_quantile(double share);
/// The t with P(T <= t) = share of Student's t with `freedom` >= 1 degrees of freedom, share in (0, 1), to 0.1 % (Hill
/// 1970, Communications of the ACM, algorithm 396). Between 1 and 2: to 1 % for shares from 0.01 to 0.1 and from 0.9 to
/// 0.99, to 5 % for others.
double student_quantile(double share, double freedom);
/// The x with P(X <= x) = share of chi-square (Wilson and Hilferty 1931); within 2 % for shares from 0.2 to 0.5 and
/// freedom from 2 on; too low for smaller ones, by 14 % at a share of 0.2 and freedom 1.
double chi_square_quantile(double share, double freedom);
/// P(T > critical) of the noncentral t with `freedom` degrees around `shift` > 0 (the normal approximation of Johnson
/// and Welch 1940): the power of a t test.
double student_power(double shift, double critical, double freedom);

}  // namespace kvantage
