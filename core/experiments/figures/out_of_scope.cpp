#include "core/experiments/figures/out_of_scope.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/experiments/paper_figures.h"

namespace kvantage::inline figures {
namespace {

constexpr std::string_view of_data_sets = "statistics of its data sets, not a result",
                           of_pool =
                               "a drawing of a pool of blocks, without results; the window steps through it (Pool)",
                           of_design = "a drawing of hardware, design or schedules, without results";

constexpr auto out_of_scope_rows = std::to_array<OutOfScope>(
    {{"evicpress/fig1", "a drawing of the trade-off; evicpress/fig7 measures it"},
     {"evicpress/fig6", "a drawing of its workflow, without results"},
     {"evicpress/table1", of_data_sets},
     {"evicpress/table2", of_data_sets},
     {"pagedeviction/fig1", of_pool},
     {"pagedeviction/fig5", of_pool},
     {"pagedeviction/fig6", of_pool},
     {"kvpr/fig1", of_design},
     {"kvpr/fig2", of_design},
     {"kvpr/fig4", of_design},
     {"kvpr/fig5", of_design},
     {"kvpr/fig11", of_design},
     {"kvpr/fig14",
      "a comparison with attention computed on the CPU, for several GPUs, which is not reproduced here"}});

}  // namespace

std::span<const OutOfScope> figures_out_of_scope() { return out_of_scope_rows; }

std::string_view out_of_scope_reason(std::string_view figure) {
  const std::string name = current_figure_id(figure);
  const auto found = std::ranges::find(out_of_scope_rows, name, &OutOfScope::figure);
  return found == out_of_scope_rows.end() ? std::string_view() : found->reason;
}

}  // namespace kvantage::inline figures
