// The figures behind a chart as LaTeX tables: what the CSV holds, for a paper.
#include <algorithm>

#include "core/report/formats/latex.h"

#include <QCoreApplication>
#include "ui/charts/chart_table.h"
#include "ui/files/private_file.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct ChartLatexText {
  Q_DECLARE_TR_FUNCTIONS(ChartLatexText)
};

constexpr qsizetype rows_of_a_page = 45;

}  // namespace

QString to_latex(const ChartTable& table, const QString& title) {
  const qsizetype parts = std::max<qsizetype>(1, (table.rows.size() + rows_of_a_page - 1) / rows_of_a_page);
  std::string text = latex_comment(from_q(title));
  for (qsizetype part = 0; part < parts && !table.rows.isEmpty(); ++part) {
    Table page{from_q(title),
               parts > 1 ? from_q(ChartLatexText::tr("%1 of %2").arg(part + 1).arg(parts)) : std::string(),
               {},
               {}};
    for (const QString& column : table.header) page.columns.push_back(from_q(column));
    for (const QStringList& row : table.rows.mid(part * rows_of_a_page, rows_of_a_page)) {
      std::vector<Cell> cells;
      for (qsizetype c = 0; c < table.header.size(); ++c) {
        const QString cell = row.value(c).simplified();
        bool number = false;
        cell.toDouble(&number);
        cells.push_back({from_q(cell), Provenance::measured, number, !number});
      }
      page.rows.push_back(std::move(cells));
    }
    text += '\n';
    text += latex_table(page);
  }
  return to_q(text);
}

bool save_latex(const ChartTable& table, const QString& path, const QString& title) {
  QSaveFile file(path);
  return open_private(file) && file.write(to_latex(table, title).toUtf8()) >= 0 && file.commit();
}

}  // namespace kvantage
