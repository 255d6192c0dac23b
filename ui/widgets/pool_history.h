// How much of the session's pool was in use, newest at the right: all blocks, and within them those of running
// requests. As high as the most in use so far, not as the pool.
#pragma once

#include <QWidget>

#include "ui/models/session_pool_model.h"
#include "ui/theme.h"

namespace kvantage {

class PoolHistory : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit PoolHistory(const SessionPoolModel& model, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  /// Index of the sample under x; -1: none.
  int sample_at(double x) const;

  const SessionPoolModel& model_;
  Theme theme_;
};

}  // namespace kvantage
