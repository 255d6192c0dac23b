#include "ui/live/controls/model_note.h"

#include "ui/text/core_text.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {

void add_model_note(RunModel& run, QBoxLayout& column, const QString& name) {
  QLabel* line = plain_label();
  line->setObjectName(name);
  line->setProperty("muted", true);
  line->setWordWrap(true);
  line->setContentsMargins(10, 2, 8, 0);
  column.addWidget(line);  // before it is shown: without a parent it would be a window
  const auto show = [line, &run] {
    QString text = core_text(run.info().model_note);  // also a finding, which begins in lower case
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    line->setText(text);
    line->setVisible(!line->text().isEmpty());
  };
  QObject::connect(&run, &RunModel::infoChanged, line, show);
  show();
}

}  // namespace kvantage
