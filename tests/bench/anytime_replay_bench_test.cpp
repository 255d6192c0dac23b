// links: core_quality_schedule
// What the plan of anytime profiling loses against that of the full grid, at a fifth of the answers: the race replayed
// on the scores of a stored profile, whose means over all questions count as what is true. One run for each of 10
// orders of the questions. Asserted: no more than a fifth is asked, and half of what planning gains is found.
//     KVANTAGE_ANYTIME_PROFILE=FILE bench_tests anytime_replay_bench_test      of `profile --export`
#include <QtTest>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <span>

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

struct StoredCell {
  std::vector<double> scores;
  std::uint64_t bytes = 0;
  int kept_tokens = 0;
};

/// A stored profile, its contexts on two tiers that hold a third of them.
struct StoredProfile {
  std::vector<GridForm> forms{{"none", 0}};
  std::vector<GridContext> contexts;
  Snapshot live;
  std::vector<std::vector<StoredCell>> cells;  // [context][form]

  explicit StoredProfile(const Json& file) {
    std::map<std::string, std::map<double, int>> curves;  // fractions by method
    std::map<std::string, std::vector<const Json*>> by_context;
    for (const Json& cell : file.at("cells")) {
      const Json& point = cell.at("point");
      by_context[cell.at("context_id").get<std::string>()].push_back(&cell);
      if (point.at("method") != "none")
        ++curves[point.at("method").get<std::string>()][point.at("removed_fraction").get<double>()];
    }
    for (const auto& [method, fractions] : curves)
      for (const auto& [fraction, count] : fractions) forms.push_back({method, fraction});
    const MeasuredGrid places(forms, {});
    std::uint64_t total = 0;
    for (const auto& [id, of_one] : by_context) {
      ContextState context;
      context.key = {contexts.size(), 1};
      context.id = id;
      context.family = of_one.front()->at("family").get<std::string>();
      context.frequency = 1;
      std::vector<StoredCell> row(forms.size());
      for (const Json* cell : of_one) {
        const Json& point = cell->at("point");
        StoredCell& at =
            row[places.form_of(point.at("method").get<std::string>(), point.at("removed_fraction").get<double>())];
        at = {cell->at("scores").get<std::vector<double>>(), point.at("bytes").get<std::uint64_t>(),
              point.at("kept_tokens").get<int>()};
      }
      context.tokens = row.front().kept_tokens;
      context.full_bytes = row.front().bytes;
      total += context.full_bytes;
      contexts.push_back({context.family, context.tokens, static_cast<int>(row.front().scores.size())});
      live.contexts.push_back(context);
      cells.push_back(std::move(row));
    }
    live.alpha = 0.3;
    live.prefill = {0.01, 3e-4, 0};
    live.question = {0.002, 1e-7};
    live.tiers = {{.name = "dram", .budget_bytes = total / 10, .model = {0.0002, 5.4e8, 0, 0}},
                  {.name = "ssd", .budget_bytes = total / 4, .model = {0.001, 1.8e8, 0, 0}}};
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

}  // namespace

class AnytimeReplayBench : public QObject {
  Q_OBJECT

 private slots:
  void lossAtAFifthOfTheAnswers() {
    const char* given = std::getenv("KVANTAGE_ANYTIME_PROFILE");
    const auto file = given != nullptr ? std::filesystem::path(given)
                                       : source_directory() / "resources" / "profiles" / "quickstart.profile.json";
    std::ifstream in(file);
    QVERIFY2(in.is_open(), file.c_str());
    const StoredProfile stored(Json::parse(in));
    const auto policy = make_policy("evicpress").value();
    const auto planned = [&](const MeasuredGrid& grid) {
      return policy->plan(grid_snapshot(stored.live, grid, GridBeliefs(grid)));
    };
    double losses = 0, worst = 0;
    constexpr int seeds = 10;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      Random random(derive_seed(5, seed));
      std::vector<std::vector<std::size_t>> orders;
      for (const GridContext& context : stored.contexts) {
        orders.emplace_back(static_cast<std::size_t>(context.questions));
        std::iota(orders.back().begin(), orders.back().end(), std::size_t{0});
        random.shuffle(std::span(orders.back()));
      }
      MeasuredGrid full(stored.forms, stored.contexts), grid = full;
      for (std::size_t c = 0; c < stored.contexts.size(); ++c)
        for (std::size_t f = 0; f < stored.forms.size(); ++f)
          stored.measure(full, c, {f, 0, stored.contexts[c].questions}, orders[c]);
      const std::size_t most = full.full_answers() / 5;
      for (;;) {
        const ProfileSchedule schedule = racing_schedule(stored.live, grid, GridBeliefs(grid), {.good_enough = 0});
        if (schedule.batches.empty()) break;
        const ProfileBatch& batch = schedule.batches.front();
        if (grid.answers() + static_cast<std::size_t>(batch.answers()) > most) break;
        for (const CellRequest& cell : batch.cells) stored.measure(grid, batch.context, cell, orders[batch.context]);
      }
      QVERIFY(grid.answers() <= most);
      const double of_full = stored.utility(planned(full), full), raced = stored.utility(planned(grid), full);
      double nothing = 0;
      for (std::size_t c = 0; c < stored.contexts.size(); ++c)
        nothing += stored.live.alpha * full.cell(c, 0).mean() - stored.live.prefill.seconds(stored.contexts[c].tokens) -
                   stored.live.question.seconds(stored.contexts[c].tokens);
      QVERIFY(raced - nothing >= 0.5 * (of_full - nothing));
      const double loss = (of_full - raced) / std::fabs(of_full);
      losses += loss;
      worst = std::max(worst, loss);
      std::printf("seed %d: %zu of %zu answers, utility %.4f of the full grid's %.4f\n", static_cast<int>(seed),
                  grid.answers(), full.full_answers(), raced, of_full);
    }
    std::printf("mean loss %.2f %%, worst %.2f %%\n", 100 * losses / seeds, 100 * worst);
  }
};

KV_TEST_APPLESS_MAIN(AnytimeReplayBench)

}  // namespace anytime_replay_bench_test

#include "anytime_replay_bench_test.moc"
