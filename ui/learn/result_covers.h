// Covers over views whose result is not to be seen yet. A covered view takes neither mouse nor keyboard.
#pragma once

#include <QLabel>
#include <QObject>
#include <QPointer>
#include <vector>

namespace kvantage {

class ResultCovers : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  ~ResultCovers() override { clear(); }
  /// These views, and no others.
  void cover(const std::vector<QWidget*>& views, const QString& text);
  void clear();
  std::size_t count() const { return covers_.size(); }
  bool covers(const QWidget& view) const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Cover {
    QPointer<QWidget> view;
    QPointer<QLabel> label;  // over it
    bool was_enabled = true;
  };
  static void place(const Cover& cover);
  std::vector<Cover> covers_;
};

}  // namespace kvantage
