#include "ui/papers/charts/paper_menu.h"

#include <QCoreApplication>
#include <QMenu>

#include "ui/papers/charts/paper_format_dialog.h"
#include "ui/widgets/save_question.h"

namespace kvantage {
namespace {

struct PaperMenuText {
  Q_DECLARE_TR_FUNCTIONS(PaperMenuText)
};

/// `kind` empty: by the ending of the path.
void ask_and_save_plot(QWidget* owner, const PlotToSave& plot, const QString& kind, const PaperFormat& format) {
  const QString ending = kind.isEmpty() ? QStringLiteral("pdf") : kind;
  const QString filter = kind.isEmpty() ? PaperMenuText::tr("Pictures (*.pdf *.svg *.png)")
                                        : kind.toUpper() + QStringLiteral(" (*.") + kind + QLatin1Char(')');
  ask_where_to_save(owner, {PaperMenuText::tr("Export plot"), plot.name() + QLatin1Char('.') + ending, ending, filter},
                    [save = plot.save, kind, format](const QString& path) {
                      save(kind.isEmpty() ? paper_kind_of(path) : kind, format, path);
                    });
}

}  // namespace

QMenu* add_paper_menu(QMenu& menu, QWidget* owner, const PlotToSave& plot) {
  QMenu* pictures = menu.addMenu(PaperMenuText::tr("&Plot for a paper"));
  for (const PaperWidth width : {PaperWidth::one_column, PaperWidth::two_columns})
    for (const char* known : {"svg", "pdf", "png"}) {
      const QString kind = QString::fromLatin1(known), mm = QString::number(paper_width_mm(width));
      pictures->addAction(width == PaperWidth::one_column
                              ? PaperMenuText::tr("%1, one column (%2 mm)…").arg(kind.toUpper(), mm)
                              : PaperMenuText::tr("%1, two columns (%2 mm)…").arg(kind.toUpper(), mm),
                          owner, [owner, plot, kind, width] { ask_and_save_plot(owner, plot, kind, width); });
    }
  pictures->addSeparator();
  pictures->addAction(PaperMenuText::tr("Choose &font…"), owner, [owner, plot] {
    ask_paper_format(owner, [owner, plot](const PaperFormat& format) { ask_and_save_plot(owner, plot, {}, format); });
  });
  return pictures;
}

}  // namespace kvantage
