#include "ui/live/frontier/frontier_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/live/controls/model_note.h"
#include "ui/live/frontier/head_layout.h"
#include "ui/live/frontier/model/frontier_comparison.h"
#include "ui/live/frontier/policy_menu.h"
#include "ui/live/frontier/runs_menu.h"
#include "ui/session/profiling_outlook.h"
#include "ui/text/words.h"
#include "ui/widgets/eliding_label.h"
#include "ui/widgets/lazy_refresh.h"
#include "ui/widgets/plain_label.h"
#include "ui/window/palette_entries.h"

namespace kvantage {

FrontierPage::FrontierPage(RunModel& run, SettingsController& settings, ReadingCheck::TextOf text_of, QWidget* parent)
    : QWidget(parent),
      model_(run.frontier),
      targets_(run, settings, prices_),
      chart_(new FrontierChart(run.frontier)),
      explain_(new ExplainPanel(run, settings)),
      target_bar_(new TargetBar(targets_)),
      button_(new QToolButton),
      targets_button_(new QToolButton),
      policies_button_(new QToolButton),
      runs_button_(new QToolButton),
      check_(new ReadingCheck(run, std::move(text_of), this)) {
  FrontierModel& model = run.frontier;
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(make_head_row(model));
  add_model_note(run, *column, QStringLiteral("frontierModelNote"));
  reading_ = add_line(*column, QStringLiteral("frontierReading"));
  outlook_ = add_line(*column, QStringLiteral("frontierOutlook"));
  comparison_ = add_line(*column, QStringLiteral("frontierComparison"));
  outlook_->setProperty("muted", true);
  reading_->setTextFormat(Qt::RichText);
  connect_model(run);
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->setHandleWidth(1);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(chart_);
  splitter->addWidget(explain_);
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  explain_->hide();
  target_bar_->hide();
  set_opener(*explain_, *button_);
  set_opener(*target_bar_, *targets_button_);
  set_opener(chart_->legend(), *button_);  // the legend is hidden while the panel shows
  column->addWidget(splitter, 1);
  column->addWidget(target_bar_);
  chart_->set_targets(targets_);
  connect(button_, &QToolButton::toggled, this, [this, splitter](bool on) {
    chart_->legend().setVisible(!on);  // the panel needs its room
    explain_->setVisible(on);
    if (on) splitter->setSizes({3 * height() / 5, 2 * height() / 5});
  });
  connect(targets_button_, &QToolButton::toggled, this, [this](bool on) {
    target_bar_->setVisible(on);
    targets_.set_active(on);
  });
  connect(chart_, &FrontierChart::alphaPicked, this, [this](double alpha) {
    if (explain_->isVisible()) explain_->model().set_second_alpha(alpha);
  });
}

void FrontierPage::connect_model(RunModel& run) {
  FrontierModel& model = run.frontier;
  connect(reading_, &QLabel::linkActivated, this, &FrontierPage::modelWanted);
  connect(check_, &ReadingCheck::changed, this, &FrontierPage::show_reading);
  const auto show_missing = [this, &run] { show_outlook(run); };
  auto* lazy = new LazyRefresh(*this, show_missing);
  for (auto signal : {&RunModel::workChanged, &RunModel::snapshotChanged, &RunModel::infoChanged})
    connect(&run, signal, lazy, &LazyRefresh::invalidate);
  connect(&run, &RunModel::stateChanged, this, show_missing);
  connect(&model, &FrontierModel::curvesChanged, this, show_missing);
  connect(chart_, &FrontierChart::emptyChanged, this, show_missing);
  const auto compare_again = [this, &model] { compare(model); };
  connect(&model, &FrontierModel::curvesChanged, this, compare_again);
  connect(&model, &FrontierModel::presentChanged, this, compare_again);
  connect(&model, &FrontierModel::hiddenChanged, this, compare_again);
}

QLabel* FrontierPage::add_line(QVBoxLayout& column, const QString& name) {
  auto* line = plain_label();
  line->setObjectName(name);
  line->setWordWrap(true);
  line->setContentsMargins(13, 4, 10, 0);
  line->hide();
  column.addWidget(line);
  return line;
}

void FrontierPage::show_outlook(RunModel& run) {
  const QString missing = profiling_outlook(run);
  chart_->set_outlook(missing);
  outlook_->setText(missing);
  outlook_->setVisible(!missing.isEmpty() && !chart_->is_empty());  // else the chart says it
}

void FrontierPage::show_reading() {
  const QString sentence = check_->sentence();
  reading_->setText(QStringLiteral("%1 <a href=\"model\">%2</a>").arg(sentence.toHtmlEscaped(), tr("Use my model…")));
  reading_->setVisible(!sentence.isEmpty());
}

QLayout* FrontierPage::make_head_row(FrontierModel& model) {
  auto* head = new HeadLayout(6);
  head->setContentsMargins(11, 7, 10, 0);
  auto* title = new ElidingLabel;
  title->setText(tr("Frontier"));
  title->setProperty("heading", true);
  head->addWidget(title);
  add_buttons(*head, model);
  auto* family_label = new QLabel(tr("Family"));
  family_label->setProperty("muted", true);
  QComboBox* family = make_family_filter(model);
  family_label->setBuddy(family);
  auto* families = new QWidget;
  auto* row = new QHBoxLayout(families);
  row->setContentsMargins(4, 0, 0, 0);
  row->setSpacing(4);
  row->addWidget(family_label);
  row->addWidget(family);
  head->addWidget(families);
  return head;
}

void FrontierPage::add_buttons(QLayout& head, FrontierModel& model) {
  policies_button_->setText(tr("Policies"));
  policies_button_->setObjectName("policiesButton");
  policies_button_->setMenu(new PolicyMenu(model, policies_button_));
  policies_button_->setPopupMode(QToolButton::InstantPopup);
  policies_button_->setAccessibleName(tr("Policies on the chart"));
  policies_button_->setToolTip(tr("Choose the policies that the chart shows"));
  targets_button_->setText(tr("Targets"));
  targets_button_->setObjectName("targetsButton");
  targets_button_->setCheckable(true);
  targets_button_->setAccessibleName(tr("Targets for quality and TTFT"));
  targets_button_->setToolTip(
      tr("Set a quality to reach and a mean TTFT to keep, and find the cheapest plan for them"));
  button_->setText(tr("Explain"));
  button_->setObjectName("explainButton");
  button_->setCheckable(true);
  button_->setAccessibleName(tr("Explain placement changes between two α"));
  button_->setToolTip(tr("Show which contexts the policy places differently at the current α and at a second one"));
  runs_button_->setText(tr("Runs"));
  runs_button_->setObjectName("heldRunsButton");
  runs_button_->setPopupMode(QToolButton::InstantPopup);
  runs_button_->setAccessibleName(tr("Runs on the chart"));
  runs_button_->setToolTip(tr("Pinned and earlier runs on the chart, and how measured points are split"));
  for (QToolButton* button : {policies_button_, runs_button_, targets_button_, button_}) {
    button->setProperty("framed", true);
    button->setFocusPolicy(Qt::TabFocus);
    head.addWidget(button);
  }
  runs_button_->hide();  // until there is a list of runs
}

void FrontierPage::set_held(HeldRunsModel& held) {
  auto* menu = new RunsMenu(held, model_, runs_button_);
  held_runs_ = &menu->list();
  connect(held_runs_, &HeldRunsView::runRequested, menu, &QMenu::close);
  connect(held_runs_, &HeldRunsView::runRequested, this, &FrontierPage::runRequested);
  runs_button_->setMenu(menu);
  runs_button_->show();
}

void FrontierPage::set_theme(const Theme& theme) {
  chart_->set_theme(theme);
  if (held_runs_ != nullptr) held_runs_->set_theme(theme);
}

QComboBox* FrontierPage::make_family_filter(FrontierModel& model) {
  auto* family = new QComboBox;
  family->setObjectName("frontierFamily");
  family->setAccessibleName(tr("Family filter"));
  family->setToolTip(tr("Show only contexts of one family: curves, simulated and measured points"));
  family->addItem(tr("all"), QString());
  const auto show_family = [&model, family] { family->setCurrentIndex(std::max(0, family->findData(model.family()))); };
  connect(&model, &FrontierModel::familiesChanged, this, [&model, family, show_family] {
    const QSignalBlocker quiet(family);
    family->clear();
    family->addItem(tr("all"), QString());
    for (const QString& name : model.families()) family->addItem(name, name);
    show_family();
  });
  connect(&model, &FrontierModel::familyChanged, this, [family, show_family] {
    const QSignalBlocker quiet(family);
    show_family();
  });
  connect(family, &QComboBox::currentIndexChanged, this,
          [&model, family](int index) { model.set_family(family->itemData(index).toString()); });
  return family;
}

void FrontierPage::compare(const FrontierModel& model) {
  QStringList lines;
  const auto curve = std::ranges::find(model.curves(), model.present_policy(), &FrontierCurve::policy);
  if (curve != model.curves().end()) {
    std::vector<SimulatedPoint> shown = model.simulated();
    std::erase_if(shown, [&](const SimulatedPoint& point) { return model.hidden_policies().contains(point.policy); });
    for (const FasterForm& form : faster_forms(*curve, shown))
      lines << (form.curve_seconds ? tr("At quality %1, %2 is faster than %3: %4 vs. %5")
                                         .arg(quality_text(form.mean.quality), short_policy(form.policy), curve->policy,
                                              seconds_text(form.mean.ttft_seconds), seconds_text(*form.curve_seconds))
                                   : tr("%1 has quality %2 at %3; %4 does not reach this quality")
                                         .arg(short_policy(form.policy), quality_text(form.mean.quality),
                                              seconds_text(form.mean.ttft_seconds), curve->policy));
  }
  comparison_->setText(lines.join('\n'));
  comparison_->setVisible(!lines.isEmpty());
}

}  // namespace kvantage
