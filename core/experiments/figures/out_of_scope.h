// Figures and tables of the papers that are not reproduced, each with the reason.
#pragma once

#include <span>
#include <string_view>

namespace kvantage::inline figures {

struct OutOfScope {
  std::string_view figure;  // "kvpr/fig14"
  std::string_view reason;  // begins with a small letter, without a period
};

std::span<const OutOfScope> figures_out_of_scope();
/// Of a figure by any id it may be called by (current_figure_id()). Empty: it is not one of them.
std::string_view out_of_scope_reason(std::string_view figure);

}  // namespace kvantage::inline figures
