#include "ui/papers/papers_mode.h"

#include "ui/papers/figures_page.h"

namespace kvantage {

QWidget* make_papers_page(const DockContext& context) {
  const WindowOptions& options = context.options;
  auto* page = new FiguresPage(options.figures, options.figure_results, context.session, options.claims);
  ViewLinks& links = context.links;
  QObject::connect(page, &FiguresPage::said, page, context.say);
  QObject::connect(page, &FiguresPage::backRequested, &links,
                   [&links] { emit links.viewWanted(QStringLiteral("live")); });
  QObject::connect(page, &FiguresPage::runsRequested, &links, &ViewLinks::runsWanted);
  QObject::connect(&context.run, &RunModel::stateChanged, page, &FiguresPage::look_at_session);
  return page;
}

}  // namespace kvantage
