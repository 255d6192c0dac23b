// EvicPress, figure 2: its worked example, without a model.
#include <utility>

#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/worked_example.h"

namespace kvantage::inline evicpress_figures {
namespace {

class WorkedExample final : public Experiment {
 public:
  WorkedExample()
      : Experiment(PaperFigure{
            .name = "evicpress/fig2",
            .paper = "evicpress",
            .title = "compression only, eviction only, both together: two caches, two tiers",
            .does =
                "The paper's worked example, computed with KVantage's own policies: a 4 GB cache that compresses to 5 "
                "% "
                "without loss, an 8 GB cache that loses quality under any compression, a fast tier of 8 GB at 20 GB/s, "
                "and a slow tier at 2 GB/s.",
            .expected =
                "Compression only is fastest but loses quality; eviction only keeps full quality but is slow; both "
                "together keep full quality and are nearly as fast.",
            .published = "total TTFT 0.3, 2.4 and 0.5 s at a quality of 75, 100 and 100 %",
            .without_model = true}) {}

  Status check(const FigureArguments&) const override { return {}; }
  Expected<std::vector<FigureResult>> run(const FigureArguments& arguments) const override {
    arguments.lines->expect_cells(1);
    FigureResult result = figure_worked_example(figure());
    arguments.lines->end_cell();
    return std::vector<FigureResult>{std::move(result)};
  }
};

}  // namespace

const Experiment& evicpress_fig2() {
  static const WorkedExample experiment;
  return experiment;
}

}  // namespace kvantage::inline evicpress_figures
