#include "ui/widgets/pool_history.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "ui/models/words.h"

namespace kvantage {
namespace {

constexpr double sample_width = 2;

}  // namespace

PoolHistory::PoolHistory(const SessionPoolModel& model, QWidget* parent)
    : QWidget(parent), model_(model), theme_(theme_of(ThemeKind::light)) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Pool occupancy over time"));
  connect(&model_, &SessionPoolModel::changed, this, qOverload<>(&QWidget::update));
}

void PoolHistory::set_theme(const Theme& theme) {
  theme_ = theme;
  update();
}

QSize PoolHistory::sizeHint() const { return {200, 2 * fontMetrics().height()}; }

int PoolHistory::sample_at(double x) const {
  const auto samples = static_cast<int>(model_.samples().size());
  const int back = static_cast<int>((width() - x) / sample_width);
  return back < 0 || back >= samples ? -1 : samples - 1 - back;
}

void PoolHistory::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme_.base);
  const auto& samples = model_.samples();
  std::uint64_t most = 1;  // a pool is much larger than what a session uses of it
  for (const PoolReport& report : samples) most = std::max(most, report.live_blocks * report.block_bytes);
  const double whole = 1.1 * static_cast<double>(most);
  for (std::size_t back = 0; back < samples.size(); ++back) {
    const PoolReport& report = samples[samples.size() - 1 - back];
    const double right = width() - static_cast<double>(back) * sample_width;
    if (right <= 0) break;
    const auto bar = [&](double share, const QColor& color) {
      const double high = height() * std::clamp(share, 0.0, 1.0);
      painter.fillRect(QRectF(right - sample_width, height() - high, sample_width, high), color);
    };
    QColor others = theme_.accent;
    others.setAlphaF(0.35F);
    bar(static_cast<double>(report.live_blocks * report.block_bytes) / whole, others);
    bar(static_cast<double>(report.request_bytes) / whole, theme_.accent);
  }
}

bool PoolHistory::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int sample = sample_at(help->pos().x());
  if (sample < 0) {
    QToolTip::showText(help->globalPos(), model_.tip(), this);
    return true;
  }
  const PoolReport& report = model_.samples()[static_cast<std::size_t>(sample)];
  QToolTip::showText(help->globalPos(),
                     tr("%1 of %2 blocks in use; %n request(s) in flight hold %3", nullptr, report.requests)
                         .arg(report.live_blocks)
                         .arg(report.capacity_blocks)
                         .arg(bytes_text(static_cast<double>(report.request_bytes))),
                     this);
  return true;
}

}  // namespace kvantage
