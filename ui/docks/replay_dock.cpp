#include "ui/docks/replay_dock.h"

#include <QAction>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/units.h"
#include "core/report/event_lines.h"
#include "ui/icons.h"
#include "ui/models/words.h"
#include "ui/widgets/transport_button.h"

namespace kvantage {
namespace {

QString clock_text(double seconds) { return to_q(format_fixed(seconds, 1)) + QStringLiteral(" s"); }

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
  empty_ = new QLabel;
  empty_->setWordWrap(true);
  empty_->setProperty("muted", true);
  auto* open = new QPushButton(QStringLiteral("Open a run file…"));
  open->setAccessibleName(QStringLiteral("Open a run file"));
  open->setToolTip(QStringLiteral("Go through a run out of a file made by an export; it is not added to the list"));
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
  auto* label = new QLabel(QStringLiteral("Reading the run…"));
  label->setProperty("muted", true);
  progress_ = new QProgressBar;
  progress_->setTextVisible(false);
  progress_->setFixedWidth(200);
  progress_->setAccessibleName(QStringLiteral("Progress of reading the run"));
  cancel_ = new QPushButton(QStringLiteral("Cancel"));
  cancel_->setAccessibleName(QStringLiteral("Cancel reading the run"));
  cancel_->setToolTip(QStringLiteral("Stop reading; what was shown before stays"));
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
  auto* back = new QPushButton(QStringLiteral("Back to live"));
  back->setObjectName("backToLive");
  back->setAccessibleName(QStringLiteral("Back to live"));
  back->setToolTip(QStringLiteral("Show the live run again; the engine goes on where it waits"));
  back->setAutoDefault(false);
  connect(back, &QPushButton::clicked, &replay_, &ReplayController::close);
  bar_ = new ScrubBar;
  bar_->setAccessibleName(QStringLiteral("Time of the recorded run"));
  bar_->setToolTip(QStringLiteral(
      "Time since the run began, in seconds; drag to go anywhere, Page Up and Page Down for a twentieth"));

  auto* row = new QHBoxLayout;
  row->setSpacing(3);
  const auto button = [row](const QString& text, const QString& tip) { return add_transport_button(*row, text, tip); };
  auto* previous = button(QStringLiteral("|◂"), QStringLiteral("To the previous mark"));
  auto* back_one = button(QStringLiteral("◂"), QStringLiteral("One event back"));
  play_ = button(QString(), QStringLiteral("Play"));
  auto* forward = button(QStringLiteral("▸"), QStringLiteral("One event on"));
  auto* next = button(QStringLiteral("▸|"), QStringLiteral("To the next mark"));
  kinds_ = new QComboBox;
  kinds_->setAccessibleName(QStringLiteral("Marks to go to"));
  kinds_->setToolTip(QStringLiteral("Which marks the jumps stop at"));
  kinds_->addItem(QStringLiteral("every mark"), int{ReplayController::every_kind});
  for (int kind = 0; kind < ReplayMark::kind_count; ++kind)
    kinds_->addItem(mark_name(static_cast<ReplayMark::Kind>(kind)) + 's', kind);
  speed_ = new QComboBox;
  speed_->setAccessibleName(QStringLiteral("Speed"));
  speed_->setToolTip(QStringLiteral("Speed of playing, as a multiple of the run's own"));
  for (const double speed : ReplayController::speeds()) speed_->addItem(QStringLiteral("%1×").arg(speed), speed);
  where_ = new QLabel;
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
  event_->setAccessibleName(QStringLiteral("Latest event"));
  event_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(event_, 1);
  row->addWidget(legend_);
  row->addSpacing(8);
  row->addWidget(back);
  column->addLayout(row);
  column->addWidget(bar_);

  install_chart_menu(*page, {page, QStringLiteral("Marks of the recorded run"), [this] { return table(); }});

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
      QStringLiteral("Nothing is replayed. Choose a run in Runs and press Replay, or open a run file: every view then "
                     "shows the moment that you choose here."));
  if (!replay_.active()) return;
  const RunSummary& run = replay_.source()->summary();
  where_->setToolTip(QStringLiteral("%1: %2, %3 requests").arg(replay_.run_id(), to_q(run.policy)).arg(run.requests));
  std::vector<ScrubBar::Mark> marks;
  const double duration = std::max(replay_.duration(), 1e-9);
  std::array<int, ReplayMark::kind_count> counts{};
  for (const ReplayMark& mark : replay_.marks()) {
    marks.push_back({mark.seconds / duration, mark.kind,
                     QStringLiteral("%1  %2: %3").arg(clock_text(mark.seconds), mark_name(mark.kind), mark.text)});
    ++counts[static_cast<std::size_t>(mark.kind)];
  }
  bar_->set_marks(std::move(marks));
  QStringList said;
  for (int kind = 0; kind < ReplayMark::kind_count; ++kind)
    if (const int count = counts[static_cast<std::size_t>(kind)]; count > 0)
      said << QStringLiteral("<span style='color:%1'>▮</span> %2 %3%4")
                  .arg(ScrubBar::mark_colour(theme_, kind).name())
                  .arg(count)
                  .arg(mark_name(static_cast<ReplayMark::Kind>(kind)), count == 1 ? QString() : QStringLiteral("s"));
  legend_->setText(said.isEmpty() ? QStringLiteral("no marks") : said.join(QStringLiteral("&nbsp;&nbsp;")));
  show_moment();
  show_playing();
}

void ReplayDock::show_moment() {
  if (!replay_.active()) return;
  showing_ = true;
  if (!bar_->isSliderDown() && replay_.duration() > 0)
    bar_->setValue(static_cast<int>(replay_.now_seconds() / replay_.duration() * ScrubBar::steps));
  showing_ = false;
  where_->setText(QStringLiteral("%1 of %2, event %3 of %4")
                      .arg(clock_text(replay_.now_seconds()), clock_text(replay_.duration()))
                      .arg(replay_.moment())
                      .arg(replay_.size()));
  event_->setText(replay_.moment() == 0
                      ? QStringLiteral("Before the first event")
                      : to_q(event_line(replay_.source()->event(replay_.moment() - 1), replay_.now_seconds()))
                            .simplified()
                            .section(' ', 3));
  event_->setToolTip(event_->text());
}

void ReplayDock::show_playing() {
  play_->setIcon(icon(replay_.playing() ? QStringLiteral("pause") : QStringLiteral("start"), theme_));
  const QString tip = replay_.playing() ? QStringLiteral("Pause") : QStringLiteral("Play");
  play_->setToolTip(tip);
  play_->setAccessibleName(tip);
}

void ReplayDock::choose_file() {
  auto* dialog = new QFileDialog(this, QStringLiteral("Replay a run file"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setNameFilters({QStringLiteral("Recorded runs (*.kvrun)"), QStringLiteral("All files (*)")});
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
