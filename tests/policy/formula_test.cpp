// links: kv_base
// The policy formula(EXPRESSION): a formula that equals EvicPress's utility plans as evicpress does, what a formula
// reads, what is refused and where, and that whatever is written plans within the budgets.
#include "core/policy/formula/formula.h"

#include <QtTest>

#include <cmath>
#include <set>
#include <thread>

#include "core/base/random.h"
#include "core/policy/explain/decision.h"
#include "core/policy/explain/decision_text.h"
#include "core/policy/explain/plan_moves.h"
#include "core/policy/explain/utility_split.h"
#include "core/policy/policy.h"
#include "core/policy/policy_info.h"
#include "core/policy/simulate.h"
#include "core/policy/utility.h"
#include "core/ports/session.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace formula_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

constexpr const char* evicpress_utility = "(alpha*quality - ttft)*frequency";

std::shared_ptr<const Policy> policy_of(const std::string& text) {
  auto policy = make_policy(text);
  if (!policy) qFatal("%s", policy.error().message.c_str());
  return *policy;
}

std::shared_ptr<const Formula> formula_of(const std::string& text) {
  auto formula = Formula::compile(text);
  if (!formula) qFatal("%s", formula.error().message.c_str());
  return *formula;
}

/// What differs between two plans; empty: nothing but the words of their reasons.
QString difference(const Plan& one, const Plan& other) {
  if (one.contexts.size() != other.contexts.size()) return "another number of contexts";
  for (std::size_t i = 0; i < one.contexts.size(); ++i) {
    const PlannedContext &a = one.contexts[i], &b = other.contexts[i];
    if (!(a.configuration == b.configuration)) return QString("context %1 is elsewhere").arg(i);
    if (a.bytes != b.bytes || a.quality != b.quality || a.ttft_seconds != b.ttft_seconds)
      return QString("context %1 has other predictions").arg(i);
    if (a.utility != b.utility || a.utility_drop != b.utility_drop)
      return QString("context %1 is valued otherwise").arg(i);
  }
  if (one.total_utility != other.total_utility || one.steps != other.steps || one.used_bytes != other.used_bytes)
    return "other totals";
  return {};
}

WorldShape shape_of(int round) {
  return {.contexts = 2 + static_cast<std::size_t>(round) % 12,
          .tiers = 1 + static_cast<std::size_t>(round) % 3,
          .methods = 2,
          .fractions = 1 + static_cast<std::size_t>(round) % 4,
          .placed = round % 2 == 0,
          .unprofiled = round % 5 == 0};
}

/// A text that is a formula more often than not.
std::string drawn_formula(Random& random, int depth) {
  const auto leaf = [&]() -> std::string {
    if (random.below(3) == 0) {
      static const std::vector<std::string> numbers{"0", "1", "2.5", "1e3", "1e-9", ".5", "1e300"};
      return numbers[random.below(numbers.size())];
    }
    return std::string(quantities()[random.below(quantity_count)].name);
  };
  if (depth == 0) return leaf();
  const auto inner = [&] { return drawn_formula(random, depth - 1); };
  static const std::vector<std::string> operators{"+", "-", "*", "/", "^", "<", ">=", "==", "!=", "&&", "||"};
  static const std::vector<std::string> functions{"abs", "sqrt", "exp", "ln", "log2", "log10", "tanh", "sign", "rint"};
  switch (random.below(6)) {
    case 0:
      return leaf();
    case 1:
      return functions[random.below(functions.size())] + "(" + inner() + ")";
    case 2:
      return (random.below(2) == 0 ? "min(" : "max(") + inner() + "," + inner() + ")";
    case 3:
      return "(" + inner() + " ? " + inner() + " : " + inner() + ")";
    default:
      return "(" + inner() + operators[random.below(operators.size())] + inner() + ")";
  }
}

/// A few characters of it replaced, removed or added.
std::string mutated(std::string text, Random& random) {
  static const std::string letters = "()+-*/^,.<>=!&|?:%$\"'#;[]{}_ 019eaqz\xC3\x97\n\t";
  for (auto n = 1 + random.below(3); n > 0 && !text.empty(); --n) {
    const std::size_t at = random.below(text.size());
    switch (random.below(3)) {
      case 0:
        text[at] = letters[random.below(letters.size())];
        break;
      case 1:
        text.erase(at, 1 + random.below(3));
        break;
      default:
        text.insert(at, 1, letters[random.below(letters.size())]);
    }
  }
  return text;
}

/// A context of 100 tokens on one tier of 1 GB/s.
Snapshot planted_snapshot() {
  Snapshot snapshot;
  snapshot.alpha = 2;
  snapshot.prefill = {.base_seconds = 0.5, .seconds_per_token = 0.01, .seconds_per_token_squared = 0};
  snapshot.question = {.base_seconds = 0.25, .seconds_per_kept_token = 0};
  snapshot.tiers.push_back({.name = "dram",
                            .budget_bytes = 1 << 20,
                            .model = {.latency_seconds = 0.125, .bytes_per_second = 1000},
                            .throttled = false});
  ContextState context;
  context.id = "c0";
  context.tokens = 100;
  context.full_bytes = 4000;
  context.frequency = 3;
  context.archived = true;
  auto profile = std::make_shared<ContextProfile>();
  profile->points.push_back({"none", 0, 0.75, 0.75, 0.75, 8, 4000, 100});
  profile->points.push_back({"m0", 0.5, 0.5, 0.5, 0.5, 8, 2000, 50});
  context.profile = profile;
  snapshot.contexts.push_back(context);
  return snapshot;
}

}  // namespace

class FormulaTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (!Formula::is_available()) {
      const auto policy = make_policy("formula(quality)");
      QVERIFY(!policy && policy.error().message.find("muParser") != std::string::npos);
      QVERIFY(find_policy_info("formula") == nullptr);
      QSKIP("this build has no muParser");
    }
  }

  void theUtilityOfEvicPressGivesItsPlans_data() {
    QTest::addColumn<QString>("formula");
    QTest::newRow("as the paper writes it") << "(alpha*quality - ttft)*frequency";
    QTest::newRow("frequency first") << "frequency*(alpha*quality - ttft)";
    QTest::newRow("in parentheses") << "((alpha*quality-ttft)*frequency)";
    QTest::newRow("as utility per unit") << "(quality*alpha - ttft)*1*frequency/1";
  }
  void theUtilityOfEvicPressGivesItsPlans() {
    QFETCH(QString, formula);
    for (const char* drop : {"absolute", "per_byte", "best"}) {
      const auto ours = policy_of("formula(" + formula.toStdString() + ",drop=" + drop + ")");
      const auto paper = policy_of(std::string("evicpress(drop=") + drop + ")");
      Random random(7);
      int stored = 0;
      for (int round = 0; round < 300; ++round) {
        Snapshot snapshot = random_snapshot(random, shape_of(round));
        if (round % 7 == 0) store_inputs_and_serve_hybrid(snapshot);
        const Plan plan = ours->plan(snapshot);
        for (const PlannedContext& context : plan.contexts) stored += context.configuration.stored();
        const QString differs = difference(plan, paper->plan(snapshot));
        QVERIFY2(differs.isEmpty(), qPrintable(QString("round %1: %2").arg(round).arg(differs)));
      }
      QVERIFY(stored > 500);  // they are plans of something
    }
  }

  // Written without the common factor it is weighed with its frequency. With powers of two that is exact.
  void theSameMultipliedOutGivesItsPlans() {
    const auto ours = policy_of("formula(alpha*quality*frequency - ttft*frequency)");
    QVERIFY(!formula_of("alpha*quality*frequency - ttft*frequency")->scales_with_frequency());
    const auto paper = policy_of("evicpress");
    Random random(8);
    for (int round = 0; round < 200; ++round) {
      Snapshot snapshot = random_snapshot(random, shape_of(round));
      snapshot.alpha = std::exp2(std::round(std::log2(snapshot.alpha)));
      for (ContextState& context : snapshot.contexts)
        if (context.frequency > 0) context.frequency = std::exp2(std::round(std::log2(context.frequency)));
      const QString differs = difference(ours->plan(snapshot), paper->plan(snapshot));
      QVERIFY2(differs.isEmpty(), qPrintable(QString("round %1: %2").arg(round).arg(differs)));
    }
  }

  void stepsAndCurvesAreThoseOfEvicPress() {
    const auto ours = policy_of(std::string("formula(") + evicpress_utility + ")"), paper = policy_of("evicpress");
    Random random(9);
    for (int round = 0; round < 20; ++round) {
      const Snapshot snapshot = random_snapshot(random, {.contexts = 12, .tiers = 2});
      const auto requests = draw_requests(snapshot, 200, static_cast<std::uint64_t>(round));
      const SimulationResult a = simulate(snapshot, ours, requests), b = simulate(snapshot, paper, requests);
      QCOMPARE(a.totals.actions, b.totals.actions);
      QCOMPARE(a.totals.mean_utility, b.totals.mean_utility);
      QCOMPARE(a.totals.used_bytes, b.totals.used_bytes);
      for (std::size_t i = 0; i < a.requests.size(); ++i) QCOMPARE(a.requests[i].tier, b.requests[i].tier);
      const std::vector<double> alphas{0.01, 0.1, 1, 10};
      const auto curve = ours->curve(snapshot, alphas), expected = paper->curve(snapshot, alphas);
      QCOMPARE(curve.size(), alphas.size());
      for (std::size_t i = 0; i < alphas.size(); ++i) {
        QCOMPARE(curve[i].mean_quality, expected[i].mean_quality);
        QCOMPARE(curve[i].mean_ttft_seconds, expected[i].mean_ttft_seconds);
        QCOMPARE(curve[i].utility, expected[i].utility);
      }
    }
  }

  // One that does not scale with frequency keeps no plan between steps: each is as planned from scratch.
  void stepsOfAnyFormulaAreThoseOfPlansFromScratch() {
    for (const char* text : {"(alpha*quality - ttft)*ln(1+frequency)", "(alpha*quality - ttft)*frequency/bytes^0.5"}) {
      const auto policy = policy_of(std::string("formula(") + text + ")");
      Random random(10);
      PolicyState state{random_snapshot(random, {.contexts = 10, .tiers = 2})};
      for (ContextState& context : state.snapshot.contexts) context.archived = true;
      for (int step = 0; step < 60; ++step) {
        ContextState& context = state.snapshot.contexts[random.below(state.snapshot.contexts.size())];
        context.frequency = 1 + 10 * random.uniform();
        state.snapshot.alpha = 0.1 + random.uniform();
        const PolicyEvent event{PolicyEvent::Kind::settings_changed, context.key};
        const auto expected = policy->step(state, event).actions;
        const auto got = policy->advance(state, event).actions;
        QCOMPARE(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i) QVERIFY(got[i].to == expected[i].to);
      }
    }
  }

  void aFormulaReadsWhatIsDocumented_data() {
    QTest::addColumn<QString>("quantity");
    QTest::addColumn<double>("uncompressed");
    QTest::addColumn<double>("compressed");
    QTest::addColumn<double>("not_stored");
    QTest::newRow("alpha") << "alpha" << 2.0 << 2.0 << 2.0;
    QTest::newRow("quality") << "quality" << 0.75 << 0.5 << 0.75;
    QTest::newRow("ttft") << "ttft" << 0.125 + 4 + 0.25 << 0.125 + 2 + 0.25 << 0.5 + 1 + 0.25;
    QTest::newRow("frequency") << "frequency+0" << 3.0 << 3.0 << 3.0;
    QTest::newRow("bytes") << "bytes" << 4000.0 << 2000.0 << 4000.0;
    QTest::newRow("tokens") << "tokens" << 100.0 << 100.0 << 100.0;
    QTest::newRow("kept") << "kept" << 100.0 << 50.0 << 100.0;
    QTest::newRow("recompute") << "recompute" << 1.75 << 1.75 << 1.75;
    QTest::newRow("read") << "read" << 4.125 << 2.125 << 0.0;
    QTest::newRow("full_bytes") << "full_bytes" << 4000.0 << 4000.0 << 4000.0;
    QTest::newRow("full_quality") << "full_quality" << 0.75 << 0.75 << 0.75;
    QTest::newRow("stored") << "stored" << 1.0 << 1.0 << 0.0;
  }
  void aFormulaReadsWhatIsDocumented() {
    QFETCH(QString, quantity);
    QFETCH(double, uncompressed);
    QFETCH(double, compressed);
    QFETCH(double, not_stored);
    const auto formula = formula_of(quantity.toStdString());
    const auto all = alternatives(planted_snapshot(), 0, {}, QualityReading::pooled, formula.get());
    QCOMPARE(all.size(), std::size_t{3});
    QCOMPARE(all[0].utility, uncompressed);
    QCOMPARE(all[1].utility, compressed);
    QCOMPARE(all[2].utility, not_stored);
    // As planned: the one of the highest value, and of equal ones the smallest.
    const auto planned = policy_of("formula(" + quantity.toStdString() + ")")->plan(planted_snapshot()).contexts[0];
    const double highest = std::max({uncompressed, compressed, not_stored});
    QCOMPARE(planned.utility, highest);
    QCOMPARE(planned.configuration.stored(), highest > not_stored);
    const std::uint64_t bytes = highest == not_stored ? 0 : highest == compressed ? 2000 : 4000;
    QCOMPARE(planned.bytes, bytes);
  }
  void everyQuantityIsTested() {
    std::set<std::string_view> names;
    for (const QuantityInfo& info : quantities()) {
      QVERIFY(names.insert(info.name).second);
      QVERIFY(!info.unit.empty() && !info.meaning.empty());
      QVERIFY(formula_of(std::string(info.name))->uses(static_cast<Quantity>(names.size() - 1)));
    }
    QCOMPARE(names.size(), quantity_count);
  }

  void operatorsAndFunctionsMean_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("value");
    QTest::newRow("precedence") << "1+2*3^2" << 19.0;
    QTest::newRow("power from the right") << "2^3^2" << 512.0;
    QTest::newRow("minus") << "-2^2" << -4.0;
    QTest::newRow("comparison") << "(1<2)+(2>=2)+(3!=3)+(1==1)" << 3.0;
    QTest::newRow("choice") << "alpha>1 ? 10 : 20" << 10.0;
    QTest::newRow("and, or") << "(1&&0)+(1||0)" << 1.0;
    QTest::newRow("min, max") << "min(3,1,2)+max(3,1,2)" << 4.0;
    QTest::newRow("functions") << "abs(-2)+sqrt(9)+log2(8)+log10(100)+sign(-5)+rint(1.4)" << 2 + 3 + 3 + 2 - 1 + 1.0;
    QTest::newRow("natural") << "ln(exp(1.5))+tanh(0)" << 1.5;
    QTest::newRow("numbers") << "1e3+.5+2." << 1002.5;
  }
  void operatorsAndFunctionsMean() {
    QFETCH(QString, text);
    QFETCH(double, value);
    const auto formula = formula_of(text.toStdString());
    Formula::Evaluator evaluate(*formula);
    QuantityValues values;
    values[Quantity::alpha] = 2;
    QCOMPARE(evaluate(values), value);
  }

  void whatIsNoFormulaIsRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("near miss") << "alpha*qualty"
                               << "character 7: unknown name 'qualty'; did you mean 'quality'?";
    QTest::newRow("unknown") << "latency"
                             << "character 1: unknown name 'latency'; choose one of alpha";
    QTest::newRow("unknown function") << "1+pow(2,3)"
                                      << "character 3: unknown function 'pow'; choose one of min";
    QTest::newRow("function without arguments") << "min*2"
                                                << "function 'min' has no arguments";
    QTest::newRow("quantity called") << "quality(2)"
                                     << "'quality' is a quantity and takes no arguments";
    QTest::newRow("ends early") << "alpha*"
                                << "character 7: ends too early";
    QTest::newRow("operator alone") << "alpha*/2"
                                    << "character 7: operator '/' has no left side";
    QTest::newRow("open") << "(alpha*2"
                          << "a parenthesis is not closed";
    QTest::newRow("closed twice") << "alpha)"
                                  << "character 6: parenthesis ')' is not expected";
    QTest::newRow("two values") << "alpha 2"
                                << "not expected here: '2'";
    QTest::newRow("comma") << "alpha,2"
                           << "character 6: ',' stands outside of a function's arguments";
    QTest::newRow("assignment") << "alpha=2"
                                << "character 6: '=' is no operator";
    QTest::newRow("string") << "\"alpha\""
                            << "' is no operator";
    QTest::newRow("no else") << "alpha ? 2"
                             << "'?' without ':'";
    QTest::newRow("stray colon") << "alpha : 2"
                                 << "'?' or ':' is not expected";
    QTest::newRow("number and name") << "2quality"
                                     << "character 2: a number ends in 'q'";
    QTest::newRow("two points") << "1.2.3"
                                << "a number ends in '.'";
    QTest::newRow("too large") << "1e999"
                               << "'1e999' is beyond the range";
    QTest::newRow("arguments") << "sqrt(1,2)"
                               << "too many arguments of 'sqrt'";
    QTest::newRow("no arguments") << "min()"
                                  << "too few arguments of 'min'";
    QTest::newRow("empty") << "  "
                           << "is empty";
    QTest::newRow("long") << QString(501, '1') << "longer than 500 characters";
    QTest::newRow("deep") << QString(60, '(') + "1" + QString(60, ')') << "more than 50 parentheses are open";
    QTest::newRow("beyond ASCII") << QString::fromUtf8("alpha×quality") << "character 6: '";
  }
  void whatIsNoFormulaIsRefused() {
    QFETCH(QString, text);
    QFETCH(QString, mentions);
    const auto formula = Formula::compile(text.toStdString());
    QVERIFY(!formula.has_value());
    QCOMPARE(formula.error().code, ErrorCode::usage);
    const QString message = QString::fromStdString(formula.error().message);
    QVERIFY2(message.startsWith("policy 'formula', character ") && message.contains(mentions), qPrintable(message));
    QVERIFY(!message.contains('\n'));
  }

  // One grammar for all texts of policies: commas and parentheses of the formula, then options.
  void aPolicysTextHasTheFormula() {
    const auto policy = policy_of("formula(max(alpha*quality-ttft,0)*frequency,replan_requests=4,drop=per_byte)");
    QCOMPARE(policy->name(),
             std::string("formula(max(alpha*quality-ttft,0)*frequency,drop=per_byte,replan_requests=4)"));
    QVERIFY(policy->uses_alpha() && policy->is_planner());
    QCOMPARE(policy->utility_formula()->text(), std::string("max(alpha*quality-ttft,0)*frequency"));
    QCOMPARE(policy_of("formula(ttft<=1&&stored==1 ? quality : 0)")->name(),
             std::string("formula(ttft<=1&&stored==1 ? quality : 0)"));
    QVERIFY(!policy_of("formula(-ttft*frequency)")->uses_alpha());
    for (const char* text : {"formula", "formula()", "formula(drop=best)", "formula(quality,ttft)",
                             "formula(quality=2)", "formula(quality,drop=least)"})
      QVERIFY2(!make_policy(text).has_value(), text);
    // Spaces separate names and numbers of the formula, and mean nothing around options; places count in what was
    // given.
    const auto spaced = policy_of("formula( quality * 2 , drop = best)");
    QCOMPARE(spaced->name(), std::string("formula(quality * 2,drop=best)"));
    QCOMPARE(make_policy("formula(quality ttft)").error().message,
             std::string("policy 'formula', character 9: not expected here: 'ttft'; write an operator before it"));
    QVERIFY(make_policy("formula(alpha*quality*1 2)").error().message.find("not expected here: '2'") !=
            std::string::npos);
    QVERIFY(make_policy("formula(  alpha * qualty)").error().message.find("character 11: unknown name") !=
            std::string::npos);
    QCOMPARE(policy_of("fixed( adakv( snapkv ), 0.5)")->name(), std::string("fixed(adakv(snapkv),0.5)"));
    SessionSettings settings;
    settings.policy = policy->name();
    const auto read = session_settings_from_json(to_json(settings), "settings");
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QCOMPARE(read->policy, policy->name());
  }

  void frequencyIsRecognizedAsAFactor() {
    for (const char* text : {"frequency", "2*frequency", "(alpha*quality-ttft)*frequency/bytes^0.5",
                             "((frequency*quality))", "quality/2*frequency", "max(quality,ttft)*frequency"})
      QVERIFY2(formula_of(text)->scales_with_frequency(), text);
    for (const char* text :
         {"quality", "quality/frequency", "frequency^2", "2^frequency", "frequency*frequency", "quality+frequency",
          "quality*(frequency)", "sqrt(frequency)*frequency", "frequency>1 ? 2 : 3", "quality*frequency-ttft"})
      QVERIFY2(!formula_of(text)->scales_with_frequency(), text);
  }

  // A value that is not finite is the lowest; where all are, the context is not stored.
  void valuesThatAreNotFiniteAreTheLowest() {
    QCOMPARE(comparable_value(std::nan("")), -1e100);
    QCOMPARE(comparable_value(HUGE_VAL), -1e100);
    QCOMPARE(comparable_value(1e300), 1e99);
    const Snapshot snapshot = planted_snapshot();
    const auto planned = [&](const std::string& text) {
      return policy_of("formula(" + text + ")")->plan(snapshot).contexts[0];
    };
    QVERIFY(!planned("ln(quality-2)").configuration.stored());
    QCOMPARE(planned("1/(kept-100)").bytes, std::uint64_t{2000});  // infinite for the others, and -0.02 here
    QCOMPARE(planned("stored ? ln(kept-60) : 1/0").bytes, std::uint64_t{4000});
    const Plan plan = policy_of("formula(ln(quality-2)*frequency)")->plan(snapshot);
    QVERIFY(std::isfinite(plan.total_utility));
    // Alone it is chosen; for room it goes as the last.
    Random random(12);
    for (int round = 0; round < 200; ++round) {
      WorldShape shape = shape_of(round);
      shape.placed = false;
      const Snapshot drawn = random_snapshot(random, shape);
      const Plan tight = policy_of("formula(1/(0.75-quality)*frequency)")->plan(drawn);
      QVERIFY(keeps_budgets(tight, drawn));
    }
  }

  // The acceptance: an error, or a plan within the budgets.
  void anyTextIsRefusedOrPlansWithinBudgets() {
    Random random(13);
    int plans = 0, refusals = 0;
    for (int i = 0; i < 10'000; ++i) {
      std::string text = drawn_formula(random, static_cast<int>(random.below(5)));
      if (i % 2 == 1) text = mutated(std::move(text), random);
      static const std::vector<std::string> options{"", ",drop=per_byte", ",drop=best"};
      const auto policy = make_policy("formula(" + text + options[random.below(20) == 0 ? 2 : random.below(2)] + ")");
      if (!policy) {
        ++refusals;
        QCOMPARE(policy.error().code, ErrorCode::usage);
        continue;
      }
      ++plans;
      WorldShape shape = shape_of(i);
      shape.placed = false;
      const Snapshot snapshot = random_snapshot(random, shape);
      const Plan plan = (*policy)->plan(snapshot);
      QVERIFY2(keeps_budgets(plan, snapshot), text.c_str());
      QVERIFY2(std::isfinite(plan.total_utility) && std::isfinite(plan.mean_quality), text.c_str());
      QCOMPARE(make_policy((*policy)->name()).value()->name(), (*policy)->name());
    }
    QVERIFY2(plans > 4000 && refusals > 2000, qPrintable(QString("%1 plans, %2 refusals").arg(plans).arg(refusals)));
  }

  void threadsEvaluateOneFormula() {
    const auto formula = formula_of("alpha*quality+bytes");
    std::vector<int> wrong(8, 0);
    {
      std::vector<std::jthread> threads;
      for (std::size_t thread = 0; thread < wrong.size(); ++thread)
        threads.emplace_back([&, thread] {
          for (int round = 0; round < 50; ++round) {
            Formula::Evaluator evaluate(*formula);
            QuantityValues values;
            for (int i = 0; i < 200; ++i) {
              values[Quantity::alpha] = static_cast<double>(thread);
              values[Quantity::quality] = i;
              values[Quantity::bytes] = round;
              wrong[thread] += evaluate(values) != static_cast<double>(thread) * i + round;
            }
          }
        });
    }
    QCOMPARE(wrong, std::vector<int>(8, 0));
  }

  // Why here? names the formula and what it read; the rest is in its unit, and nothing is said to be linear in alpha.
  void aDecisionIsExplainedByTheFormula() {
    Snapshot snapshot = planted_snapshot();
    const auto policy = policy_of("formula((alpha*quality-ttft)*frequency/bytes^0.5)");
    const auto decision = decide(snapshot, *policy, 0);
    QVERIFY(decision && decision->formula);
    QVERIFY(!decision->above && !decision->below);
    // (2*0.75 - 1.75)*3/sqrt(4000) not stored against (2*0.5 - 2.375)*3/sqrt(2000): not stored is best.
    QVERIFY(!decision->choice().configuration.stored());
    QCOMPARE(decision->choice().utility, (2 * 0.75 - 1.75) * 3 / std::sqrt(4000.0));
    QCOMPARE(decision->formula->choice,
             std::string("alpha = 2, quality = 0.75, ttft = 1.75, frequency = 3, bytes = 4000"));
    const auto sentences = decision_text(snapshot, *decision);
    const auto says = [&](const std::string& part) {
      return std::ranges::any_of(sentences,
                                 [&](const std::string& one) { return one.find(part) != std::string::npos; });
    };
    QVERIFY(says("Utility is the formula (alpha*quality-ttft)*frequency/bytes^0.5. This choice: alpha = 2, "));
    QVERIFY(says(" less utility (") && !says(" s less utility ("));
    for (const UtilitySplit& split : split_utilities(*decision)) {
      QVERIFY(split.formula_term.has_value());
      QCOMPARE(split.own(), split.alternative.utility);
    }
    QVERIFY(decide(snapshot, *policy_of("evicpress"), 0)->formula == std::nullopt);
    // Between two alphas, changes are the formula's: -1.75 not stored, and 50 - 2.375 compressed.
    const auto moves = moves_between(snapshot, *policy_of("formula(stored*alpha-ttft)"), 0.1, 50);
    QVERIFY(moves && moves->moves.size() == 1);
    QCOMPARE(moves->moves[0].to.method, std::string("m0"));
    QCOMPARE(moves->moves[0].utility_change, 49.375);
  }
};

KV_TEST_GUILESS_MAIN(FormulaTest)

}  // namespace formula_test

#include "formula_test.moc"
