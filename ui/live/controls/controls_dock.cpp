#include "ui/live/controls/controls_dock.h"

#include <QGroupBox>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/form_text.h"
#include "core/policy/policy.h"
#include "core/policy/policy_info.h"
#include "ui/live/controls/model/fault_presets.h"
#include "ui/live/controls/settings_table.h"
#include "ui/live/frontier/frontier_chart.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

QGroupBox* section(const QString& title, QVBoxLayout* into) {
  auto* box = new QGroupBox(title);
  into->addWidget(box);
  return box;
}

/// As parameter_text(), with keys as they are written.
QString parameters_text(const std::vector<ParameterInfo>& parameters) {
  QStringList parts;
  for (const ParameterInfo& parameter : parameters) {
    const std::size_t name = parameter.key.size() + 2;
    const std::string text = parameter_text({parameter});
    parts << to_q(text.substr(0, name)) + core_text(text.substr(name));
  }
  return parts.join(QStringLiteral("; "));
}

QString policy_tip(const std::string& text) {
  const PolicyInfo* info = find_policy_info(FormText::name_of(text));
  if (info == nullptr) return {};
  QString tip = core_text(info->summary);
  tip[0] = tip[0].toUpper();
  if (info->name != text && !info->parameters.empty()) tip += '\n' + parameters_text(info->parameters);
  return tip + '\n' + to_q(info->source);
}

}  // namespace

ControlsDock::ControlsDock(RunModel& run, SettingsController& settings, MethodOffer methods, QWidget* parent)
    : QScrollArea(parent),
      run_(run),
      settings_(settings),
      policy_(new QComboBox),
      formula_(new FormulaControls),
      alpha_(new LogSlider(tr("Alpha"), QString(), 1, 6)),
      alpha_note_(plain_label()),
      tiers_(new QWidget),
      regime_(new RegimeControls(run, settings)),
      candidates_(new CandidateControls(std::move(methods))),
      arrivals_(new ArrivalControls(settings)),
      serving_(new ServingControls(settings)),
      profiling_(new ProfilingControls(settings)),
      decoding_(new DecodeControls),
      offload_(new OffloadControls) {
  setWidgetResizable(true);
  setFocusPolicy(Qt::NoFocus);  // its controls take the keyboard, and it follows them
  setFrameShape(QFrame::NoFrame);
  auto* body = new QWidget;
  setObjectName("dockScroll");
  body->setObjectName("scrollBody");
  auto* column = new QVBoxLayout(body);
  column->addSpacerItem(
      new QSpacerItem(278, 0, QSizePolicy::Minimum, QSizePolicy::Fixed));  // a picture of it can be read in print
  column->setContentsMargins(11, 6, 11, 8);
  column->setSpacing(6);
  add_policy(*column);
  add_alpha(*column);
  auto* tier_column = new QVBoxLayout(tiers_);
  tier_column->setContentsMargins(0, 0, 0, 0);
  tier_column->setSpacing(6);
  column->addWidget(tiers_);
  column->addWidget(regime_);
  add_candidates(*column);
  column->addWidget(arrivals_);
  column->addWidget(serving_);
  column->addWidget(profiling_);
  add_decoding(*column);
  column->addStretch(1);
  setWidget(body);

  connect_policy_and_alpha();
  connect_models();
  show_settings(settings_.shown());
  show_snapshot();
  body->installEventFilter(this);
  install_chart_menu(*body, {body, tr("Controls"), [this] { return settings_table(settings_.committed()); }});
}

void ControlsDock::add_policy(QVBoxLayout& column) {
  auto* policy_box = section(tr("Policy"), &column);
  auto* policy_column = new QVBoxLayout(policy_box);
  policy_column->setContentsMargins(0, 2, 0, 2);
  policy_->setAccessibleName(tr("Policy"));
  policy_->setToolTip(tr("Placement and compression policy"));
  policy_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  policy_->setMinimumContentsLength(12);
  for (const std::string& text : known_policies()) {
    policy_->addItem(short_policy(to_q(text)), to_q(text));
    policy_->setItemData(policy_->count() - 1, policy_tip(text), Qt::ToolTipRole);
  }
  policy_column->addWidget(policy_);
  policy_column->addWidget(formula_);
}

void ControlsDock::add_alpha(QVBoxLayout& column) {
  auto* alpha_box = section(tr("α: value of quality (s)"), &column);
  auto* alpha_column = new QVBoxLayout(alpha_box);
  alpha_column->setContentsMargins(0, 2, 0, 2);
  alpha_column->setSpacing(3);
  alpha_->set_tip(
      tr("α: seconds of TTFT that an answer of quality 1 is worth, in s.\nutility = (α × quality − TTFT) × request "
         "frequency\nThe range is derived from the current profiles."));
  alpha_column->addWidget(alpha_);
  auto* ends = new QHBoxLayout;
  for (const QString& end : {tr("Faster"), tr("Better")}) {
    auto* label = new QLabel(end);
    label->setProperty("muted", true);
    ends->addWidget(label);
  }
  ends->insertStretch(1);
  alpha_column->addLayout(ends);
  alpha_note_->setProperty("muted", true);
  alpha_note_->setWordWrap(true);
  alpha_note_->setToolTip(
      tr("Predicted means over all contexts in the steady state, weighted by request frequency.\nOptimality gap: "
         "distance of the plan from the LP bound (the linear relaxation of the knapsack over all\ntiers), in percent "
         "of the utility gained by storing."));
  alpha_column->addWidget(alpha_note_);
}

void ControlsDock::add_candidates(QVBoxLayout& column) {
  auto* candidates = section(tr("Candidates"), &column);
  auto* room = new QVBoxLayout(candidates);
  room->setContentsMargins(0, 2, 0, 2);
  room->addWidget(candidates_);
  connect(candidates_, &CandidateControls::clicked, this, &ControlsDock::commit_candidates);
  connect(candidates_, &CandidateControls::methodAdded, this, [this](const QString& method) {
    SessionSettings changed = settings_.committed();
    if (std::ranges::find(changed.methods, from_q(method)) == changed.methods.end())
      changed.methods.push_back(from_q(method));
    settings_.commit(changed, tr("candidate method %1").arg(method), QString());
  });
  connect(candidates_, &CandidateControls::fractionAdded, this, [this](double fraction) {
    SessionSettings changed = settings_.committed();
    std::vector<double>& all = changed.removed_fractions;
    if (std::ranges::find(all, fraction) == all.end()) all.insert(std::ranges::upper_bound(all, fraction), fraction);
    settings_.commit(changed, tr("candidate removed fraction %1").arg(percent_text(fraction)), QString());
  });
}

void ControlsDock::offer_method(const QString& text, const QString& summary) {
  candidates_->offer_method(text, summary);
  decoding_->offer_methods();
}

void ControlsDock::add_decoding(QVBoxLayout& column) {
  auto* box = section(tr("Decoding"), &column);
  auto* room = new QVBoxLayout(box);
  room->setContentsMargins(0, 0, 0, 0);
  room->addWidget(decoding_);
  connect(decoding_, &DecodeControls::chosen, this, [this](const std::string& setting, const QString& control) {
    SessionSettings changed = settings_.committed();
    changed.decode_eviction = setting;
    // Evicted entries cannot stay quantized, and an offloaded context keeps all of its entries.
    if (setting != "none") changed.attend_quantized = false;
    if (setting != "none") changed.decode_offload = "none";
    if (setting == planned_decode_eviction && changed.decode_options.empty())
      changed.decode_options = {"paged_eviction(budget=25%)", "paged_eviction(budget=50%)"};
    settings_.commit(changed, tr("decode eviction: %1").arg(decode_eviction_text(setting)),
                     control.isEmpty() ? QString() : QStringLiteral("decode ") + control);
  });
  connect(decoding_, &DecodeControls::options_chosen, this, [this](const std::vector<std::string>& options) {
    SessionSettings changed = settings_.committed();
    changed.decode_options = options;
    if (options.empty() && changed.decode_eviction == planned_decode_eviction) changed.decode_eviction = "none";
    settings_.commit(changed, tr("decode options"), QString());
  });
  room->addWidget(offload_);
  connect(offload_, &OffloadControls::chosen, this, [this](const std::string& setting) {
    SessionSettings changed = settings_.committed();
    changed.decode_offload = setting;
    if (setting != "none") changed.decode_eviction = "none";
    settings_.commit(changed, tr("decode offload: %1").arg(decode_offload_text(setting)), QString());
  });
}

void ControlsDock::connect_policy_and_alpha() {
  connect(policy_, &QComboBox::activated, this, [this](int index) {
    SessionSettings changed = settings_.committed();
    changed.policy = from_q(policy_->itemData(index).toString());
    settings_.commit(changed, tr("policy %1").arg(policy_->itemText(index)), QString());
  });
  connect(formula_, &FormulaControls::chosen, this, [this](const std::string& policy) {
    SessionSettings changed = settings_.committed();
    changed.policy = policy;
    settings_.commit(changed, tr("formula %1").arg(to_q(formula_expression(policy))), QString());
  });
  connect(alpha_, &LogSlider::moving, this, [this](double alpha) {
    SessionSettings changed = settings_.committed();
    changed.alpha = alpha;
    settings_.preview(changed);
  });
  connect(alpha_, &LogSlider::released, this, [this](double alpha) {
    SessionSettings changed = settings_.committed();
    changed.alpha = alpha;
    settings_.commit(changed, tr("α %1").arg(number_text(alpha)), QStringLiteral("alpha") + alpha_->hand());
  });
}

void ControlsDock::connect_models() {
  connect(&settings_, &SettingsController::shownChanged, this, &ControlsDock::show_settings);
  lazy_ = new LazyRefresh(
      *this, [this] { show_snapshot(); }, 120);
  connect(&run_, &RunModel::snapshotChanged, this, [this] { lazy_->invalidate(); });
  connect(&run_, &RunModel::alphaScaleChanged, this, [this] {
    const AlphaScale& scale = run_.alpha_scale();
    alpha_->set_range(scale.lowest, scale.highest);
    alpha_->set_value(settings_.shown().alpha);
  });
  connect(&run_.frontier, &FrontierModel::presentChanged, this, [this] {
    if (isVisible())
      show_alpha_note(settings_.shown());  // at once: the hand is on a slider
    else
      lazy_->invalidate();
  });
}

bool ControlsDock::eventFilter(QObject* watched, QEvent* event) {
  constexpr int widest = 440;  // in larger text its rows break instead
  // Never narrower than what it holds, up to what a small screen has room for: beyond that it scrolls sideways.
  if (watched == widget() && event->type() == QEvent::LayoutRequest)
    setMinimumWidth(std::min(widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width(), widest));
  return QScrollArea::eventFilter(watched, event);
}

TierControls* ControlsDock::tier(const std::string& name) {
  const auto found = tier_controls_.find(name);
  return found == tier_controls_.end() ? nullptr : found->second;
}

void ControlsDock::make_tiers(const SessionSettings& settings) {
  for (const TierConfig& tier : settings.tiers) {
    if (tier_controls_.contains(tier.name)) continue;
    auto* controls = new TierControls(to_q(tier.name));
    tiers_->layout()->addWidget(controls);
    tier_controls_[tier.name] = controls;
    if (prices_ != nullptr) controls->set_prices(*prices_);
    const auto with = [this](const TierConfig& moved) {
      SessionSettings changed = settings_.committed();
      for (TierConfig& known : changed.tiers)
        if (known.name == moved.name) known = moved;
      return changed;
    };
    connect(controls, &TierControls::moving, this,
            [this, with](const TierConfig& moved) { settings_.preview(with(moved)); });
    connect(controls, &TierControls::released, this,
            [this, with, controls](const TierConfig& moved, const QString& what) {
              const QString hand = controls->budget().hand();
              const QString name = to_q(moved.name);
              const QString text =
                  what == "budget" ? tr("%1 budget %2").arg(name, budget_text(moved.budget))
                  : what == "faults"
                      ? tr("%1 faults: %2").arg(name, moved.faults.empty() ? tr("none") : faults_text(moved.faults))
                  : moved.throttle.bytes_per_second > 0
                      ? tr("%1 throttled to %2").arg(name, rate_text(moved.throttle.bytes_per_second))
                      : tr("%1 at full speed").arg(name);
              settings_.commit(with(moved), text, name + ' ' + what + (what == "budget" ? hand : QString()));
            });
  }
}

void ControlsDock::show_candidates(const SessionSettings& settings) {
  std::vector<std::string> methods;
  for (const QString& method : run_.sensitivity.methods()) methods.push_back(from_q(method));
  candidates_->show_candidates(settings, methods, run_.sensitivity.fractions());
}

void ControlsDock::commit_candidates() {
  const SessionSettings& before = settings_.committed();
  const SessionSettings changed = candidates_->chosen(before);
  const QString what = changed.methods != before.methods ? tr("candidate methods") : tr("candidate removed fractions");
  settings_.commit(changed, what, QString());
}

// A policy that the list lacks is added; of formulas it has one, the latest.
void ControlsDock::show_policy(const QString& policy) {
  int index = policy_->findData(policy);
  if (index < 0 && !formula_expression(from_q(policy)).empty())
    for (int i = 0; i < policy_->count(); ++i)
      if (!formula_expression(from_q(policy_->itemData(i).toString())).empty()) index = i;
  if (index < 0) {
    policy_->addItem(QString());
    index = policy_->count() - 1;
  }
  if (policy_->itemData(index).toString() != policy) {
    policy_->setItemText(index, short_policy(policy));
    policy_->setItemData(index, policy);
    policy_->setItemData(index, policy_tip(from_q(policy)), Qt::ToolTipRole);
  }
  policy_->setCurrentIndex(index);
}

void ControlsDock::show_settings(const SessionSettings& settings) {
  show_policy(to_q(settings.policy));
  formula_->show_settings(settings);
  if (alpha_->value() != settings.alpha) alpha_->set_value(settings.alpha);
  make_tiers(settings);
  for (const TierConfig& tier : settings.tiers)
    if (TierControls* controls = this->tier(tier.name); controls && controls->setting() != tier)
      controls->show_setting(tier);
  show_candidates(settings);
  arrivals_->show_settings(settings);
  serving_->show_settings(settings);
  profiling_->show_settings(settings);
  decoding_->show_setting(settings.decode_eviction, settings.decode_options);
  offload_->show_settings(settings);
  show_alpha_note(settings);
}

void ControlsDock::show_alpha_note(const SessionSettings& settings) {
  const auto policy = make_policy(settings.policy);
  QString note;
  bool predicted = false;
  if (policy && !(*policy)->uses_alpha())
    note = tr("α has no effect on %1.").arg(short_policy(to_q(settings.policy)));
  else if (const std::size_t profiled = run_.profiled_contexts(); run_.snapshot() && profiled == 0)
    note = tr("No quality profile yet, so no prediction.");
  else if (const auto present = run_.frontier.present()) {
    note =
        tr("Predicted: quality %1, TTFT %2").arg(quality_text(present->quality), seconds_text(present->ttft_seconds));
    predicted = true;
    if (settings.decode_eviction != "none") note += '\n' + tr("Predicted without decode eviction");
    if (settings.decode_offload != "none") note += '\n' + tr("Predicted without decode offload");
  }
  const auto gap = run_.frontier.present_gap();
  if (!gap && predicted)  // a line all the same, so that what is below does not jump
    note += '\n' + tr("Optimality gap not known yet");
  if (gap && !note.isEmpty())
    note += '\n' + tr("Optimality gap ≤ %1 %")
                       .arg(100 * std::max(0.0, *gap), 0, 'f',
                            *gap < 5e-6    ? 0
                            : *gap < 0.001 ? 3
                                           : 1);
  if (note != alpha_note_->text()) alpha_note_->setText(note);
}

void ControlsDock::show_snapshot() {
  const auto snapshot = run_.snapshot();
  if (!snapshot) return;
  formula_->show_snapshot(snapshot);
  std::uint64_t all_bytes = 0;
  std::vector<std::uint64_t> used(snapshot->tiers.size(), 0);
  for (const ContextState& context : snapshot->contexts) {
    all_bytes += context.full_bytes;
    if (context.placement.stored() && static_cast<std::size_t>(context.placement.tier) < used.size())
      used[static_cast<std::size_t>(context.placement.tier)] += context.stored_bytes;
  }
  show_candidates(settings_.shown());
  for (auto& [name, controls] : tier_controls_)
    if (std::ranges::find(snapshot->tiers, name, &TierState::name) == snapshot->tiers.end()) controls->forget_use();
  for (std::size_t i = 0; i < snapshot->tiers.size(); ++i)
    if (TierControls* controls = tier(snapshot->tiers[i].name))
      controls->show_use(used[i], all_bytes, snapshot->tiers[i]);
  if (const auto reports = run_.session().tier_reports())
    for (const TierReport& report : *reports)
      if (TierControls* controls = tier(report.description.name)) controls->show_failures(report.statistics);
  show_alpha_note(settings_.shown());
}

void ControlsDock::set_prices(TierPrices& prices) {
  prices_ = &prices;
  for (const auto& [name, controls] : tier_controls_) controls->set_prices(prices);
}

}  // namespace kvantage
