// links: kv_ui ui_report
// The charts of a report's page: SVG in the page's colors alone, whose marks say in words what they show and are where
// Qt Charts draws it.
#include "ui/report/html_charts.h"

#include <QBoxPlotSeries>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>
#include <cmath>

#include "core/report/formats/report_formats.h"
#include "core/report/mark_texts.h"
#include "core/report/series_colors.h"
#include "tests/report/ttft_samples.h"
#include "tests/support/test_program.h"
#include "tests/ui/report/sample_pages.h"
#include "ui/report/chart_marks.h"

namespace html_charts_test {

using namespace kvantage;
using namespace kvantage::test;
using Kind = ReportPlot::Kind;

namespace {

/// What a reader of one or several elements finds.
struct ReadSvg {
  QString error;
  QList<QSizeF> sizes;
  QStringList names, texts, marks;
  QList<QRectF> boxes;  // of the marks
  QStringList others;   // elements that are no shapes, texts or groups
};

ReadSvg read(const std::string& svg) {
  ReadSvg found;
  QXmlStreamReader reader("<page>" + QByteArray::fromStdString(svg) + "</page>");
  QString inside;
  while (!reader.atEnd()) {
    reader.readNext();
    if (reader.isStartElement()) {
      inside = reader.name().toString();
      const auto attributes = reader.attributes();
      const auto number = [&](const char* name) { return attributes.value(QLatin1String(name)).toDouble(); };
      if (inside == "svg") {
        const auto box = attributes.value("viewBox").toString().split(' ');
        found.sizes << QSizeF(box.value(2).toDouble(), box.value(3).toDouble());
        found.names << attributes.value("aria-label").toString();
      } else if (inside == "rect" && attributes.value("fill") == u"transparent") {
        found.boxes << QRectF(number("x"), number("y"), number("width"), number("height"));
      } else if (!QStringList{"page", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text",
                              "title"}
                      .contains(inside)) {
        found.others << inside;
      }
    }
    if (reader.isCharacters() && !reader.isWhitespace())
      (inside == "title" ? found.marks : found.texts) << reader.text().toString().trimmed();
    if (reader.isEndElement()) inside.clear();
  }
  if (reader.hasError()) found.error = reader.errorString();
  return found;
}

ReportPlot plot_named(const RunReport& report, const std::string& name) {
  for (const ReportPlot& plot : content_of(report).charts)
    if (plot.name == name) return plot;
  return {};
}

const ChartLabel* mark_with(const std::vector<ChartLabel>& marks, const std::string& text) {
  const auto found = std::ranges::find(marks, QString::fromStdString(text), &ChartLabel::text);
  return found == marks.end() ? nullptr : &*found;
}

}  // namespace

class HtmlChartsTest : public QObject {
  Q_OBJECT

 private slots:
  void everyChartIsThereInTheColorsOfThePage() {
    const RunReport report = whole_report();
    const auto charts = html_charts(report);
    QVERIFY(charts.has_value());
    const std::vector<ReportPlot> plots = content_of(report).charts;
    QCOMPARE(charts->size(), plots.size());
    static const QRegularExpression color("#[0-9a-fA-F]{6}\\b");
    QSet<QString> used;
    for (std::size_t i = 0; i < plots.size(); ++i) {
      const QString svg = QString::fromStdString((*charts)[i]);
      const ReadSvg seen = read((*charts)[i]);
      QVERIFY2(seen.error.isEmpty() && seen.others.isEmpty(), qPrintable(seen.error + seen.others.join(' ')));
      QVERIFY2(seen.sizes.size() >= 1 && seen.texts.size() > 6, plots[i].title.c_str());
      QVERIFY2(!color.match(svg).hasMatch(), qPrintable(plots[i].title.c_str() + (": " + color.match(svg).captured())));
      for (auto it = QRegularExpression("var\\((--[a-z0-9]+)\\)").globalMatch(svg); it.hasNext();)
        used << it.next().captured(1);
      for (const QString& text : seen.texts)
        QVERIFY2(!text.contains("...") && !text.contains(QChar(0x2026)), qPrintable(text));
      QVERIFY2(seen.names.front().contains(QString::fromStdString(plots[i].y_label)), qPrintable(seen.names.front()));
      QVERIFY2(!seen.marks.isEmpty() && seen.marks.size() == seen.boxes.size(), plots[i].title.c_str());
      for (const QRectF& box : seen.boxes)
        QVERIFY2(QRectF(QPointF(), seen.sizes.front()).adjusted(-1, -1, 1, 1).contains(box), plots[i].title.c_str());
    }
    // What the charts name, the page defines: for light, dark and paper.
    const QString page = QString::fromStdString(to_html(report, *charts));
    QVERIFY(used.size() >= 7);
    for (const QString& name : used) QVERIFY2(page.count(name + ":") >= 3, qPrintable(name));
  }

  void aMarkSaysItsPoint() {
    const ReportPlot plot = plot_named(whole_report(), "ttft_quality");
    QVERIFY(plot.series.size() >= 2);
    const ChartPicture picture({plot}, chart_size(plot, 515));
    const std::vector<ChartLabel> marks = chart_marks(plot, picture);
    QCOMPARE(marks.size(), plot.series.size());
    for (const PlotSeries& series : plot.series) {
      const PlotPoint& point = series.points.front();
      const ChartLabel* mark = mark_with(marks, point_text(plot, series, point));
      QVERIFY(mark != nullptr);
      const QPointF place = picture.chart().mapToPosition(
          {picture.scales().x.at(point.x), picture.scales().y.at(point.y)}, picture.chart().series().constFirst());
      QVERIFY(QLineF(mark->box.center(), place).length() < 1e-6);
    }
  }

  // The parts of a bar follow each other, as long as their values; the first place is on top.
  void partsOfBarsAreDrawnToScale() {
    const ReportPlot plot = plot_named(whole_report(), "ttft_split");
    const ChartPicture picture({plot}, chart_size(plot, 515));
    const std::vector<ChartLabel> marks = chart_marks(plot, picture);
    const QRectF area = picture.chart().plotArea();
    const double most = picture.scales().x.ticks.back();
    std::vector<double> end(plot.places.size(), area.left()), top(plot.places.size());
    std::size_t parts = 0;
    for (const PlotSeries& series : plot.series)
      for (const PlotPoint& point : series.points) {
        if (!(point.y > 0)) continue;
        const ChartLabel* mark = mark_with(marks, part_text(plot, series, point));
        QVERIFY2(mark != nullptr, part_text(plot, series, point).c_str());
        const auto place = static_cast<std::size_t>(point.x);
        QVERIFY(std::abs(mark->box.left() - end[place]) < 0.5);
        QVERIFY(std::abs(mark->box.width() - point.y / most * area.width()) < 0.5);
        end[place] = mark->box.right();
        top[place] = mark->box.top();
        ++parts;
      }
    QCOMPARE(parts, marks.size());
    for (std::size_t place = 1; place < top.size(); ++place) QVERIFY(top[place] > top[place - 1]);
  }

  // From quartile to quartile on the scale of the axis.
  void boxesAreDrawnToScale_data() { add_cases(); }
  void boxesAreDrawnToScale() {
    const TtftCase& one = case_now();
    const std::vector<TtftRun> runs = served(one.runs);
    const ReportPlot plot = plot_named(report_of_ttft(one.runs), "ttft_boxes");
    const ChartPicture picture({plot}, chart_size(plot, 515));
    const std::vector<ChartLabel> marks = chart_marks(plot, picture);
    QCOMPARE(marks.size(), runs.size());
    const QRectF area = picture.chart().plotArea();
    const AxisScale& scale = picture.scales().y;
    const auto value_at = [&](double y) {
      const double low = scale.ticks.front(), high = scale.ticks.back();
      return high - (y - area.top()) / area.height() * (high - low);
    };
    const double near = 1e-3 * (scale.ticks.back() - scale.ticks.front());
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const ChartLabel* mark = mark_with(marks, box_text(plot, r));
      QVERIFY(mark != nullptr);
      QVERIFY(std::abs(value_at(mark->box.bottom()) - quantile_on_lines(runs[r].seconds, 0.25) * 1e3) < near);
      QVERIFY(std::abs(value_at(mark->box.top()) - quantile_on_lines(runs[r].seconds, 0.75) * 1e3) < near);
      QVERIFY(mark->text.startsWith(QString::fromStdString(runs[r].policy + ": ")));
      QVERIFY(mark->text.contains("n = " + QString::number(runs[r].seconds.size())));
      if (r > 0) QVERIFY(mark->box.left() > mark_with(marks, box_text(plot, r - 1))->box.right());
    }
  }

  void binsAreDrawnToScale_data() { add_cases(); }
  void binsAreDrawnToScale() {
    const TtftCase& one = case_now();
    const ReportPlot plot = plot_named(report_of_ttft(one.runs), "ttft_histogram");
    const ChartPicture picture({plot}, chart_size(plot, 515));
    const std::vector<ChartLabel> marks = chart_marks(plot, picture);
    std::vector<double> counts;
    for (const PlotSeries& series : plot.series)
      for (const PlotPoint& point : series.points)
        if (point.y > 0) counts.push_back(point.y);
    QCOMPARE(marks.size(), counts.size());
    const QRectF area = picture.chart().plotArea();
    const double foot = area.bottom(), high = area.height() / picture.scales().y.ticks.back();
    for (std::size_t i = 0; i < marks.size(); ++i) {
      QVERIFY(std::abs(marks[i].box.bottom() - foot) < 0.5);
      QVERIFY(std::abs(marks[i].box.height() - counts[i] * high) < 0.5);
      QVERIFY(area.adjusted(-0.5, -0.5, 0.5, 0.5).contains(marks[i].box));
      for (std::size_t j = 0; j < i; ++j)
        QVERIFY(marks[i].box.left() >= marks[j].box.right() - 1e-6 ||
                marks[i].box.right() <= marks[j].box.left() + 1e-6);
    }
  }

  void hostileNamesStayText() {
    const auto charts = html_charts(hostile_report());
    QVERIFY(charts.has_value());
    for (const std::string& svg : *charts) {
      const ReadSvg seen = read(svg);
      QVERIFY2(seen.error.isEmpty() && seen.others.isEmpty(), qPrintable(seen.error + seen.others.join(' ')));
      for (const char* leak : {"<b>", "\x1b", "\xe2\x80\xae"}) QVERIFY2(svg.find(leak) == std::string::npos, leak);
    }
  }

  // One by one, as a window does; the same bytes each time.
  void chartByChartIsAllAtOnce() {
    const RunReport report = whole_report();
    HtmlCharts one_by_one(report);
    int turns = 1;
    while (one_by_one.draw_next()) ++turns;
    const auto charts = html_charts(report).value();
    QCOMPARE(turns, static_cast<int>(charts.size()));
    QVERIFY(one_by_one.take() == charts);
    QVERIFY(!HtmlCharts(build_report({}, {}, {})).draw_next());
    QVERIFY(html_charts(build_report({}, {}, {}))->empty());
  }

 private:
  static void add_cases() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < ttft_cases().size(); ++i) QTest::newRow(ttft_cases()[i].name) << static_cast<int>(i);
  }
  static const TtftCase& case_now() {
    QFETCH(int, index);
    return ttft_cases()[static_cast<std::size_t>(index)];
  }
};

KV_TEST_MAIN(HtmlChartsTest)

}  // namespace html_charts_test

#include "html_charts_test.moc"
