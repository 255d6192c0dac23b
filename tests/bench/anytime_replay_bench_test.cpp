// links: core_quality_schedule
// What the plan of anytime profiling loses against that of the full grid: the race replayed on the scores of a stored
// profile, whose means over all questions count as what is true, at a fifth of the answers and where it ends by itself.
// Alpha, candidates, budgets and throttles are those of the workload's session.json; prefill and questions take what
// the workload's costs in tests/goldens/frozen say. One run for each of 10 orders of the questions. Asserted: no more
// than a fifth is asked, and half of what planning gains is found; with --bounds, that the mean loss is at most 1 %.
//     KVANTAGE_ANYTIME_PROFILE=FILE KVANTAGE_ANYTIME_WORKLOAD=NAME bench_tests anytime_replay_bench_test [--bounds]
// FILE is one of `profile --grid full --export`, NAME the sample workload that it is of; without them the quick start.
#include <QtTest>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/policy/policy.h"
#include "core/quality/schedule/racing_schedule.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace anytime_replay_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr double max_loss = 0.01;  // of the full grid's utility, at a fifth of its answers
bool bounds = false;

struct StoredCell {
  std::vector<double> scores;
  std::uint64_t bytes = 0;
  int kept_tokens = 0;
};

Json json_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in.is_open()) qFatal("%s cannot be read", path.c_str());
  return Json::parse(in);
}

/// The first snapshot of the run that holds a workload's costs.
Json stored_costs(const std::string& workload) {
  const auto path = source_directory() / "tests" / "goldens" / "frozen" / (workload + ".run");
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (Json event = Json::parse(line); event.value("type", "") == "snapshot.taken") return event.at("data");
  qFatal("%s has no costs", path.c_str());
}

/// Alpha and tiers as a session of the workload has them; loads take what their throttles say.
Snapshot session_of(const std::string& workload, const Json& session) {
  Snapshot live;
  live.alpha = session.at("alpha").get<double>();
  for (const Json& tier : session.at("tiers"))
    live.tiers.push_back({.name = tier.at("name").get<std::string>(),
                          .budget_bytes = tier.at("budget_bytes").get<std::uint64_t>(),
                          .model = {tier.at("shaped_latency_seconds").get<double>(),
                                    tier.at("shaped_bytes_per_second").get<double>(), 0, 0},
                          .throttled = true});
  const Json costs = stored_costs(workload);
  const Json &prefill = costs.at("prefill"), &question = costs.at("question");
  live.prefill = {prefill.at("base_seconds").get<double>(), prefill.at("seconds_per_token").get<double>(),
                  prefill.at("seconds_per_token_squared").get<double>()};
  live.question = {question.at("base_seconds").get<double>(), question.at("seconds_per_kept_token").get<double>()};
  return live;
}

/// A stored profile, with the candidates of its workload's session.
struct StoredProfile {
  std::vector<GridForm> forms{{"none", 0}};
  std::vector<GridContext> contexts;
  Snapshot live;
  std::vector<std::vector<StoredCell>> cells;  // [context][form]

  StoredProfile(const Json& file, const std::string& workload, const Json& session)
      : live(session_of(workload, session)) {
    const auto methods = session.at("methods").get<std::vector<std::string>>();
    const auto fractions_given = session.at("removed_fractions").get<std::vector<double>>();
    const auto is_candidate = [&](const std::string& method, double fraction) {
      return std::ranges::find(methods, method) != methods.end() &&
             (fraction == 0 || std::ranges::find(fractions_given, fraction) != fractions_given.end());
    };
    std::map<std::string, std::map<double, int>> curves;  // fractions by method
    std::map<std::string, std::vector<const Json*>> by_context;
    for (const Json& cell : file.at("cells")) {
      const Json& point = cell.at("point");
      by_context[cell.at("context_id").get<std::string>()].push_back(&cell);
      const auto method = point.at("method").get<std::string>();
      const double fraction = point.at("removed_fraction").get<double>();
      if (is_candidate(method, fraction)) ++curves[method][fraction];
    }
    for (const auto& [method, fractions] : curves)
      for (const auto& [fraction, count] : fractions) forms.push_back({method, fraction});
    const MeasuredGrid places(forms, {});
    for (const auto& [id, of_one] : by_context) {
      ContextState context;
      context.key = {contexts.size(), 1};
      context.id = id;
      context.family = of_one.front()->at("family").get<std::string>();
      context.frequency = 1;
      std::vector<StoredCell> row(forms.size());
      for (const Json* cell : of_one) {
        const Json& point = cell->at("point");
        const std::size_t form =
            places.form_of(point.at("method").get<std::string>(), point.at("removed_fraction").get<double>());
        if (form == forms.size()) continue;  // no candidate of this session
        row[form] = {cell->at("scores").get<std::vector<double>>(), point.at("bytes").get<std::uint64_t>(),
                     point.at("kept_tokens").get<int>()};
      }
      context.tokens = row.front().kept_tokens;
      context.full_bytes = row.front().bytes;
      contexts.push_back({context.family, context.tokens, static_cast<int>(row.front().scores.size())});
      live.contexts.push_back(context);
      cells.push_back(std::move(row));
    }
  }

  void measure(MeasuredGrid& grid, std::size_t context, const CellRequest& cell,
               const std::vector<std::size_t>& order) const {
    const StoredCell& stored = cells[context][cell.form];
    std::vector<double> scores;
    for (int q = 0; q < cell.first + cell.count; ++q)
      scores.push_back(stored.scores[order[static_cast<std::size_t>(q)]]);
    CellAnswers answers = answers_of(scores);
    answers.bytes = stored.bytes;
    answers.kept_tokens = stored.kept_tokens;
    grid.cell(context, cell.form) = answers;
  }
  double utility(const Plan& plan, const MeasuredGrid& full) const {
    double sum = 0;
    for (std::size_t c = 0; c < contexts.size(); ++c) {
      const Configuration& placed = plan.contexts[c].configuration;
      const std::size_t form = placed.stored() ? full.form_of(placed.method, placed.removed_fraction) : 0;
      sum += live.alpha * full.cell(c, form).mean() - plan.contexts[c].ttft_seconds;
    }
    return sum;
  }
};

using Orders = std::vector<std::vector<std::size_t>>;  // of the questions, by context

Orders drawn_orders(const StoredProfile& stored, std::uint64_t seed) {
  Random random(derive_seed(5, seed));
  Orders orders;
  for (const GridContext& context : stored.contexts) {
    orders.emplace_back(static_cast<std::size_t>(context.questions));
    std::iota(orders.back().begin(), orders.back().end(), std::size_t{0});
    random.shuffle(std::span(orders.back()));
  }
  return orders;
}

MeasuredGrid full_grid(const StoredProfile& stored, const Orders& orders) {
  MeasuredGrid full(stored.forms, stored.contexts);
  for (std::size_t c = 0; c < stored.contexts.size(); ++c)
    for (std::size_t f = 0; f < stored.forms.size(); ++f)
      stored.measure(full, c, {f, 0, stored.contexts[c].questions}, orders[c]);
  return full;
}

struct Raced {
  MeasuredGrid grid;
  bool is_good_enough = false;
};

/// Until nothing is left that is worth it by the rules, at most so many answers.
Raced race(const StoredProfile& stored, const Orders& orders, const RacingRules& rules, std::size_t most) {
  Raced raced{MeasuredGrid(stored.forms, stored.contexts)};
  std::optional<RaceState> start;
  for (;;) {
    const ProfileSchedule schedule = racing_schedule(stored.live, raced.grid, GridBeliefs(raced.grid), rules, start);
    if (schedule.start) start = schedule.start;
    raced.is_good_enough = schedule.state.is_good_enough;
    if (schedule.batches.empty()) return raced;
    const ProfileBatch& batch = schedule.batches.front();
    if (raced.grid.answers() + static_cast<std::size_t>(batch.answers()) > most) return raced;
    for (const CellRequest& cell : batch.cells) stored.measure(raced.grid, batch.context, cell, orders[batch.context]);
  }
}

double utility_of(const StoredProfile& stored, const MeasuredGrid& planned_by, const MeasuredGrid& full) {
  const auto policy = make_policy("evicpress").value();
  return stored.utility(policy->plan(grid_snapshot(stored.live, planned_by, GridBeliefs(planned_by))), full);
}

double utility_of_nothing(const StoredProfile& stored, const MeasuredGrid& full) {
  double sum = 0;
  for (std::size_t c = 0; c < stored.contexts.size(); ++c)
    sum += stored.live.alpha * full.cell(c, 0).mean() - stored.live.prefill.seconds(stored.contexts[c].tokens) -
           stored.live.question.seconds(stored.contexts[c].tokens);
  return sum;
}

}  // namespace

class AnytimeReplayBench : public QObject {
  Q_OBJECT

  static constexpr int seeds = 10;
  std::optional<StoredProfile> stored_;

 private slots:
  void initTestCase() {
    const char *profile = std::getenv("KVANTAGE_ANYTIME_PROFILE"), *named = std::getenv("KVANTAGE_ANYTIME_WORKLOAD");
    const std::string workload = named != nullptr ? named : "quickstart";
    const auto file = profile != nullptr ? std::filesystem::path(profile)
                                         : source_directory() / "resources" / "profiles" / (workload + ".profile.json");
    stored_.emplace(json_of(file), workload,
                    json_of(source_directory() / "sample_workloads" / workload / "session.json"));
  }

  void lossAtAFifthOfTheAnswers() {
    double losses = 0, worst = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const Orders orders = drawn_orders(*stored_, seed);
      const MeasuredGrid full = full_grid(*stored_, orders);
      const std::size_t most = full.full_answers() / 5;
      const MeasuredGrid grid = race(*stored_, orders, {.good_enough = 0}, most).grid;
      QVERIFY(grid.answers() <= most);
      const double of_full = utility_of(*stored_, full, full), raced = utility_of(*stored_, grid, full);
      const double nothing = utility_of_nothing(*stored_, full);
      QVERIFY(raced - nothing >= 0.5 * (of_full - nothing));
      const double loss = (of_full - raced) / std::fabs(of_full);
      losses += loss;
      worst = std::max(worst, loss);
      std::printf("seed %d: %zu of %zu answers, utility %.4f of the full grid's %.4f\n", static_cast<int>(seed),
                  grid.answers(), full.full_answers(), raced, of_full);
    }
    std::printf("mean loss %.2f %%, worst %.2f %%\n", 100 * losses / seeds, 100 * worst);
    std::fflush(stdout);
    if (bounds) QVERIFY2(losses / seeds <= max_loss, qPrintable(QString::number(losses / seeds)));
  }

  // Where the race ends by the product's own rule.
  void answersUntilGoodEnough() {
    const RacingRules rules;
    std::vector<double> shares;
    double losses = 0;
    int ended = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const Orders orders = drawn_orders(*stored_, seed);
      const MeasuredGrid full = full_grid(*stored_, orders);
      const Raced raced = race(*stored_, orders, rules, full.full_answers());
      ended += raced.is_good_enough ? 1 : 0;
      shares.push_back(static_cast<double>(raced.grid.answers()) / static_cast<double>(full.full_answers()));
      const double of_full = utility_of(*stored_, full, full);
      losses += (of_full - utility_of(*stored_, raced.grid, full)) / std::fabs(of_full);
    }
    std::ranges::sort(shares);
    std::printf(
        "good enough (%.1f %%) in %d of %d: after %.1f %% of the answers (median; %.1f to %.1f), mean loss %.2f %%\n",
        100 * rules.good_enough, ended, seeds, 100 * shares[shares.size() / 2], 100 * shares.front(),
        100 * shares.back(), 100 * losses / seeds);
    QCOMPARE(ended, seeds);  // at the latest once every question was asked
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i)
    if (std::strcmp(argv[i], "--bounds") == 0)
      bounds = true;
    else
      others.push_back(argv[i]);
  int count = static_cast<int>(others.size());
  QCoreApplication application(count, others.data());
  AnytimeReplayBench bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace anytime_replay_bench_test

#include "anytime_replay_bench_test.moc"
