// The mode Learn: the guided tour and the lessons at the left, guide and glossary beside them.
#pragma once

#include <QPushButton>
#include <QTabWidget>
#include <QVBoxLayout>
#include <QWidget>
#include <functional>
#include <vector>

#include "ui/learn/model/lesson_file.h"
#include "ui/look/theme.h"
#include "ui/welcome/start_card.h"

namespace kvantage {

class LearnPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// `help_folder`: of the documentation; without it there are only the tour and the lessons.
  explicit LearnPage(const QString& help_folder, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  /// `print`: the handout of a lesson; without it none is offered.
  void offer(const std::function<void()>& tour, const std::vector<Lesson>& lessons,
             const std::function<void(const QString& path)>& begin,
             const std::function<void(const QString& path)>& print = {});
  const std::vector<StartCard*>& lesson_cards() const { return lesson_cards_; }
  /// One a lesson, where handouts are offered.
  const std::vector<QPushButton*>& print_buttons() const { return print_buttons_; }
  StartCard* tour_card() const { return tour_card_; }
  QTabWidget& pages() { return *pages_; }

 private:
  QVBoxLayout* cards_;
  StartCard* tour_card_ = nullptr;
  std::vector<StartCard*> lesson_cards_;
  std::vector<QPushButton*> print_buttons_;
  QTabWidget* pages_;
};

}  // namespace kvantage
