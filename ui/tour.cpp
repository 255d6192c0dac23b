#include "ui/tour.h"

#include <QComboBox>
#include <QTimer>
#include <algorithm>

#include "ui/main_window.h"
#include "ui/palette_entries.h"

namespace kvantage {

Tour::Tour(MainWindow& window) : QObject(&window), window_(window), card_(new TourCard(&window)) {
  make_steps();
  connect(&card_->next(), &QPushButton::clicked, this, [this] { show_step(at_ + 1); });
  connect(&card_->close_button(), &QPushButton::clicked, this, &Tour::close);
}

void Tour::make_steps() {
  SettingsController& settings = window_.settings();
  // A setting that differs from what it was when the step began.
  const auto committed = [this, &settings](auto differs) {
    return [this, &settings, differs](const std::function<void()>& done) {
      return connect(&settings, &SettingsController::committedChanged, this,
                     [before = settings.committed(), differs, done](const SessionSettings& now) {
                       if (differs(before, now)) done();
                     });
    };
  };
  const auto page_changed = [this](QTabWidget& pages) {
    return [this, &pages](const std::function<void()>& done) {
      return connect(&pages, &QTabWidget::currentChanged, this, [done](int) { done(); });
    };
  };
  steps_ = {
      {QStringLiteral("Alpha: what quality is worth"),
       QStringLiteral("Alpha says how many seconds of waiting a perfect answer is worth. Move the slider and let go: the present "
                      "point runs along the curve, and the engine follows."),
       [this] { return &window_.controls().alpha(); },
       committed([](const SessionSettings& a, const SessionSettings& b) { return a.alpha != b.alpha; })},
      {QStringLiteral("Budgets: room that is short"),
       QStringLiteral("A tier holds no more bytes than its budget, so caches are compressed, moved down or dropped. Move this one "
                      "and see the whole curve change."),
       [this]() -> QWidget* {
         const auto& tiers = window_.settings().committed().tiers;
         TierControls* first = tiers.empty() ? nullptr : window_.controls().tier(tiers.front().name);
         return first ? static_cast<QWidget*>(&first->budget()) : &window_.controls();
       },
       committed([](const SessionSettings& a, const SessionSettings& b) {
         return !std::ranges::equal(a.tiers, b.tiers, {}, &TierSetting::budget_bytes, &TierSetting::budget_bytes);
       })},
      {QStringLiteral("Frontier: every trade-off at once"),
       QStringLiteral("Lines are predicted for every alpha; points with bars are measured while requests end, and other policies "
                      "stand beside them. Choose a family above the chart: texts of another kind have another curve."),
       [this] { return window_.findChild<FrontierPage*>(); },
       [this](const std::function<void()>& done) {
         return connect(window_.findChild<QComboBox*>(QStringLiteral("frontierFamily")), &QComboBox::activated, this,
                        [done](int) { done(); });
       }},
      {QStringLiteral("Sensitivity: contexts suffer differently"),
       QStringLiteral("The same removed fraction costs one context nothing and another its answer. Turn to another page to see it as "
                      "curves, per family or for all contexts at once."),
       [this] { return &window_.sensitivity(); }, page_changed(window_.sensitivity().tabs())},
      {QStringLiteral("Tiers: where the bytes went"),
       QStringLiteral("What fills each tier over time, against its budget. Turn to another page for how fast loads really are and "
                      "what was refused or missed."),
       [this] { return &window_.tiers(); }, page_changed(window_.tiers().pages())},
  };
}

void Tour::start() {
  card_->set_theme(theme_of(window_.theme_kind()));
  show_step(0);
}

void Tour::close() {
  if (!running()) return;
  disconnect(watched_);
  at_ = -1;
  card_->dismiss();
  emit ended();
}

void Tour::show_step(int number) {
  disconnect(watched_);
  if (number >= count()) {
    close();
    return;
  }
  at_ = number;
  done_ = false;
  const Step& step = steps_[static_cast<std::size_t>(number)];
  QWidget* target = step.target();
  bring_into_view(*target);
  card_->show_step(number + 1, count(), step.title, step.text, target);
  watched_ = step.watch([this] { done(); });
}

void Tour::done() {
  if (done_) return;
  done_ = true;
  card_->show_done();
  QTimer::singleShot(pause_ms, this, [this, step = at_] {
    if (at_ == step) show_step(step + 1);
  });
}

}  // namespace kvantage
