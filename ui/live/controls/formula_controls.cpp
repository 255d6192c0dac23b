#include "ui/live/controls/formula_controls.h"

#include <QVBoxLayout>
#include <utility>

#include "core/policy/policy.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

/// Operators, and functions.
QStringList formula_words() {
  QStringList functions;
  for (const std::string_view function : formula_functions()) functions << to_q(std::string(function));
  return {FormulaControls::tr("Operators: %1").arg(QStringLiteral("+ - * / ^ < <= > >= == != && || ? :")),
          FormulaControls::tr("Functions: %1").arg(functions.join(QStringLiteral(", ")))};
}

/// Quantities with their units, and what else a formula may have.
QString formula_tip() {
  QStringList names;
  for (const QuantityInfo& quantity : quantities())
    names << QStringLiteral("%1 (%2)").arg(to_q(std::string(quantity.name)), to_q(std::string(quantity.unit)));
  return QStringList{FormulaControls::tr("The plan has the largest sum of this over contexts that it finds.") + ' ' +
                         FormulaControls::tr("Enter applies it."),
                     names.join(QStringLiteral(", ")), formula_words().join(QStringLiteral("; "))}
      .join('\n');
}

/// What the quantities mean, too.
QString formula_help() {
  QStringList lines{FormulaControls::tr("The plan has the largest sum of this over contexts that it finds.")};
  for (const QuantityInfo& quantity : quantities())
    lines << FormulaControls::tr("%1 (%2): %3")
                 .arg(to_q(std::string(quantity.name)), to_q(std::string(quantity.unit)), core_text(quantity.meaning));
  lines << formula_words() << FormulaControls::tr("Enter applies it.");
  return lines.join('\n');
}

}  // namespace

FormulaControls::FormulaControls(QWidget* parent)
    : QWidget(parent),
      expression_(new QLineEdit),
      problem_(plain_label()),
      chart_(new FormulaChart),
      lazy_(new LazyRefresh(*this, [this] { show_points(); })) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 2, 0, 0);
  column->setSpacing(3);
  expression_->setMaxLength(static_cast<int>(max_formula_characters));
  expression_->setAccessibleName(tr("Formula of the utility"));
  expression_->setPlaceholderText(QStringLiteral("(alpha*quality-ttft)*frequency"));
  expression_->setToolTip(formula_tip());
  expression_->setWhatsThis(formula_help());
  problem_->setWordWrap(true);
  problem_->setAccessibleName(tr("What is wrong with the formula"));
  problem_->hide();
  chart_->setFixedHeight(fontMetrics().height() * 12);
  chart_->setAccessibleName(tr("Formula by context"));
  column->addWidget(expression_);
  column->addWidget(problem_);
  column->addWidget(chart_);
  connect(expression_, &QLineEdit::textEdited, this, &FormulaControls::check);
  connect(expression_, &QLineEdit::editingFinished, this, &FormulaControls::commit);
  hide();
}

// What is typed stays while other settings move.
void FormulaControls::show_settings(const SessionSettings& settings) {
  const std::string expression = formula_expression(settings.policy);
  setVisible(!expression.empty());
  const bool alpha = settings.alpha != alpha_;
  alpha_ = settings.alpha;
  if (settings.policy != policy_) {
    policy_ = settings.policy;
    expression_->setText(to_q(expression));
    expression_->setCursorPosition(0);
    check();
  } else if (alpha) {
    lazy_->invalidate_at_once();
  }
}

void FormulaControls::show_snapshot(std::shared_ptr<const Snapshot> snapshot) {
  snapshot_ = std::move(snapshot);
  show_points();
}

void FormulaControls::check() {
  auto formula = Formula::compile(from_q(expression_->text()));
  const bool is_typed = !formula_expression(policy_).empty();
  problem_->setText(formula || !is_typed ? QString() : core_text(formula.error().message));
  problem_->setVisible(!problem_->text().isEmpty());
  typed_ = formula ? *formula : nullptr;
  show_points();
}

void FormulaControls::commit() {
  if (!typed_ || typed_->text() == formula_expression(policy_)) return;
  const auto policy = make_policy(with_formula_expression(policy_, typed_->text()));
  if (policy) emit chosen((*policy)->name());
}

void FormulaControls::show_points() {
  if (isHidden()) return;
  chart_->set_points(typed_ && snapshot_ ? formula_points(*snapshot_, alpha_, *typed_) : FormulaPoints{},
                     typed_ ? to_q(typed_->text()) : QString());
}

}  // namespace kvantage
