// links: kv_ui
// What is painted over the Frontier: intervals end at the axes, and no mark covers the name of the better corner.
#include <QImage>
#include <QPainter>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <optional>

#include "tests/support/test_program.h"
#include "ui/live/frontier/frontier_chart.h"
#include "ui/live/frontier/frontier_legend.h"
#include "ui/live/frontier/frontier_levels.h"
#include "ui/live/frontier/frontier_overlay.h"

namespace frontier_overlay_test {

using namespace kvantage;

class FrontierOverlayTest : public QObject {
  Q_OBJECT

  FrontierModel model_;
  std::vector<MeasuredPoint> measured_;
  const QRectF plot_{40, 40, 320, 220};

  /// Seconds from the left to the right edge, quality from the lower to the upper one.
  FrontierCanvas canvas() const {
    return {model_,
            measured_,
            theme_of(ThemeKind::light),
            plot_,
            QFont(),
            [this](const FrontierMean& mean) {
              return std::optional(QPointF(plot_.left() + plot_.width() * mean.ttft_seconds,
                                           plot_.bottom() - plot_.height() * mean.quality));
            },
            [](const QString&) { return false; }};
  }
  static MeasuredPoint point(double seconds, double quality) {
    MeasuredPoint made;
    made.policy = "lru";
    made.current = true;
    made.quality.mean = quality;
    made.ttft.mean = seconds;
    return made;
  }

 private slots:
  void init() { measured_.clear(); }

  void anIntervalEndsAtTheAxes() {
    MeasuredPoint wide = point(0.5, 0.5);
    wide.quality.low = -2;
    wide.quality.high = 3;
    wide.ttft.low = 0.01;
    wide.ttft.high = 4;
    wide.quality.has_interval = wide.ttft.has_interval = true;
    measured_ = {wide};
    QImage image(400, 300, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    paint_frontier(painter, canvas());
    painter.end();
    const int middle = static_cast<int>(plot_.center().x()), half = static_cast<int>(plot_.center().y());
    QVERIFY(image.pixelColor(middle, 60) != QColor(Qt::white));  // there is a bar
    QVERIFY(image.pixelColor(340, half) != QColor(Qt::white));
    for (int x = 0; x < image.width(); ++x)
      for (int y = 0; y < image.height(); ++y)
        if (!plot_.toAlignedRect().contains(x, y))
          QVERIFY2(image.pixelColor(x, y) == QColor(Qt::white), qPrintable(QString("%1, %2").arg(x).arg(y)));
  }

  // The strokes of a policy are in its points of the chart.
  void pointsHaveTheStrokesOfThePolicy() {
    FrontierModel model;
    FrontierPrediction prediction;
    prediction.curves.push_back({"evicpress", {{1, {0.9, 0.1}}, {2, {0.95, 0.2}}}});
    prediction.simulated.push_back({"lru", {0.7, 0.7}, 10, false});
    prediction.simulated_known = true;
    model.set_prediction(prediction);
    const auto plain = canvas();
    const FrontierCanvas shown{model, measured_, plain.theme, plain.plot, QFont(), plain.position, plain.hidden};
    for (const LegendItem& item : frontier_legend(shown)) QCOMPARE(item.strokes, 0U);  // provenances, of any policy
    QVERIFY(policy_strokes("evicpress") != 0 && policy_strokes("lru") != 0);
    QVERIFY(policy_strokes("evicpress") != policy_strokes("lru"));
    // A hollow square has ink in its middle: a stroke.
    QImage image(400, 300, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    paint_frontier(painter, shown);
    painter.end();
    const QPoint at = shown.position({0.7, 0.7})->toPoint();
    int darkest = 255;
    for (int x = at.x() - 1; x <= at.x() + 1; ++x)
      for (int y = at.y() - 1; y <= at.y() + 1; ++y) darkest = std::min(darkest, qGray(image.pixel(x, y)));
    QVERIFY2(darkest < 180, qPrintable(QString::number(darkest)));
  }

  void theBetterCornerLeavesMarksFree() {
    const QSizeF size(60, 16);
    const QRectF empty = corner_label_box(canvas(), plot_.top(), size);
    QCOMPARE(empty.topLeft(), plot_.topLeft() + QPointF(8, 6));
    measured_ = {point(0.05, 0.96), point(0.2, 0.93), point(0.5, 0.5)};
    const QRectF box = corner_label_box(canvas(), plot_.top(), size);
    for (const MeasuredPoint& one : measured_) {
      const QPointF at = *canvas().position({one.quality.mean, one.ttft.mean});
      QVERIFY2(!box.adjusted(-6, -6, 6, 6).contains(at), qPrintable(QString::number(box.left())));
    }
    QCOMPARE(box.top(), empty.top());
    QVERIFY(plot_.contains(box));
  }

  void theNameOfALevelLeavesCurvesFree() {
    FrontierModel model;
    FrontierPrediction prediction;
    FrontierCurve curve{"adaptcache", {}};  // just below the line of the level, over its left half
    for (int i = 0; i <= 10; ++i) curve.samples.push_back({0.1 * i, {0.93, 0.05 * i}});
    prediction.curves.push_back(curve);
    prediction.simulated_known = true;
    model.set_prediction(prediction);
    const auto plain = canvas();
    const FrontierLevel level{"uncompressed", "", 0.98, plot_.top() + 4, 0, {8, 5}};
    const QSizeF size(90, 16);
    FrontierCanvas shown{model, measured_, plain.theme, plain.plot, QFont(), plain.position, plain.hidden};
    const QRectF box = level_label_box(shown, level, size);
    for (const QPointF& at : points_along(shown, curve))
      QVERIFY2(!box.contains(at), qPrintable(QString::number(at.x())));
    QVERIFY(plot_.contains(box));
    MeasuredPoint wide = point(0.75, 0.94);  // its interval is where the label would be now
    wide.ttft.low = 0.52;
    wide.ttft.high = 0.98;
    wide.ttft.has_interval = true;
    const QRectF free_of_bars = level_label_box(shown, level, size);
    measured_ = {wide};
    QVERIFY(level_label_box(shown, level, size).left() != free_of_bars.left());
    measured_.clear();
    shown.hidden = [](const QString&) { return true; };
    QCOMPARE(level_label_box(shown, level, size).left(), plot_.left() + 5);  // a hidden curve takes no room
  }

  // Between two points on the line there may be room for the name alone.
  void theNameOfALevelGoesWithoutItsNumber() {
    const QFontMetricsF letters{QFont()};
    const FrontierLevel level{"uncompressed", "", 0.9, plot_.center().y(), 0, {8, 5}};
    const auto plain = canvas();
    QCOMPARE(level_label(canvas(), level, letters).first, QString("uncompressed 0.900"));
    const double name = letters.horizontalAdvance("uncompressed") + 6;
    // Squares side by side but for one gap, on the line.
    const double gap_from = plot_.left() + 100, gap_to = gap_from + name + 2 * 7 + 6;
    for (double x = plot_.left(); x < plot_.right(); x += 8)
      if (x <= gap_from || x >= gap_to) measured_.push_back(point((x - plot_.left()) / plot_.width(), 0.5));
    const auto [text, box] = level_label(canvas(), level, letters);
    QCOMPARE(text, QString("uncompressed"));
    QVERIFY2(box.left() > gap_from && box.right() < gap_to, qPrintable(QString::number(box.left())));
  }

  void aNameWithoutRoomBesideItsPointIsLedToIt() {
    QImage image(400, 300, QImage::Format_RGB32);
    QPainter painter(&image);
    const QPointF at(200, 150);
    const auto ink_outside = [&](double half) {
      for (int x = 0; x < image.width(); ++x)
        for (int y = 0; y < image.height(); ++y)
          if (!QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half).contains(x, y) &&
              image.pixelColor(x, y) != QColor(Qt::white))
            return true;
      return false;
    };
    const auto draw = [&](double blocked) {
      image.fill(Qt::white);
      LabelPlacer labels(image.rect());
      labels.block(QRectF(at.x() - blocked, at.y() - blocked, 2 * blocked, 2 * blocked));
      return labels.draw(painter, at, "lru", Qt::black, Qt::white);
    };
    QVERIFY(draw(4) && ink_outside(9) && image.pixelColor(200, 144) == QColor(Qt::white));
    QVERIFY(draw(18) && ink_outside(18));
    // A line leads out of what is blocked.
    bool led = false;
    for (int turn = 0; turn < 360; ++turn) {
      const QPointF on = at + 14 * QPointF(std::cos(turn * M_PI / 180), std::sin(turn * M_PI / 180));
      led = led || image.pixelColor(on.toPoint()) != QColor(Qt::white);
    }
    QVERIFY(led);
    QVERIFY(!draw(150));
    QVERIFY(!ink_outside(0));
  }

  // Policies are named at their curves, in their color, and nowhere else: the legend explains marks alone.
  void curvesAreNamedWhereTheyEnd() {
    FrontierModel model;
    FrontierPrediction prediction;
    FrontierCurve curve{"evicpress", {}};
    for (int i = 0; i <= 8; ++i) curve.samples.push_back({0.1 * (i + 1), {0.2 + 0.05 * i, 0.1 + 0.05 * i}});
    prediction.curves.push_back(curve);
    model.set_prediction(prediction);
    const auto plain = canvas();
    QString hidden;
    const FrontierCanvas shown{
        model, measured_, plain.theme, plain.plot, QFont(), plain.position, [&hidden](const QString& policy) {
          return policy == hidden;
        }};
    const QPointF end = *shown.position(curve.samples.back().mean);
    const auto named = [&] {  // anything right of the end of the curve
      QImage image(400, 300, QImage::Format_RGB32);
      image.fill(Qt::white);
      QPainter painter(&image);
      paint_frontier(painter, shown);
      painter.end();
      for (int x = static_cast<int>(end.x()) + 9; x < static_cast<int>(end.x()) + 60; ++x)
        for (int y = static_cast<int>(end.y()) - 8; y <= static_cast<int>(end.y()) + 8; ++y)
          if (image.pixelColor(x, y) != QColor(Qt::white)) return true;
      return false;
    };
    QVERIFY(named());
    hidden = "evicpress";
    QVERIFY(!named());
    for (const LegendItem& item : frontier_legend(shown)) QVERIFY(item.id.isEmpty());
  }

  // The bold line is the envelope; the curve itself stays beside it, faintly.
  void theEnvelopeIsDrawnOverTheCurve() {
    FrontierModel model;
    FrontierChart chart(model);
    chart.resize(700, 400);
    FrontierPrediction prediction;
    prediction.curves = {{"evicpress", {{1, {0.5, 0.01}}, {2, {0.7, 0.1}}, {4, {0.6, 0.05}}, {8, {0.65, 0.2}}}},
                         {"adaptcache", {{1, {0.4, 0.01}}, {8, {0.8, 0.2}}}}};
    model.set_present("evicpress", 2);
    model.set_prediction(prediction);
    chart.flush();
    const QLineSeries &curve = *chart.series().at("evicpress"), &envelope = *chart.envelopes().at("evicpress");
    QCOMPARE(curve.count(), 4);
    const QList<QPointF> expected{{std::log10(0.01), 0.5}, {std::log10(0.05), 0.6}, {std::log10(0.1), 0.7}};
    QCOMPARE(envelope.points(), expected);
    QVERIFY(envelope.pen().widthF() > 2 * curve.pen().widthF());
    QVERIFY(envelope.pen().widthF() > chart.envelopes().at("adaptcache")->pen().widthF());
    QVERIFY(curve.pen().color().alphaF() < 0.5 && envelope.pen().color().alphaF() > 0.99);
    const ChartTable table = chart.table();
    QStringList kept;
    for (const QStringList& row : table.rows)
      if (row[0] == "evicpress" && row[table.header.indexOf("on_envelope")] == "1") kept << row[2];
    QCOMPARE(kept, (QStringList{"1", "2", "4"}));
    prediction.curves.pop_back();
    prediction.policies = std::vector<QString>{"evicpress"};
    model.set_prediction(prediction);
    chart.flush();
    QCOMPARE(chart.envelopes().at("adaptcache")->count(), 0);
  }

  void theRingOfThePresentPointIsLeftFree() {
    SessionSettings settings;
    settings.policy = "evicpress";
    settings.alpha = 1;
    settings.tiers = {{"dram", 6 << 20}};
    FrontierPrediction prediction;
    FrontierCurve curve{"evicpress", {}};
    for (int i = 1; i <= 25; ++i) curve.samples.push_back({0.1 * i, {0.86 + 0.004 * i, 0.01 * i}});
    prediction.curves.push_back(curve);
    prediction.simulated_known = true;
    model_.set_committed(settings);
    model_.set_present(settings);
    model_.set_prediction(prediction);
    QVERIFY(model_.present().has_value());
    const QPointF at = *canvas().position(*model_.present());
    const QRectF box = corner_label_box(canvas(), plot_.top(), QSizeF(60, 16));
    QVERIFY2(!box.adjusted(-13, -13, 13, 13).contains(at), qPrintable(QString::number(box.left())));
  }
};

KV_TEST_MAIN(FrontierOverlayTest)

}  // namespace frontier_overlay_test

#include "frontier_overlay_test.moc"
