#include "ui/window/window_actions.h"
#include "ui/learn/lesson_tools.h"

#include <QFileDialog>
#include <QMenuBar>
#include <QToolBar>

#include "ui/look/font_scale.h"
#include "ui/look/icons.h"
#include "ui/welcome/model_advice.h"
#include "ui/window/about_dialog.h"
#include "ui/window/fault_menu.h"
#include "ui/window/language_menu.h"
#include "ui/window/layout/layout_menu.h"
#include "ui/window/mode_registry.h"
#include "ui/window/palette_entries.h"

namespace kvantage {
namespace {

void choose_model_file(QWidget* window, WorkloadOpener& opener) {
  auto* dialog = new QFileDialog(window, WindowActions::tr("Open a model file"));
  dialog->setObjectName("modelFileDialog");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setNameFilters({WindowActions::tr("Models (*.gguf)"), WindowActions::tr("All files (*)")});
  QObject::connect(dialog, &QFileDialog::fileSelected, &opener, &WorkloadOpener::offer);
  dialog->open();
}

void choose_method_file(QWidget* window, WindowFiles& files) {
  auto* dialog = new QFileDialog(window, WindowActions::tr("Open a method file"));
  dialog->setObjectName("methodFileDialog");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setNameFilters({WindowActions::tr("Methods (*.pt)"), WindowActions::tr("All files (*)")});
  QObject::connect(dialog, &QFileDialog::fileSelected, &files, &WindowFiles::open);
  dialog->open();
}

}  // namespace

WindowActions::WindowActions(const ActionTargets& targets)
    : QObject(&targets.window),
      to_(targets),
      window_(targets.window),
      charts_export_(new ChartsExport(targets.window)) {
  make_run_actions(to_.models.session);
  make_toolbar();
  make_file_menu();
  make_other_menus();
  make_view_menu();
  make_help_menu();
}

void WindowActions::make_help_menu() {
  QMenu* help = window_.menuBar()->addMenu(tr("&Help"));
  help->addAction(make(tr("Guided &tour"), tr("Five steps, from α to a changed Frontier"), QKeySequence("F1"),
                       [this] { to_.guides.tour().start(); }));
  if (!to_.guides.lessons().all().empty()) {
    QMenu* lessons = help->addMenu(tr("&Lessons"));
    lessons->setToolTipsVisible(true);
    for (const Lesson& lesson : to_.guides.lessons().all())
      lessons->addAction(make(QString(lesson.title).replace('&', QStringLiteral("&&")), lesson.about, {},
                              [this, path = lesson.path] { to_.guides.lessons().start(path); }));
    LessonTools& tools = to_.guides.lessons().tools();
    lessons->addSeparator();
    for (QAction* action : {&tools.reset(), &tools.copy_link(), &tools.print()}) lessons->addAction(action);
  }
  help->addAction(make(tr("&Start page"), tr("Samples, recent files, your own text and model"), {},
                       [this] { to_.views.show(QLatin1String(start_mode)); }));
  help->addSeparator();
  if (!to_.options.help_folder.isEmpty()) {
    help->addAction(make(tr("&Guide"), tr("How to use KVantage, by task"), QKeySequence("Shift+F1"),
                         [this] { show_help(QStringLiteral("guide.md")); }));
    help->addAction(make(tr("Gl&ossary"), tr("Terms in a few sentences each"), {},
                         [this] { show_help(QStringLiteral("concepts.md")); }));
  }
  help->addAction(make(tr("&Keyboard shortcuts"), tr("Every key of this window"), QKeySequence("Ctrl+/"),
                       [this] { show_help(QString()); }));
  help->addSeparator();
  help->addAction(make(tr("&About KVantage…"), tr("Version, commit and licenses"), {},
                       [this] { (new AboutDialog(to_.options.program, &window_))->open(); }));
}

void WindowActions::show_help(const QString& page) {
  if (help_ == nullptr) help_ = new HelpWindow(to_.options.help_folder, &window_);
  help_->show_page(page);
  help_->show();
  help_->raise();
  help_->activateWindow();
}

StartOffers WindowActions::start_offers() {
  WindowFiles& files = to_.opening.files();
  StartOffers offers;
  offers.tour = [this] { to_.guides.tour().start(); };
  if (!to_.options.help_folder.isEmpty()) offers.guide = [this] { show_help(QStringLiteral("guide.md")); };
  offers.open = [&files](const QString& path) { files.open(path); };
  offers.recent = [&files] { return files.recent().paths(); };
  offers.retry = [this] { to_.opening.retry(false); };
  offers.separate_store = [this] { to_.opening.retry(true); };
  offers.store_failed = to_.options.store_failed;
  if (WorkloadOpener* opener = files.workloads()) {
    offers.samples = to_.options.samples;
    offers.use_text = [opener] { opener->choose_file(); };
    offers.use_folder = [opener] { opener->choose_folder(); };
  }
  if (WorkloadOpener* opener = files.models())
    offers.use_model = [this, opener] {
      const bool bf16 = to_.models.run.info().device.find("bf16") != std::string::npos;
      ModelOpeners openers;
      openers.shipped = to_.options.shipped_models;
      openers.products = QString::fromStdString(to_.models.session.live().settings().products);
      openers.choose_products = [&files = to_.opening.files()](const QString& products) {
        files.choose_products(products);
      };
      openers.open_shipped = [opener](const QString& folder) { opener->offer(folder); };
      openers.open_folder = [opener] { opener->choose_folder(); };
      openers.open_file = [this, opener] { choose_model_file(&window_, *opener); };
      (new ModelAdvice(bf16, std::move(openers), &window_))->open();
    };
  return offers;
}

template <typename Slot>
QAction* WindowActions::make(const QString& text, const QString& tip, const QKeySequence& key, Slot slot) {
  auto* made = new QAction(text, &window_);
  made->setToolTip(key.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, key.toString(QKeySequence::NativeText)));
  made->setIconText(without_mnemonic(text));  // on a button
  made->setStatusTip(tip);
  made->setShortcut(key);
  connect(made, &QAction::triggered, this, slot);
  window_.addAction(made);  // its key works while the menu bar is hidden, too
  return made;
}

void WindowActions::make_run_actions(Session& session) {
  start_ = make(tr("&Start"), tr("Serve the workload"), QKeySequence("F5"), [&session] { session.start(); });
  pause_ =
      make(tr("&Pause"), tr("Pause after the requests in flight"), QKeySequence("F6"), [&session] { session.pause(); });
  step_ = make(tr("S&tep"), tr("Serve one request, then pause"), QKeySequence("F7"), [&session] { session.step(); });
  stop_ = make(tr("St&op"), tr("Stop the run and cancel the requests in flight"), QKeySequence("F8"),
               [&session] { session.stop(); });
  profile_ = make(tr("Pro&file now"),
                  tr("Measure the quality curves of all contexts, whether requests are served or not; with anytime "
                     "profiling until they are good enough"),
                  {}, [&session] { session.profile_all(); });
  stop_profiling_ = make(tr("Stop p&rofiling"), tr("End what Profile now began; what is measured is kept"), {},
                         [&session] { session.stop_profiling(); });
  QUndoStack& steps = to_.models.settings.undo_stack();
  undo_ = steps.createUndoAction(&window_);
  undo_->setShortcut(QKeySequence::Undo);
  redo_ = steps.createRedoAction(&window_);
  redo_->setShortcuts({QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")});
  const auto key = [](const QAction* action) { return action->shortcut().toString(QKeySequence::NativeText); };
  undo_->setToolTip(tr("Undo the last setting change (%1)").arg(key(undo_)));
  redo_->setToolTip(tr("Redo (%1)").arg(key(redo_)));
  for (QAction* made : {undo_, redo_}) window_.addAction(made);
  dark_ = make(tr("&Dark theme"), tr("Switch between the dark and the light theme"), QKeySequence("Ctrl+T"), [this] {
    to_.looks.set_theme(to_.looks.kind() == ThemeKind::dark ? ThemeKind::light : ThemeKind::dark);
  });
  dark_->setCheckable(true);
}

void WindowActions::make_toolbar() {
  auto* bar = new QToolBar(tr("Run"));
  bar->setObjectName("runToolBar");
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  bar_ = bar;
  window_.addToolBar(bar);
  for (QAction* made : {start_, pause_, step_, stop_}) bar->addAction(made);
  bar->addSeparator();
  bar->addAction(undo_);
  bar->addAction(redo_);
  for (QAction* made : {undo_, redo_})
    if (auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(made)))
      button->setToolButtonStyle(Qt::ToolButtonIconOnly);
  auto* spacer = new QWidget;
  spacer->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar->addWidget(spacer);
  layout_button_ = new QToolButton;
  layout_button_->setText(tr("Layout"));
  layout_button_->setObjectName("layoutButton");
  layout_button_->setFocusPolicy(Qt::TabFocus);
  layout_button_->setToolTip(tr("Saved dock arrangements"));
  layout_button_->setPopupMode(QToolButton::InstantPopup);
  layout_button_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  layout_menu_ = make_layout_menu(to_.views.layouts(), to_.pages.say(), &window_);
  layout_button_->setMenu(layout_menu_);
  bar->addWidget(layout_button_);
  bar->addAction(dark_);
}

void WindowActions::make_file_menu() {
  QMenu* file = window_.menuBar()->addMenu(tr("&File"));
  WindowFiles& files = to_.opening.files();
  if (WorkloadOpener* opener = files.workloads()) {
    file->addAction(make(tr("Open &text file…"), tr("Serve your own text, with generated questions"),
                         QKeySequence::Open, [opener] { opener->choose_file(); }));
    file->addAction(make(tr("Open &folder…"), tr("Serve a workload folder or a folder of texts"),
                         QKeySequence("Ctrl+Shift+O"), [opener] { opener->choose_folder(); }));
    if (!to_.options.samples.empty())
      file->addMenu(make_sample_menu(
          to_.options.samples, [opener](const QString& path) { opener->offer(path); }, &window_));
  }
  if (WorkloadOpener* opener = files.models()) {
    file->addAction(make(tr("Open &model…"), tr("Serve this workload with a model from a Hugging Face folder"), {},
                         [&files, opener] {
                           files.choose_products({});
                           opener->choose_folder();
                         }));
    file->addAction(
        make(tr("Open model file (&GGUF)…"),
             tr("Serve this workload with a model from a GGUF file. You can also drop the file on the window."), {},
             [this, &files, opener] {
               files.choose_products({});
               choose_model_file(&window_, *opener);
             }));
    file->addAction(make(tr("&Use my model…"), tr("Included models, and which open models suit this machine"), {},
                         [this] { start_offers().use_model(); }));
  }
  if (to_.options.methods.read_file)
    file->addAction(make(tr("Open method f&ile…"),
                         tr("Add the method of a TorchScript file to the candidates. You can also drop the file on the "
                            "window."),
                         {}, [this, &files] { choose_method_file(&window_, files); }));
  if (ServingOpener* opener = files.serving())
    file->addAction(make(tr("Import &settings of LMCache or vLLM…"),
                         tr("Serve this workload with tiers, eviction and concurrency of their settings file"), {},
                         [opener] { opener->choose_file(); }));
  file->addMenu(make_recent_menu(
      files.recent(), [&files](const QString& path) { files.open(path); }, &window_));
  file->addSeparator();
  QAction* all_charts =
      make(tr("Export all &charts…"), tr("Save every chart as PNG, SVG, PDF, CSV and LaTeX and every table as CSV"),
           QKeySequence("Ctrl+Shift+E"), [this] {
             ask_and_export_charts(window_, *charts_export_, [this](const QString& level, const QString& text) {
               to_.pages.banner().show_message(level, text);
             });
           });
  all_charts->setProperty(of_all_views_property, true);
  file->addAction(all_charts);
  file->addSeparator();
  file->addAction(make(tr("&Quit"), tr("Close the window"), QKeySequence::Quit, [this] { window_.window()->close(); }));
}

void WindowActions::make_view_menu() {
  QMenu* view = window_.menuBar()->addMenu(tr("&View"));
  for (const ModeEntry& entry : mode_registry()) view->addAction(to_.views.modes().action(entry.id));
  view->addSeparator();
  for (const DockEntry& entry : dock_registry()) {
    QAction* chosen = to_.views.docks().action(entry.id);
    view->addAction(chosen);
    window_.addAction(chosen);
  }
  view->addSeparator();
  view->addMenu(layout_menu_);
  view->addAction(make(tr("&Reset layout"), tr("Restore the default dock arrangement"), QKeySequence("Ctrl+0"),
                       [this] { to_.views.layouts().apply(Layouts::built_in().front()); }));
  QAction* back = make(tr("Restore &previous layout"), tr("Undo the last layout selection, reset or import"),
                       QKeySequence("Ctrl+Alt+0"), [this] { to_.views.layouts().go_back(); });
  view->addAction(back);
  const auto can_go_back = [this, back] { back->setEnabled(to_.views.layouts().can_go_back()); };
  to_.views.layouts().on_change(can_go_back);
  can_go_back();
  view->addAction(dark_);
  QMenu* text_menu = view->addMenu(tr("Te&xt size"));
  const auto resize = [this](int direction) { to_.looks.set_font_size(next_font_percent(font_percent(), direction)); };
  QAction* larger =
      make(tr("&Increase"), tr("Increase the text size, up to 200 %"), QKeySequence("Ctrl++"), [resize] { resize(1); });
  larger->setShortcuts({QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")});
  text_menu->addAction(larger);
  text_menu->addAction(make(tr("&Decrease"), tr("Decrease the text size, down to 80 %"), QKeySequence("Ctrl+-"),
                            [resize] { resize(-1); }));
  text_menu->addAction(make(tr("&Reset"), tr("Reset to the system text size"), QKeySequence("Ctrl+Shift+0"),
                            [this] { to_.looks.set_font_size(100); }));
  view->addMenu(make_language_menu(
      to_.kept,
      [this] { to_.pages.banner().show_message(QStringLiteral("info"), tr("The language changes after a restart.")); },
      &window_));
  present_ = make(tr("&Present"),
                  tr("Full screen with large text and selected docks; Esc leaves. Alt and a digit toggle docks."),
                  QKeySequence("F11"), [this] {
                    to_.views.modes().leave();
                    to_.presenter.toggle();
                  });
  present_->setCheckable(true);
  view->addAction(present_);
  view->addAction(&to_.guides.lessons().tools().slide());
  connect(&to_.presenter, &Presenter::changed, present_, &QAction::setChecked);
}

void WindowActions::make_other_menus() {
  QMenu* edit = window_.menuBar()->addMenu(tr("&Edit"));
  edit->addAction(undo_);
  edit->addAction(redo_);
  edit->addSeparator();
  QAction* let_go =
      make(tr("C&lear selection"), tr("Clear the selected context and request, or the family if none is selected"),
           QKeySequence("Esc"), [this] { to_.models.run.selection.clear(); });
  edit->addAction(let_go);
  // The same key leaves presenter mode.
  connect(&to_.presenter, &Presenter::changed, let_go, [let_go](bool presents) { let_go->setEnabled(!presents); });
  palette_ = new CommandPalette(window_);
  edit->addAction(make(tr("Find &command…"), tr("Find any command or control by a few letters"), QKeySequence("Ctrl+K"),
                       [this] { palette_->open_fresh(); }));
  QMenu* run = window_.menuBar()->addMenu(tr("&Run"));
  for (QAction* made : {start_, pause_, step_, stop_}) run->addAction(made);
  run->addSeparator();
  for (QAction* made : {profile_, stop_profiling_}) run->addAction(made);
  run->addSeparator();
  fault_menu_ = make_fault_menu(to_.models.settings, &window_);
  run->addMenu(fault_menu_);
}

void WindowActions::show_state(RunState state) {
  const bool can_run = state == RunState::ready || state == RunState::paused || state == RunState::finished;
  start_->setEnabled(can_run);
  step_->setEnabled(can_run);
  pause_->setEnabled(state == RunState::running);
  stop_->setEnabled(state == RunState::running || state == RunState::paused);
}

// While only curves are measured, a run can start beside it, and there is none to pause.
void WindowActions::show_profiling(RunState state, ProfilingAll profiling, bool shown) {
  const bool is_loaded = state == RunState::ready || state == RunState::running || state == RunState::paused ||
                         state == RunState::finished;
  profile_->setEnabled(shown && is_loaded && profiling == ProfilingAll::no);
  stop_profiling_->setEnabled(shown && profiling != ProfilingAll::no);
  if (profiling != ProfilingAll::alone || state != RunState::running) return;
  start_->setEnabled(true);
  step_->setEnabled(true);
  pause_->setEnabled(false);
}

void WindowActions::show_replay(bool active) {
  struct Tips {
    QAction* action;
    QString live, replayed;
  };
  for (const Tips& tips :
       {Tips{start_, tr("Serve the workload"), tr("Play the recorded run")},
        Tips{pause_, tr("Pause after the requests in flight"), tr("Pause the recorded run")},
        Tips{step_, tr("Serve one request, then pause"), tr("Go to the next answer of the recorded run")},
        Tips{stop_, tr("Stop the run and cancel the requests in flight"), tr("Go to the start of the recorded run")}}) {
    const QString tip = active ? tips.replayed : tips.live;
    tips.action->setStatusTip(tip);
    tips.action->setToolTip(
        QStringLiteral("%1 (%2)").arg(tip, tips.action->shortcut().toString(QKeySequence::NativeText)));
  }
  const QUndoStack& steps = to_.models.settings.undo_stack();
  undo_->setEnabled(!active && steps.canUndo());
  redo_->setEnabled(!active && steps.canRedo());
}

void WindowActions::set_theme(const Theme& theme) {
  const int side = 16 * font_percent() / 100;
  bar_->setIconSize({side, side});
  layout_button_->setIconSize({side, side});
  for (const auto& [action, name] : std::initializer_list<std::pair<QAction*, const char*>>{{start_, "start"},
                                                                                            {pause_, "pause"},
                                                                                            {step_, "step"},
                                                                                            {stop_, "stop"},
                                                                                            {undo_, "undo"},
                                                                                            {redo_, "redo"},
                                                                                            {dark_, "theme"}})
    action->setIcon(icon(QString::fromLatin1(name), theme));
  layout_button_->setIcon(icon("layout", theme));
  palette_->set_theme(theme);
  dark_->setChecked(theme.kind == ThemeKind::dark);
}

}  // namespace kvantage
