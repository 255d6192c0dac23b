#include "ui/welcome/start_page.h"

#include <QFile>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QMenu>
#include <QResizeEvent>
#include <QScrollArea>
#include <utility>

#include "ui/look/icons.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {

namespace {

constexpr int column_width = 720;  // wider lines are hard to read
constexpr int recent_shown = 4;
constexpr int roomy_lines = 52;  // of text: as high as all choices are with what they are

QIcon picture_of(const QString& sample) {
  const QString own = QStringLiteral(":/kvantage/start/%1.svg").arg(sample);
  return QIcon(QFile::exists(own) ? own : QStringLiteral(":/kvantage/start/own-text.svg"));
}

QLabel* heading(const QString& text) {
  auto* label = plain_label(text);
  QFont font = label->font();
  font.setWeight(QFont::DemiBold);
  label->setFont(font);
  return label;
}

void clear(QLayout& layout) {
  while (QLayoutItem* item = layout.takeAt(0)) {
    if (QWidget* widget = item->widget()) {
      widget->hide();  // at once: others take its place before it is deleted
      widget->setParent(nullptr);
      widget->deleteLater();
    }
    delete item;
  }
}

}  // namespace

StartPage::StartPage(RunModel& run, QWidget* parent)
    : QWidget(parent),
      run_(run),
      logo_(new QLabel),
      title_(plain_label()),
      subtitle_(plain_label()),
      progress_(new QWidget),
      remedies_(new QWidget),
      work_(new QGridLayout(progress_)),
      offered_(new QVBoxLayout),
      actions_(new QGridLayout),
      samples_(new QGridLayout),
      recent_(new QGridLayout),
      back_(new QPushButton(tr("Back to the session"))) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);  // what it holds is walked through
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  whole->addWidget(scroll);
  auto* content = new QWidget;
  content->setAutoFillBackground(true);
  content->setBackgroundRole(QPalette::Base);
  scroll->setWidget(content);
  auto* outer = new QHBoxLayout(content);
  auto* middle = new QWidget;
  middle->setMaximumWidth(column_width);
  auto* column = new QVBoxLayout(middle);
  outer->addStretch(1);
  outer->addWidget(middle, 12);
  outer->addStretch(1);
  column->setContentsMargins(0, 0, 0, 0);
  column->addStretch(1);
  auto* head = new QHBoxLayout;
  logo_->setPixmap(application_icon().pixmap(48, 48));
  enlarge_title();
  title_->setText(QStringLiteral("KVantage"));
  subtitle_->setWordWrap(true);
  subtitle_->setProperty("muted", true);
  auto* words = new QVBoxLayout;
  words->setSpacing(2);
  words->addWidget(title_);
  words->addWidget(subtitle_);
  head->addWidget(logo_, 0, Qt::AlignTop);
  head->addSpacing(8);
  head->addLayout(words, 1);
  head->addWidget(back_, 0, Qt::AlignTop);
  column->addLayout(head);
  work_->setVerticalSpacing(7);
  work_->setHorizontalSpacing(24);
  work_->setColumnStretch(0, 1);
  work_->setColumnStretch(1, 1);
  work_->setContentsMargins(0, 10, 0, 4);
  column->addWidget(remedies_);
  column->addWidget(progress_);
  column->addSpacing(8);
  column->addLayout(offered_);
  column->addSpacing(8);
  column->addLayout(recent_);
  column->addStretch(2);
  back_->setObjectName(QStringLiteral("startBack"));
  back_->setToolTip(tr("Show the Frontier"));
  back_->hide();
  connect(back_, &QPushButton::clicked, this, &StartPage::leave);
  connect(&run_, &RunModel::stateChanged, this, &StartPage::show_state);
  connect(&run_, &RunModel::workChanged, this, &StartPage::show_work);
  connect(&run_, &RunModel::infoChanged, this, [this] { show_state(run_.state()); });
  show_state(RunState::loading);
}

void StartPage::offer(StartOffers offers) {
  offers_ = std::move(offers);
  add_remedies();
  add_actions();
  add_samples();
  place_choices();
  show_recent();
}

// What fits every failure; a store of its own only where the store failed.
void StartPage::add_remedies() {
  auto* row = new QHBoxLayout(remedies_);
  row->setContentsMargins(56, 2, 0, 4);  // below the words beside the logo
  const auto add = [&](const char* name, const QString& text, const QString& tip) {
    auto* button = new QPushButton(text);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(tip);
    button->setAutoDefault(false);
    row->addWidget(button);
    return button;
  };
  if (offers_.retry)
    connect(add("startRetry", tr("Retry"), tr("Open the same workload and model again")), &QPushButton::clicked, this,
            offers_.retry);
  if (offers_.separate_store)
    connect(add("startSeparateStore", tr("Use a separate store"),
                tr("Open the same workload with an empty, separate store; the shared one stays unchanged")),
            &QPushButton::clicked, this, offers_.separate_store);
  if (offers_.use_text || offers_.use_folder) {
    auto* menu = new QMenu(this);
    if (offers_.use_text) connect(menu->addAction(tr("Text file…")), &QAction::triggered, this, offers_.use_text);
    if (offers_.use_folder) connect(menu->addAction(tr("Folder…")), &QAction::triggered, this, offers_.use_folder);
    if (offers_.open)
      for (const SampleEntry& sample : offers_.samples)
        connect(menu->addAction(sample.name), &QAction::triggered, this,
                [this, path = sample.path] { offers_.open(path); });
    add("startOther", tr("Open another workload"), tr("A text, a folder or a sample"))->setMenu(menu);
  }
  row->addStretch(1);
}

void StartPage::add_actions() {
  const auto add = [&](const std::function<void()>& action, const char* name, const QString& text,
                       const QString& what) {
    if (!action) return;
    auto* card = new StartCard(text, what, picture_of(QLatin1String(name)));
    card->setObjectName(QLatin1String(name));
    connect(card, &StartCard::clicked, this, action);
    action_cards_.push_back(card);
  };
  add(offers_.use_text, "startText", tr("Use my text"), tr("Serve your own documents, with generated questions"));
  add(offers_.use_model, "startModel", tr("Use my model"), tr("What runs here, what it needs, where to get it"));
  add(offers_.tour, "startTour", tr("Guided tour"), tr("Five steps, from α to a changed Frontier"));
  add(offers_.guide, "startGuide", tr("Guide"), tr("How to use KVantage, by task; glossary and shortcuts"));
  offered_->addLayout(actions_);
}

void StartPage::add_samples() {
  if (offers_.samples.empty() || !offers_.open) return;
  offered_->addWidget(heading(tr("Samples")));
  for (const SampleEntry& sample : offers_.samples) {
    auto* card = new StartCard(sample.name, sample.description, picture_of(sample.name));
    card->setObjectName(QStringLiteral("sample-%1").arg(sample.name));
    connect(card, &StartCard::clicked, this, [this, path = sample.path] { offers_.open(path); });
    sample_cards_.push_back(card);
  }
  offered_->addLayout(samples_);
}

void StartPage::place_choices() {
  const int columns = compact_ ? 3 : 2;
  for (const auto& [grid, cards] : {std::pair{actions_, &action_cards_}, std::pair{samples_, &sample_cards_}}) {
    while (QLayoutItem* item = grid->takeAt(0)) delete item;
    grid->setVerticalSpacing(compact_ ? 2 : 6);
    for (int column = 0; column < 3; ++column) grid->setColumnStretch(column, column < columns ? 1 : 0);
    int place = 0;
    for (StartCard* card : *cards) {
      card->set_compact(compact_);
      grid->addWidget(card, place / columns, place % columns);
      ++place;
    }
    if (grid == actions_ && lesson_button_) {
      const int at = place % columns;
      grid->addWidget(lesson_button_, place / columns, at, 1, columns - at, Qt::AlignLeft);  // wider than a card
    }
  }
}

void StartPage::set_compact(bool compact) {
  if (compact == compact_) return;
  compact_ = compact;
  place_choices();
  show_recent();
}

void StartPage::show_recent() {
  clear(*recent_);
  const QStringList paths = offers_.recent && offers_.open ? offers_.recent() : QStringList();
  if (paths.isEmpty()) return;
  const int columns = compact_ ? 2 : 1;
  recent_->setVerticalSpacing(compact_ ? 1 : 6);
  recent_->addWidget(heading(tr("Recent")), 0, 0, 1, 2);
  int place = columns;
  for (const QString& path : paths.mid(0, recent_shown)) {
    const QFileInfo info(path);
    const QString folder = compact_ ? QString() : QStringLiteral("&nbsp;&nbsp;") + info.absolutePath().toHtmlEscaped();
    auto* link = new QLabel(QStringLiteral("<a href='open'>%1</a>%2").arg(info.fileName().toHtmlEscaped(), folder));
    link->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    link->setToolTip(path);
    link->setAccessibleName(info.fileName());
    connect(link, &QLabel::linkActivated, this, [this, path] { offers_.open(path); });
    recent_->addWidget(link, place / columns, place % columns, 1, 3 - columns);
    ++place;
  }
}

void StartPage::showEvent(QShowEvent* event) {
  show_recent();
  if (run_.snapshot() != nullptr && run_.state() != RunState::loading) {
    progress_->hide();
    back_->show();
  }
  QWidget::showEvent(event);
}

// A size of its own does not follow that of the window by itself.
void StartPage::enlarge_title() {
  QFont big = font();
  big.setPointSizeF(big.pointSizeF() * 1.7);
  big.setWeight(QFont::DemiBold);
  title_->setFont(big);
}

void StartPage::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  // After the style has given all parts their fonts, or it would take the title's back.
  if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange)
    QMetaObject::invokeMethod(this, &StartPage::enlarge_title, Qt::QueuedConnection);
}

void StartPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  set_compact(height() < roomy_lines * fontMetrics().height());
}

void StartPage::offer_lessons(const std::vector<Lesson>& lessons,
                              const std::function<void(const QString& path)>& begin) {
  if (lessons.empty()) return;
  auto* menu = new QMenu(this);
  menu->setToolTipsVisible(true);
  lesson_button_ = new QToolButton;
  lesson_button_->setObjectName("startLessons");
  lesson_button_->setText(tr("Learn: pick a lesson"));
  lesson_button_->setToolTip(tr("A lesson starts when loading finishes. See also Help > Lessons."));
  lesson_button_->setAccessibleName(lesson_button_->text());
  lesson_button_->setFocusPolicy(Qt::TabFocus);
  lesson_button_->setPopupMode(QToolButton::InstantPopup);
  lesson_button_->setMenu(menu);
  lesson_button_->setProperty("framed", true);
  place_choices();
  for (const Lesson& lesson : lessons) {
    QAction* action = menu->addAction(QString(lesson.title).replace('&', QStringLiteral("&&")));
    action->setToolTip(lesson.about);
    connect(action, &QAction::triggered, this, [this, begin, lesson] {
      lesson_button_->setEnabled(false);
      chosen_ = tr("“%1” starts when loading finishes.").arg(lesson.title);
      begin(lesson.path);
      show_state(run_.state());
    });
  }
}

void StartPage::set_theme(const Theme&) { update(); }

void StartPage::show_state(RunState state) {
  const bool there = run_.snapshot() != nullptr && state != RunState::loading;
  back_->setVisible(there);
  const bool failed = state == RunState::failed && !there;
  if (!there) progress_->setVisible(!failed);
  remedies_->setVisible(failed);
  if (failed) {
    if (auto* separate = remedies_->findChild<QPushButton*>(QStringLiteral("startSeparateStore")))
      separate->setVisible(offers_.store_failed && offers_.store_failed());
    const QString why = run_.log.last_error();
    subtitle_->setText(why.isEmpty() ? tr("Loading failed. See the message above.")
                                     : tr("Loading failed: %1").arg(why));
    return;
  }
  const SessionInfo& info = run_.info();
  subtitle_->setText(info.model_name.empty()
                         ? tr("Loading the model…")
                         : tr("%1 on %2")
                               .arg(core_text(info.model_name),
                                    info.workload_name.empty() ? QStringLiteral("…") : to_q(info.workload_name)));
  if (!chosen_.isEmpty()) subtitle_->setText(subtitle_->text() + '\n' + chosen_);
}

void StartPage::show_work() {
  if (run_.state() != RunState::loading) return;
  for (const RunModel::Work& work : run_.work()) {
    auto found = rows_.find(work.what);
    if (found == rows_.end()) {
      Row row{plain_label(work.what), plain_label(), new QProgressBar};
      row.bar->setTextVisible(false);
      row.bar->setAccessibleName(work.what);
      row.amount->setProperty("muted", true);
      for (QLabel* label : {row.what, row.amount})
        label->setMinimumHeight(label->fontMetrics().height());  // whole letters where room is scarce
      auto* line = new QHBoxLayout;
      line->addWidget(row.what, 1);
      line->addWidget(row.amount);
      auto* pair = new QVBoxLayout;
      pair->setSpacing(3);
      pair->addLayout(line);
      pair->addWidget(row.bar);
      const int place = static_cast<int>(rows_.size());
      work_->addLayout(pair, place / 2, place % 2);
      found = rows_.emplace(work.what, row).first;
    }
    const Row& row = found->second;
    row.bar->setRange(0, work.total == 0 ? 0 : 1000);
    if (work.total > 0)
      row.bar->setValue(static_cast<int>(1000.0 * static_cast<double>(work.done) / static_cast<double>(work.total)));
    row.amount->setText(
        work.finished()   ? tr("done")
        : work.total == 0 ? QString()
        : work.eta_seconds > 1
            ? tr("%1 of %2, %3 left").arg(work.done).arg(work.total).arg(seconds_text(std::ceil(work.eta_seconds)))
            : tr("%1 of %2").arg(work.done).arg(work.total));
  }
}

}  // namespace kvantage
