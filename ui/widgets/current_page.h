// Pages that nobody sees ask for no room: a tab widget wants as much as its present page, not as much as its largest
// one.
#pragma once

#include <QTabWidget>

namespace kvantage {

inline void ask_for_current_page_only(QTabWidget& tabs) {
  const auto apply = [&tabs] {
    for (int i = 0; i < tabs.count(); ++i) {
      const QSizePolicy::Policy policy = i == tabs.currentIndex() ? QSizePolicy::Preferred : QSizePolicy::Ignored;
      tabs.widget(i)->setSizePolicy(policy, policy);
    }
    tabs.updateGeometry();
  };
  QObject::connect(&tabs, &QTabWidget::currentChanged, &tabs, apply);
  apply();
}

}  // namespace kvantage
