#include "ui/charts/heat_map.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/units.h"
#include "ui/text/words.h"

namespace kvantage {

HeatMap::HeatMap(SensitivityModel& model, QWidget* parent)
    : QAbstractScrollArea(parent), model_(model), theme_(theme_of(ThemeKind::light)) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Sensitivity heat map"));
  setToolTip(
      tr("Relative quality drop of each context at each removed fraction. Right-click or press the menu key for the "
         "table and export."));
  setMinimumSize(160, 110);
  lazy_ = new LazyRefresh(
      *this,
      [this] {
        rows_ = model_.heat_rows();
        measure_labels();
        update_scroll();
        bring_chosen_into_view();
        viewport()->update();
      },
      100, LazyRefresh::Turns::one_a_frame);
  connect(&model_, &SensitivityModel::changed, this, [this] { lazy_->invalidate(); });
  lazy_->invalidate();
  keys_ = new PointKeys(*this, *viewport(), tr("Relative quality drop of each context at each removed fraction"),
                        [this] { return key_rows(); });
  // The keys continue from the selected context and select where they move.
  connect(keys_, &PointKeys::asked, this, [this] {
    flush();
    if (keys_->stop() || !model_.marked()) return;
    for (const auto& row : key_rows())
      if (row.front().row == model_.context()) keys_->stand(row.front());
  });
  connect(keys_, &PointKeys::moved, this, [this](const PointStop& stop) {
    const auto row = std::ranges::find(rows_, stop.row, &SensitivityModel::HeatRow::context);
    if (row != rows_.end()) bring_into_view(static_cast<int>(row - rows_.begin()));
    if (!model_.marked() || model_.context() != stop.row) model_.pick_context(stop.row);
  });
  connect(keys_, &PointKeys::entered, this, [this](const PointStop& stop) { model_.pick_context(stop.row); });
  install_chart_menu(*this, {this, tr("Sensitivity heat map"), [this] { return table(); }});
  brush_ = new ChartBrush(*this, *viewport(), tr("Sensitivity heat map"), *keys_, [this] {
    PointKeys::Rows rows = key_rows();
    for (auto& row : rows)
      for (PointStop& stop : row) stop.id = stop.row;
    return rows;
  });
}

// Once for a choice: whoever scrolls away afterwards stays there.
void HeatMap::bring_chosen_into_view() {
  const QString chosen = model_.marked() ? model_.context() : QString();
  if (std::exchange(brought_, chosen) == chosen || chosen.isEmpty()) return;
  const auto row = std::ranges::find(rows_, chosen, &SensitivityModel::HeatRow::context);
  if (row == rows_.end()) return;
  bring_into_view(static_cast<int>(row - rows_.begin()));
}

void HeatMap::bring_into_view(int row) {
  const int top = row * row_height(), seen = viewport()->height() - header_height() - row_height();
  if (top < verticalScrollBar()->value() || top > verticalScrollBar()->value() + seen)
    verticalScrollBar()->setValue(top - seen / 2);
}

void HeatMap::set_theme(const Theme& theme) {
  theme_ = theme;
  viewport()->update();
}

void HeatMap::measure_labels() {
  widest_label_ = 60;
  for (std::size_t i = 0; i < rows_.size() && i < 200; ++i)
    widest_label_ = std::max(widest_label_, fontMetrics().horizontalAdvance(rows_[i].context) + 36);
}

int HeatMap::label_width() const { return std::min(widest_label_, viewport()->width() / 2); }

void HeatMap::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) measure_labels();
}

QRectF HeatMap::cell(int row, int column) const {
  const double left = label_width(), columns = std::max<double>(1, static_cast<double>(model_.heat_fractions().size()));
  const double width = (viewport()->width() - left - 8) / columns;
  return {left + width * column,
          static_cast<double>(header_height() + row * row_height() - verticalScrollBar()->value()), width,
          static_cast<double>(row_height())};
}

void HeatMap::update_scroll() {
  const int content = row_count() * row_height() + header_height() + 4;
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(row_height());
  verticalScrollBar()->setRange(0, std::max(0, content - viewport()->height()));
}

void HeatMap::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  update_scroll();
}

void HeatMap::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), theme_.base);
  if (rows_.empty()) {
    painter.setPen(theme_.muted);
    painter.drawText(viewport()->rect().adjusted(20, 10, -20, -10),
                     static_cast<int>(Qt::AlignCenter) | static_cast<int>(Qt::TextWordWrap),
                     tr("No profile yet. Quality is being profiled in the background."));
    return;
  }
  const auto& fractions = model_.heat_fractions();
  const int top = verticalScrollBar()->value() / row_height(), seen = viewport()->height() / row_height() + 2;
  for (int r = top; r < std::min(row_count(), top + seen); ++r) {
    const auto& row = rows_[static_cast<std::size_t>(r)];
    const QRectF first = cell(r, 0);
    const bool selected = (model_.marked() && row.context == model_.context()) || brush_->shown().contains(row.context);
    if (selected) {
      QColor ground = theme_.accent;
      ground.setAlphaF(0.22f);
      painter.fillRect(QRectF(0, first.top(), first.left(), first.height()), ground);
    }
    painter.fillRect(QRectF(7, first.center().y() - 4, 8, 8), theme_.family(row.family));
    painter.setPen(selected ? theme_.text : theme_.muted);
    painter.drawText(QRectF(20, first.top(), first.left() - 24, first.height()),
                     static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                     fontMetrics().elidedText(row.context, Qt::ElideRight, static_cast<int>(first.left()) - 26));
    for (int c = 0; c < static_cast<int>(fractions.size()); ++c) {
      const QRectF box = cell(r, c).adjusted(0.5, 0.5, -0.5, -0.5);
      const auto& drop = row.drops[static_cast<std::size_t>(c)];
      if (!drop) {
        painter.fillRect(box, QBrush(theme_.grid, Qt::BDiagPattern));
        continue;
      }
      painter.fillRect(box, theme_.heat(*drop));
      if (std::abs(row.chosen_fraction - fractions[static_cast<std::size_t>(c)]) < 1e-6) {
        painter.setPen(QPen(theme_.text, 1.6));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(1, 1, -1, -1));
      }
    }
  }
  keys_->paint(painter, theme_);
  // The header stays on top while rows scroll under it.
  painter.fillRect(QRectF(0, 0, viewport()->width(), header_height()), theme_.base);
  const int line = fontMetrics().height();
  painter.setPen(theme_.muted);
  const double left = label_width();
  painter.drawText(QRectF(7, 4, left, line), Qt::AlignLeft, tr("drop"));
  const double legend_width = std::min(150.0, viewport()->width() - left - 80.0);
  for (int i = 0; i < static_cast<int>(legend_width); ++i)
    painter.fillRect(QRectF(left + 24 + i, 6, 1.5, line - 5), theme_.heat(i / legend_width));
  painter.drawText(QRectF(left, 4, 22, line), Qt::AlignRight, QStringLiteral("0"));
  painter.drawText(QRectF(left + 28 + legend_width, 4, 60, line), Qt::AlignLeft, QStringLiteral("1"));
  painter.drawText(QRectF(7, line + 7, left - 10, line), Qt::AlignLeft, tr("removed"));
  for (int c = 0; c < static_cast<int>(fractions.size()); ++c) {
    QRectF head = cell(0, c);
    head.moveTop(line + 7);
    head.setHeight(line);
    const bool selected = std::abs(fractions[static_cast<std::size_t>(c)] - model_.removed_fraction()) < 1e-6;
    painter.setPen(selected ? theme_.accent : theme_.muted);
    const double percent = fractions[static_cast<std::size_t>(c)] * 100;
    painter.drawText(head, Qt::AlignCenter,
                     head.width() > 42 ? percent_text(percent / 100) : QString::number(std::lround(percent)));
  }
  if (!hasFocus()) return;
  painter.setPen(QPen(theme_.accent, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
}

void HeatMap::mousePressEvent(QMouseEvent* event) {
  const int row = (event->pos().y() - header_height() + verticalScrollBar()->value()) / row_height();
  if (event->button() == Qt::LeftButton && event->pos().y() > header_height() && row >= 0 && row < row_count())
    model_.pick_context(rows_[static_cast<std::size_t>(row)].context);
}

QString HeatMap::cell_tip(const SensitivityModel::HeatRow& row, int column) const {
  const auto& drop = row.drops[static_cast<std::size_t>(column)];
  const QString removed = percent_text(model_.heat_fractions()[static_cast<std::size_t>(column)]);
  if (!drop)
    return tr("%1 (%2), %3, %4 removed: no drop, as it is not profiled or its uncompressed quality is 0")
        .arg(row.context, row.family, model_.method(), removed);
  return tr("%1 (%2), %3, %4 removed: drop %5")
      .arg(row.context, row.family, model_.method(), removed, to_q(format_fixed(*drop, 3)));
}

// A row for each context, a stop for each removed fraction.
PointKeys::Rows HeatMap::key_rows() const {
  PointKeys::Rows rows;
  const int columns = static_cast<int>(model_.heat_fractions().size());
  if (columns == 0) return rows;
  for (int r = 0; r < row_count(); ++r) {
    const auto& row = rows_[static_cast<std::size_t>(r)];
    if (static_cast<int>(row.drops.size()) != columns) return {};
    auto& stops = rows.emplace_back();
    for (int c = 0; c < columns; ++c)
      stops.push_back(
          {row.context, {}, static_cast<double>(c), cell(r, c).adjusted(0.5, 0.5, -0.5, -0.5), {}, [this, r, c] {
             return cell_tip(rows_[static_cast<std::size_t>(r)], c);
           }});
  }
  return rows;
}

bool HeatMap::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int r = (help->pos().y() - header_height() + verticalScrollBar()->value()) / row_height();
  if (help->pos().y() > header_height() && r < row_count())
    for (int c = 0; c < static_cast<int>(model_.heat_fractions().size()); ++c) {
      if (!cell(r, c).contains(help->pos())) continue;
      QToolTip::showText(help->globalPos(), cell_tip(rows_[static_cast<std::size_t>(r)], c), this);
      return true;
    }
  QToolTip::hideText();
  return true;
}

ChartTable HeatMap::table() const {
  ChartTable table{{"context", "family"}, {}};
  for (const double fraction : model_.heat_fractions())
    table.header << QStringLiteral("drop_at_removed_%1").arg(fraction);
  for (const auto& row : model_.heat_rows()) {
    QStringList cells = {row.context, row.family};
    for (const auto& drop : row.drops) cells << (drop ? QString::number(*drop, 'g', 9) : QString());
    table.rows.append(cells);
  }
  return table;
}

}  // namespace kvantage
