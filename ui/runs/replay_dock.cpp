#include "ui/runs/replay_dock.h"

#include <QAction>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/units.h"
#include "core/report/event_lines.h"
#include "ui/look/icons.h"
#include "ui/runs/transport_button.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

/// "request.finished request 3 on …": the type as in journals, then the words for it.
QString event_text(const Event& event) {
  const QString line = to_q(event_line(event, 0)).simplified();
  QString type = line.section(' ', 3, 3);
  const QString words = line.section(' ', 4);
  if (words.isEmpty()) return type;
  // What happened, then a reason or an answer, each a text of its own.
  const QString what = words.section(QStringLiteral("; "), 0, 0), more = words.section(QStringLiteral("; "), 1);
  return type + ' ' + (more.isEmpty() ? core_text(words) : core_text(what) + QStringLiteral("; ") + core_text(more));
}

QString clock_text(double seconds) { return ReplayDock::tr("%1 s").arg(to_q(format_fixed(seconds, 1))); }

}  // namespace

ReplayDock::ReplayDock(ReplayController& replay, QWidget* parent)
    : QWidget(parent), replay_(replay), pages_(new QStackedWidget), theme_(theme_of(ThemeKind::light)) {
  setObjectName("dockBody");
  setAttribute(Qt::WA_StyledBackground);  // nothing scrolls around it that would lend it a ground
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 5, 0, 0);
  column->addWidget(pages_);
  setMaximumHeight(84);  // a strip: the views are what is looked at
  pages_->addWidget(make_empty_page());
  pages_->addWidget(make_replay_page());
  pages_->addWidget(make_opening_page());
  connect_replay();
  show_run();
}

QWidget* ReplayDock::make_empty_page() {
  auto* page = new QWidget;
  auto* row = new QHBoxLayout(page);
  row->setContentsMargins(8, 0, 8, 4);
  empty_ = plain_label();
  empty_->setWordWrap(true);
  empty_->setProperty("muted", true);
  auto* open = new QPushButton(tr("Open a run file…"));
  open->setAccessibleName(tr("Open a run file"));
  open->setToolTip(tr("Replay a run from an exported file without adding it to the list"));
  open->setAutoDefault(false);
  connect(open, &QPushButton::clicked, this, &ReplayDock::choose_file);
  row->addWidget(empty_, 1);
  row->addWidget(open);
  return page;
}

QWidget* ReplayDock::make_opening_page() {
  auto* page = new QWidget;
  auto* row = new QHBoxLayout(page);
  row->setContentsMargins(8, 0, 8, 4);
  auto* label = new QLabel(tr("Reading the run…"));
  label->setProperty("muted", true);
  progress_ = new QProgressBar;
  progress_->setTextVisible(false);
  progress_->setFixedWidth(200);
  progress_->setAccessibleName(tr("Reading progress"));
  cancel_ = new QPushButton(tr("Cancel"));
  cancel_->setAccessibleName(tr("Cancel reading the run"));
  cancel_->setToolTip(tr("Stop loading and keep the current view"));
  cancel_->setAutoDefault(false);
  connect(cancel_, &QPushButton::clicked, &replay_, &ReplayController::cancel_opening);
  row->addWidget(label);
  row->addWidget(progress_);
  row->addWidget(cancel_);
  row->addStretch(1);
  return page;
}

QWidget* ReplayDock::make_replay_page() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(8, 0, 8, 2);
  column->setSpacing(0);
  auto* back = new QPushButton(tr("Back to live"));
  back->setObjectName("backToLive");
  back->setAccessibleName(tr("Back to live"));
  back->setToolTip(tr("Return to the live run; the engine resumes"));
  back->setAutoDefault(false);
  connect(back, &QPushButton::clicked, &replay_, &ReplayController::close);
  bar_ = new ScrubBar;
  bar_->setAccessibleName(tr("Time of the recorded run"));
  bar_->setToolTip(tr("Time since the start of the run, in s. Drag to seek; Page Up and Page Down move by 5 %."));

  auto* row = new QHBoxLayout;
  row->setSpacing(3);
  const auto button = [row](const QString& text, const QString& tip) { return add_transport_button(*row, text, tip); };
  auto* previous = button(QStringLiteral("|◂"), tr("Go to the previous mark"));
  auto* back_one = button(QStringLiteral("◂"), tr("Previous event"));
  play_ = button(QString(), tr("Play"));
  auto* forward = button(QStringLiteral("▸"), tr("Next event"));
  auto* next = button(QStringLiteral("▸|"), tr("Go to the next mark"));
  kinds_ = new QComboBox;
  kinds_->setAccessibleName(tr("Mark type"));
  kinds_->setToolTip(tr("Type of mark to jump to"));
  kinds_->addItem(tr("all marks"), int{ReplayController::every_kind});
  for (int kind = 0; kind < ReplayMark::kind_count; ++kind)
    kinds_->addItem(marks_text(static_cast<ReplayMark::Kind>(kind)), kind);
  speed_ = new QComboBox;
  speed_->setAccessibleName(tr("Speed"));
  speed_->setToolTip(tr("Playback speed, as a multiple of real time"));
  for (const double speed : ReplayController::speeds()) speed_->addItem(QStringLiteral("%1×").arg(speed), speed);
  where_ = plain_label();
  legend_ = new QLabel;
  row->addWidget(kinds_);
  row->addSpacing(8);
  row->addWidget(speed_);
  row->addSpacing(8);
  row->addWidget(where_);
  row->addSpacing(12);
  event_ = new QLabel;
  event_->setProperty("muted", true);
  event_->setTextFormat(Qt::PlainText);
  event_->setAccessibleName(tr("Latest event"));
  event_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(event_, 1);
  row->addWidget(legend_);
  row->addSpacing(8);
  row->addWidget(back);
  column->addLayout(row);
  column->addWidget(bar_);

  install_chart_menu(*page, {page, tr("Marks of the recorded run"), [this] { return table(); }});

  const auto kind = [this] { return kinds_->currentData().toInt(); };
  connect(previous, &QToolButton::clicked, this, [this, kind] { replay_.jump(-1, kind()); });
  connect(next, &QToolButton::clicked, this, [this, kind] { replay_.jump(1, kind()); });
  connect(back_one, &QToolButton::clicked, this, [this] { replay_.step_events(-1); });
  connect(forward, &QToolButton::clicked, this, [this] { replay_.step_events(1); });
  connect(play_, &QToolButton::clicked, this, [this] { replay_.playing() ? replay_.pause() : replay_.play(); });
  connect(speed_, &QComboBox::currentIndexChanged, this,
          [this] { replay_.set_speed(speed_->currentData().toDouble()); });
  connect(bar_, &QSlider::sliderPressed, &replay_, [this] { replay_.begin_scrub(); });
  connect(bar_, &QSlider::sliderReleased, &replay_, [this] { replay_.end_scrub(); });
  connect(bar_, &QSlider::valueChanged, this, [this](int value) {
    if (!showing_) replay_.seek_seconds(replay_.duration() * value / ScrubBar::steps);
  });
  return page;
}

ChartTable ReplayDock::table() const {
  ChartTable table{{"seconds", "mark", "text"}, {}};
  if (replay_.active())
    for (const ReplayMark& mark : replay_.marks())
      table.rows.append(
          {QString::number(mark.seconds, 'g', 9), mark_name(static_cast<ReplayMark::Kind>(mark.kind)), mark.text});
  return table;
}

void ReplayDock::connect_replay() {
  connect(&replay_, &ReplayController::activeChanged, this, &ReplayDock::show_run);
  connect(&replay_, &ReplayController::openingChanged, this, &ReplayDock::show_run);
  connect(&replay_, &ReplayController::openingProgress, this, [this](int done, int total) {
    progress_->setRange(0, total);
    progress_->setValue(done);
  });
  connect(&replay_, &ReplayController::moved, this, &ReplayDock::show_moment);
  connect(&replay_, &ReplayController::playingChanged, this, &ReplayDock::show_playing);
}

void ReplayDock::show_run() {
  pages_->setCurrentIndex(replay_.opening() ? 2 : replay_.active() ? 1 : 0);
  if (replay_.opening()) progress_->setRange(0, 0);  // until the first word of how far it is
  empty_->setText(
      tr("No run is being replayed. Select a run in Runs and press Replay, or open a run file. Every view then follows "
         "the time that you set here."));
  if (!replay_.active()) return;
  const RunSummary& run = replay_.source()->summary();
  where_->setToolTip(
      tr("%1: %2, %n request(s)", nullptr, static_cast<int>(run.requests)).arg(replay_.run_id(), to_q(run.policy)));
  std::vector<ScrubBar::Mark> marks;
  const double duration = std::max(replay_.duration(), 1e-9);
  std::array<int, ReplayMark::kind_count> counts{};
  for (const ReplayMark& mark : replay_.marks()) {
    marks.push_back({mark.seconds / duration, mark.kind,
                     QStringLiteral("%1  %2: %3").arg(clock_text(mark.seconds), mark_text(mark.kind), mark.text)});
    ++counts[static_cast<std::size_t>(mark.kind)];
  }
  bar_->set_marks(std::move(marks));
  QStringList said;
  for (int kind = 0; kind < ReplayMark::kind_count; ++kind)
    if (const int count = counts[static_cast<std::size_t>(kind)]; count > 0)
      said << QStringLiteral("<span style='color:%1'>▮</span> %2")
                  .arg(ScrubBar::mark_color(theme_, kind).name(),
                       mark_count_text(static_cast<ReplayMark::Kind>(kind), count));
  legend_->setText(said.isEmpty() ? tr("no marks") : said.join(QStringLiteral("&nbsp;&nbsp;")));
  show_moment();
  show_playing();
}

void ReplayDock::show_moment() {
  if (!replay_.active()) return;
  showing_ = true;
  if (!bar_->isSliderDown() && replay_.duration() > 0)
    bar_->setValue(static_cast<int>(replay_.now_seconds() / replay_.duration() * ScrubBar::steps));
  showing_ = false;
  where_->setText(tr("%1 of %2, event %3 of %4")
                      .arg(clock_text(replay_.now_seconds()), clock_text(replay_.duration()))
                      .arg(replay_.moment())
                      .arg(replay_.size()));
  event_->setText(replay_.moment() == 0 ? tr("Before the first event")
                                        : event_text(replay_.source()->event(replay_.moment() - 1)));
  event_->setToolTip(event_->text());
}

void ReplayDock::show_playing() {
  play_->setIcon(icon(replay_.playing() ? QStringLiteral("pause") : QStringLiteral("start"), theme_));
  const QString tip = replay_.playing() ? tr("Pause") : tr("Play");
  play_->setToolTip(tip);
  play_->setAccessibleName(tip);
}

void ReplayDock::choose_file() {
  auto* dialog = new QFileDialog(this, tr("Replay a run file"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setNameFilters({tr("Recorded runs (*.kvrun)"), tr("All files (*)")});
  connect(dialog, &QFileDialog::fileSelected, &replay_, &ReplayController::open_file);
  dialog->open();
}

void ReplayDock::set_theme(const Theme& theme) {
  theme_ = theme;
  bar_->set_theme(theme);
  show_run();
  show_playing();
}

}  // namespace kvantage
