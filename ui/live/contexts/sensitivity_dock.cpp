#include "ui/live/contexts/sensitivity_dock.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "ui/live/controls/model_note.h"
#include "ui/session/profiling_outlook.h"
#include "ui/text/words.h"
#include "ui/widgets/current_page.h"
#include "ui/widgets/eliding_label.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {

SensitivityDock::SensitivityDock(RunModel& run, const QString& presets, QWidget* parent)
    : QWidget(parent),
      run_(run),
      model_(run.sensitivity),
      method_(new QComboBox),
      fraction_(new QComboBox),
      context_box_(new QComboBox),
      note_(plain_label()),
      context_(new ElidingLabel),
      profiling_(new ElidingLabel),
      tabs_(new QTabWidget),
      cdf_(new CdfChart(model_)),
      curves_(new QualityCurveChart(model_)),
      heat_map_(new HeatMap(model_)),
      imported_(new ImportedPage),
      what_if_(new WhatIfPage(imported_->curves(), presets)) {
  setObjectName("dockBody");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 5, 0, 0);
  column->setSpacing(3);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  row->addWidget(method_);
  row->addWidget(new QLabel(tr("removed")));
  row->addWidget(fraction_);
  row->addStretch(1);
  row->addWidget(note_);
  method_->setAccessibleName(tr("Method"));
  method_->setToolTip(tr("Compression method whose effect on quality is shown"));
  method_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  method_->setMinimumContentsLength(11);  // "keydiff+kivi4"
  fraction_->setAccessibleName(tr("Removed fraction"));
  fraction_->setToolTip(tr("Removed share of KV entries, in percent"));
  note_->setProperty("muted", true);
  column->addLayout(row);
  add_model_note(run, *column, QStringLiteral("sensitivityModelNote"));
  profiling_->setProperty("muted", true);
  profiling_->setContentsMargins(10, 0, 8, 0);
  profiling_->setAccessibleName(tr("Anytime profiling"));
  column->addWidget(profiling_);

  tabs_->setDocumentMode(true);
  tabs_->addTab(new_context_page(), tr("Context"));
  tabs_->addTab(cdf_, tr("Families"));
  tabs_->addTab(heat_map_, tr("Heat map"));
  tabs_->addTab(imported_, tr("Imported"));
  tabs_->addTab(what_if_, tr("What-if"));
  tabs_->setTabToolTip(0, tr("Quality of one context versus removed tokens or stored bytes"));
  tabs_->setTabToolTip(1, tr("Distribution of the relative quality drop over contexts"));
  tabs_->setTabToolTip(2, tr("Relative quality drop of every context at every removed fraction"));
  tabs_->setTabToolTip(3, tr("Quality curves that others measured; they enter no plan of this session"));
  tabs_->setTabToolTip(4, tr("Policies on imported curves, for another model over a trace; no plan of this session"));
  ask_for_current_page_only(*tabs_);
  column->addWidget(tabs_, 1);

  const auto choose = [this] { model_.set_selection(method_->currentText(), fraction_->currentData().toDouble()); };
  connect(method_, &QComboBox::activated, this, choose);
  connect(fraction_, &QComboBox::activated, this, choose);
  connect(context_box_, &QComboBox::textActivated, &model_, &SensitivityModel::pick_context);
  for (ChartBrush* brush : {&cdf_->brush(), &heat_map_->brush()}) share_contexts(*brush, run.selection);
  lazy_ = new LazyRefresh(*this, [this] { fill_choices(); });
  connect(&model_, &SensitivityModel::changed, this, [this] { lazy_->invalidate(); });
  connect(&run.selection, &Selection::familyChanged, cdf_, &CdfChart::set_family);
  cdf_->set_family(run.selection.family());
  auto* lazy_line = new LazyRefresh(*this, [this] { show_profiling(); });
  connect(&run, &RunModel::snapshotChanged, lazy_line, &LazyRefresh::invalidate);
  fill_choices();
  show_profiling();
}

void SensitivityDock::show_profiling() {
  const QString text = anytime_outlook(run_);
  profiling_->setVisible(!text.isEmpty());
  profiling_->setText(text);
  profiling_->setToolTip(
      tr("Anytime profiling: a coarse curve of every context first, then the cells that plans depend on.\nThe bound on "
         "what more measuring could add to the utility of the plan has 95 % confidence.\nPoints with n = 0 are pooled "
         "from similar contexts."));
}

QWidget* SensitivityDock::new_context_page() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 4);
  auto* axis = new QComboBox;
  axis->addItems({tr("by removed tokens"), tr("by stored bytes")});
  axis->setAccessibleName(tr("Horizontal axis"));
  axis->setToolTip(tr("Horizontal axis: removed tokens, in percent, or stored bytes, in MiB"));
  context_box_->setAccessibleName(tr("Context"));
  context_box_->setToolTip(tr("Context whose measured quality is shown; selects it in every view"));
  context_box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  context_box_->setMinimumContentsLength(12);
  row->addWidget(context_box_);
  row->addStretch(1);
  row->addWidget(axis);
  column->addLayout(row);
  auto* choice_row = new QHBoxLayout;  // of its own: what is said here matters more than the boxes above
  choice_row->setContentsMargins(10, 0, 8, 2);
  choice_row->addWidget(context_);
  column->addLayout(choice_row);
  column->addWidget(curves_, 1);
  connect(axis, &QComboBox::currentIndexChanged, this, [this](int index) { curves_->set_by_bytes(index == 1); });
  return page;
}

void SensitivityDock::fill_choices() {
  const QSignalBlocker quiet_method(method_), quiet_fraction(fraction_);
  QStringList methods;
  for (const QString& method : model_.methods()) methods << method;
  QStringList shown;
  for (int i = 0; i < method_->count(); ++i) shown << method_->itemText(i);
  if (methods != shown) {
    method_->clear();
    method_->addItems(methods);
  }
  method_->setCurrentText(model_.method());
  if (fraction_->count() != static_cast<int>(model_.fractions().size())) {
    fraction_->clear();
    for (const double fraction : model_.fractions()) fraction_->addItem(percent_text(fraction), fraction);
  }
  for (int i = 0; i < fraction_->count(); ++i)
    if (fraction_->itemData(i).toDouble() == model_.removed_fraction()) fraction_->setCurrentIndex(i);
  const int without = model_.without_base_quality();
  QString note = without ? tr("%1 profiled, %2 at 0").arg(model_.profiled()).arg(without)
                         : tr("%1 profiled").arg(model_.profiled());
  if (const auto& behind = model_.behind())
    note = tr("%1; %2 in %3 of them").arg(note, behind->method).arg(behind->contexts);
  note_->setText(note);
  note_->setToolTip(
      without
          ? tr("Measured on the profile questions. %n context(s) have uncompressed quality 0, hence no relative drop.",
               nullptr, without)
          : tr("Measured on the profile questions."));
  const QSignalBlocker quiet_context(context_box_);
  if (model_.contexts() != listed_) {
    listed_ = model_.contexts();
    context_box_->clear();
    context_box_->addItems(listed_);
  }
  context_box_->setCurrentText(model_.context());
  const auto choice = model_.choice();
  context_->setText(
      tr("now: %1").arg(choice ? configuration_text(choice->method, choice->removed_fraction) : tr("not stored")));
}

void SensitivityDock::set_theme(const Theme& theme) {
  cdf_->set_theme(theme);
  curves_->set_theme(theme);
  heat_map_->set_theme(theme);
  imported_->set_theme(theme);
  what_if_->set_theme(theme);
}

}  // namespace kvantage
