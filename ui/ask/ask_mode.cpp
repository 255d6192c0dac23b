#include "ui/ask/ask_mode.h"

#include "ui/ask/ask_page.h"

namespace kvantage {

QWidget* make_ask_page(const DockContext& context) {
  const WindowOptions& options = context.options;
  auto* page = new AskPage(context.run, options.asker, options.keep_question, options.text_of);
  ViewLinks& links = context.links;
  QObject::connect(page, &AskPage::said, page, context.say);
  QObject::connect(page, &AskPage::workloadWritten, page, [&links](const QString& path) {
    emit links.offered(QStringLiteral("info"), AskPage::tr("The workload with this question is in %1.").arg(path),
                       {AskPage::tr("Open"), AskPage::tr("Stop this run and serve that workload"),
                        [&links, path] { emit links.pathWanted(path); }});
  });
  return page;
}

}  // namespace kvantage
