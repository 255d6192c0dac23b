// A chart on the clipboard: as a picture, as its data, or as source that draws it elsewhere; and as a picture for a
// paper.
#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QMimeData>
#include <QPainter>
#include <QSvgGenerator>
#include <memory>

#include "ui/charts/chart_table.h"
#include "ui/charts/screen_only.h"
#include "ui/charts/table_plot.h"
#include "ui/papers/charts/paper_format_dialog.h"
#include "ui/papers/charts/paper_picture.h"
#include "ui/widgets/save_question.h"

namespace kvantage {

QImage picture_image(QWidget& picture, double scale) {
  QImage image(picture.size() * scale, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(scale);
  image.fill(Qt::transparent);
  const WithoutScreenOnly drawn(picture);
  picture.render(&image);
  return image;
}

QByteArray picture_svg(QWidget& picture, const QString& title) {
  QByteArray svg;
  QBuffer buffer(&svg);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setTitle(title);
  generator.setSize(picture.size());
  generator.setViewBox(picture.rect());
  {
    QPainter painter(&generator);
    const WithoutScreenOnly drawn(picture);
    picture.render(&painter);
  }
  return svg;
}

void copy_chart(const ChartExport& chart, const QString& kind) {
  QClipboard& clipboard = *QApplication::clipboard();
  if (kind == QLatin1String("image")) return clipboard.setImage(picture_image(*chart.picture));
  if (kind == QLatin1String("svg")) {
    auto mime = std::make_unique<QMimeData>();
    const QByteArray svg = picture_svg(*chart.picture, chart.name);
    mime->setData(QStringLiteral("image/svg+xml"), svg);
    mime->setText(QString::fromUtf8(svg));  // for an editor
    return clipboard.setMimeData(mime.release());
  }
  const ChartTable table = chart.table();
  clipboard.setText(kind == QLatin1String("pgfplots")     ? to_pgfplots(table, chart.name)
                    : kind == QLatin1String("matplotlib") ? to_matplotlib(table, chart.name)
                                                          : table.to_csv());
}

namespace {

void ask_and_save_for_paper(QWidget& picture, const QString& name, const PaperFormat& format) {
  ask_where_to_save(
      &picture,
      {ChartHandle::tr("Export %1").arg(name), name + ".pdf", "pdf", ChartHandle::tr("Pictures (*.pdf *.svg *.png)")},
      [&picture, format](const QString& path) {
        if (!save_paper_picture(picture, format, paper_kind_of(path), path)) say_not_saved(&picture, path);
      });
}

}  // namespace

QList<QAction*> paper_actions(QObject& owner, const ChartExport& chart) {
  QList<QAction*> actions;
  QWidget* picture = chart.picture;
  if (!has_paper_picture(*picture)) return actions;
  const auto add = [&](const QString& text, const QString& tip, const std::function<void()>& act) {
    auto* made = new QAction(text, &owner);
    made->setStatusTip(tip);
    made->setData(chart.name);
    made->setProperty(export_property, true);
    QObject::connect(made, &QAction::triggered, picture, act);
    actions << made;
  };
  const QString name = chart.name;
  for (const PaperWidth width : {PaperWidth::one_column, PaperWidth::two_columns}) {
    const QString mm = QString::number(paper_width_mm(width));
    add(width == PaperWidth::one_column ? ChartHandle::tr("Export picture, &1 column (%1 mm)…").arg(mm)
                                        : ChartHandle::tr("Export picture, &2 columns (%1 mm)…").arg(mm),
        ChartHandle::tr("Export %1 for a paper, as PDF, SVG or PNG").arg(name),
        [picture, name, width] { ask_and_save_for_paper(*picture, name, width); });
  }
  add(ChartHandle::tr("Export picture, choose &font…"),
      ChartHandle::tr("Export %1 for a paper, with a width, a font and a text size of your choice").arg(name),
      [picture, name] {
        ask_paper_format(
            picture, [picture, name](const PaperFormat& format) { ask_and_save_for_paper(*picture, name, format); });
      });
  return actions;
}

QList<QAction*> copy_actions(QObject& owner, const ChartExport& chart) {
  auto* line = new QAction(&owner);
  line->setSeparator(true);
  QList<QAction*> actions{line};
  const auto add = [&](const QString& kind, const QString& text, const QString& tip) {
    auto* made = new QAction(text, &owner);
    made->setStatusTip(tip);
    made->setData(chart.name);
    made->setProperty(export_property, true);
    QObject::connect(made, &QAction::triggered, chart.picture, [chart, kind] { copy_chart(chart, kind); });
    actions << made;
  };
  const bool table = qobject_cast<QAbstractItemView*>(chart.picture) != nullptr;
  if (!table) {
    add("image", ChartHandle::tr("Copy &image"), ChartHandle::tr("Copy %1 as a raster image").arg(chart.name));
    add("svg", ChartHandle::tr("Copy S&VG"), ChartHandle::tr("Copy %1 as a vector image").arg(chart.name));
  }
  add("csv", ChartHandle::tr("Cop&y CSV"), ChartHandle::tr("Copy the data of %1 as CSV").arg(chart.name));
  if (!table) {
    add("pgfplots", ChartHandle::tr("Copy p&gfplots"),
        ChartHandle::tr("Copy the data of %1 as a tikzpicture; the document must load pgfplots").arg(chart.name));
    add("matplotlib", ChartHandle::tr("Copy &matplotlib"),
        ChartHandle::tr("Copy a Python script that draws the data of %1").arg(chart.name));
  }
  return actions;
}

}  // namespace kvantage
