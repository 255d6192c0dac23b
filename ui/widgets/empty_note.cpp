#include "ui/widgets/empty_note.h"

#include <QAbstractItemView>
#include <QEvent>

namespace kvantage {

EmptyNote::EmptyNote(QAbstractItemView& view, std::function<QString()> text)
    : QLabel(view.viewport()), view_(view), text_(std::move(text)) {
  setAlignment(Qt::AlignCenter);
  setTextFormat(Qt::PlainText);
  setWordWrap(true);
  setMargin(20);
  setProperty("muted", true);
  setAttribute(Qt::WA_TransparentForMouseEvents);
  view.viewport()->installEventFilter(this);
  QAbstractItemModel* model = view.model();
  for (auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(model, signal, this, [this] { update_text(); });
  connect(model, &QAbstractItemModel::modelReset, this, &EmptyNote::update_text);
  connect(model, &QAbstractItemModel::layoutChanged, this, [this] { update_text(); });
  update_text();
}

void EmptyNote::update_text() {
  const bool empty = view_.model()->rowCount() == 0;
  setText(empty ? text_() : QString());
  setVisible(empty && !text().isEmpty());
  setGeometry(view_.viewport()->rect());
}

bool EmptyNote::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) setGeometry(view_.viewport()->rect());
  return QLabel::eventFilter(watched, event);
}

}  // namespace kvantage
