// A chart by keyboard. Its stops are in rows: a series, a tier's moves, a line of blocks each. Left and right move
// along a row, up and down to the nearest of the next, Home and End to its ends, Page keys ten at a time; Enter does
// what a click does there, Esc leaves.
#pragma once

#include <QObject>
#include <QPainter>
#include <QRectF>
#include <QString>
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "ui/look/theme.h"

namespace kvantage {

struct PointStop {
  QString row, id;                     // `id`: what the stop is, a context or a run; empty where `along` says it
  double along = 0;                    // place along the row, in the row's own unit
  QRectF mark;                         // where it is drawn, in the coordinates of the canvas
  QString tip;                         // what the mouse shows there
  std::function<QString()> tell = {};  // the same, where it takes long to put into words
  QString text() const { return tell ? tell() : tip; }
};
/// The mark of what is drawn as a point.
inline QRectF mark_around(const QPointF& at) { return {at.x() - 10, at.y() - 10, 20, 20}; }

struct PointPlace {
  std::size_t row = 0, stop = 0;
};

/// Where the keyboard is; `Stop` is a PointStop or made from one. It stays on its stop while metrics move, and
/// where that is gone, on the nearest of its row. No row is empty.
template <class Stop>
class PointCursor {
 public:
  using Rows = std::vector<std::vector<Stop>>;

  /// Nothing before the first move, and where nothing of its row is shown any more.
  std::optional<PointPlace> place(const Rows& rows) const {
    if (!at_) return {};
    const auto row = std::ranges::find_if(rows, [this](const auto& each) { return each.front().row == at_->row; });
    if (row == rows.end()) return {};
    const auto stop = std::ranges::min_element(*row, {}, [this, &row](const Stop& each) {
      const auto index = &each - row->data();
      return std::pair(distance(each, *at_),
                       std::abs(index - index_));  // of two at one moment, the one that was gone to
    });
    return PointPlace{static_cast<std::size_t>(row - rows.begin()), static_cast<std::size_t>(stop - row->begin())};
  }
  std::optional<Stop> stop(const Rows& rows) const {
    const auto found = place(rows);
    return found ? std::optional(rows[found->row][found->stop]) : std::nullopt;
  }
  /// false: not one of these keys. The first key only shows where one is.
  bool move(int key, const Rows& rows) {
    static constexpr int keys[] = {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up,     Qt::Key_Down,
                                   Qt::Key_Home, Qt::Key_End,   Qt::Key_PageUp, Qt::Key_PageDown};
    if (std::ranges::find(keys, key) == std::end(keys)) return false;
    if (rows.empty()) return true;
    const auto found = place(rows);
    if (!found) {
      stand(rows.front().front());
      return true;
    }
    auto [row, stop] = *found;
    const std::size_t last = rows[row].size() - 1;
    switch (key) {
      case Qt::Key_Left:
        stop -= std::min<std::size_t>(stop, 1);
        break;
      case Qt::Key_Right:
        stop = std::min(stop + 1, last);
        break;
      case Qt::Key_PageUp:
        stop -= std::min(stop, page);
        break;
      case Qt::Key_PageDown:
        stop = std::min(stop + page, last);
        break;
      case Qt::Key_Home:
        stop = 0;
        break;
      case Qt::Key_End:
        stop = last;
        break;
      default: {
        const std::size_t to =
            key == Qt::Key_Up ? row - std::min<std::size_t>(row, 1) : std::min(row + 1, rows.size() - 1);
        if (to == row) break;
        const QPointF from = rows[row][stop].mark.center();
        const auto nearest = std::ranges::min_element(rows[to], {}, [&](const Stop& each) {
          const QPointF away = each.mark.center() - from;
          return std::hypot(away.x(), away.y());
        });
        stop = static_cast<std::size_t>(nearest - rows[to].begin());
        row = to;
      }
    }
    stand(rows[row][stop], static_cast<std::ptrdiff_t>(stop));
    return true;
  }
  /// As if the keys had gone there.
  void stand(const Stop& stop, std::ptrdiff_t index = 0) {
    at_ = stop;
    index_ = index;
  }
  void leave() { at_.reset(); }

 private:
  static constexpr std::size_t page = 10;
  static double distance(const PointStop& a, const PointStop& b) {
    return std::abs(a.along - b.along) + (a.id == b.id ? 0 : 1e12);
  }
  std::optional<Stop> at_;
  std::ptrdiff_t index_ = 0;  // in its row
};

/// The keys of one view: what they are on is marked, and described as hovering describes it, on the screen and for a
/// screen reader.
class PointKeys : public QObject {
  Q_OBJECT
 public:
  using Rows = std::vector<std::vector<PointStop>>;

  /// `owner` takes the keyboard; stops are painted on `canvas`. `what`: what the view shows, in words. `rows`: what is
  /// shown now.
  PointKeys(QWidget& owner, QWidget& canvas, const QString& what, std::function<Rows()> rows);
  /// What the view says while no point is described.
  void set_description(const QString& text);
  /// A note after it, such as the part that is shown; empty: none.
  void set_note(const QString& note);
  std::optional<PointStop> stop() const;
  std::optional<PointPlace> place() const { return cursor_.place(rows_()); }
  /// The nearest within reach of a place of the canvas.
  std::optional<PointStop> near(const QPointF& at, double reach = 8) const;
  void stand(const PointStop& stop) { cursor_.stand(stop); }
  /// The mark of where the keys are, while the view has the keyboard; in the coordinates of the canvas.
  void paint(QPainter& painter, const Theme& theme) const;

 signals:
  /// Before a key is looked at: what is stepped through shall be what there is.
  void asked();
  void moved(const PointStop& stop);
  /// Enter was pressed there.
  void entered(const PointStop& stop);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool take(int key, Qt::KeyboardModifiers modifiers);
  void leave();
  void describe_view();
  QWidget &owner_, &canvas_;
  QString description_, note_;
  std::function<Rows()> rows_;
  PointCursor<PointStop> cursor_;
};

/// The frame of a view that has the keyboard.
void paint_focus(QPainter& painter, const QWidget& view, const Theme& theme);

}  // namespace kvantage
