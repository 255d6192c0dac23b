// A request's time line: lanes below each other, a slice for each layer that was read, unpacked or computed. Zoomed and
// moved by mouse and keyboard; a slice under the mouse, or chosen with the keyboard, says what it is.
#pragma once

#include <QPointer>
#include <QRubberBand>
#include <QWidget>

#include "ui/live/requests/model/pipeline_model.h"
#include "ui/look/theme.h"

namespace kvantage {

class PipelineView : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit PipelineView(PipelineModel& model, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  static QColor color(const Theme& theme, RequestSpan::Kind kind);

  /// Up to the first token, or up to the end of the answer. Queueing that is much longer than the service is left out
  /// of the first.
  void show_first_token();
  void show_whole();
  bool whole() const { return whole_; }
  /// What is seen, in nanoseconds since the arrival.
  double from_ns() const { return from_; }
  double to_ns() const { return to_; }
  /// factor below 1: closer. The moment under `x` stays where it is.
  void zoom(double factor, double x);
  void pan(double pixels);

  /// In the order of the model's spans; empty where it is out of sight.
  QRectF slice(std::size_t span) const;
  QRectF lane_box(PipelineModel::Lane lane) const;
  double x_of(double ns) const;
  /// Limited to what is seen.
  double ns_at(double x) const;
  /// The slice at a place, or -1.
  int slice_at(const QPointF& at) const;
  /// Chosen with the keyboard, or -1.
  int chosen() const { return chosen_; }
  QSize sizeHint() const override { return {500, 170}; }
  QSize minimumSizeHint() const override { return {220, 110}; }

 signals:
  /// A span's text: of the slice that was chosen, or that the mouse is over; empty: none.
  void told(const QString& text);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRectF plot() const;
  void fit();
  void set_range(double from, double to);
  void choose(int direction);
  void draw_axis(QPainter& painter) const;
  void draw_slice(QPainter& painter, const RequestSpan& span, const QRectF& box) const;

  PipelineModel& model_;
  Theme theme_;
  double from_ = 0, to_ = 1;
  bool whole_ = false, dragging_ = false;
  int chosen_ = -1;
  QPointF drag_from_;
  QPointer<QRubberBand> band_;  // while Shift and drag choose what is seen
};

}  // namespace kvantage
