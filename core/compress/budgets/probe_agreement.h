// Whether a few heads may decide for all heads of a layer (IMPRESS, Chen et al. 2025): the tokens that they rank as
// important must overlap more than those of heads that choose at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kvantage::inline budgets {

/// Mean Jaccard index over all pairs of sets, each ascending; 1 for fewer than two sets.
double mean_jaccard(std::span<const std::vector<std::int32_t>> sets);

/// What the mean must reach: j^0.6, where j = (k/n) / (2 - k/n) is that of random choices of k among n; share = k/n.
double agreement_threshold(double share);

/// The important tokens of each probe head, `count` of `tokens`, each ascending -> their union, ascending, where the
/// heads agree. Nothing where they do not: then every token of the layer counts as important.
std::optional<std::vector<std::int32_t>> agreed_tokens(std::span<const std::vector<std::int32_t>> important,
                                                       std::size_t count, std::size_t tokens);

}  // namespace kvantage::inline budgets
