// A planted world for the schedule of anytime profiling: contexts of families, whose curves fall where the family's
// knee of the method is; every question's score is drawn once.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/policy/types.h"
#include "core/quality/schedule/racing_schedule.h"

namespace kvantage::test {

struct PlantedShape {
  std::size_t families = 9, similar = 2, methods = 4;
  int questions = 12;
  std::vector<double> fractions{0.2, 0.4, 0.6, 0.8, 0.9};
  double alpha = 0.3;
};

struct PlantedGrid {
  std::vector<GridForm> forms{{"none", 0}};
  std::vector<GridContext> contexts;
  Snapshot live;
  std::vector<std::vector<double>> truth;                // [context][form]
  std::vector<std::vector<std::vector<double>>> scores;  // [context][form][question]

  PlantedGrid(std::uint64_t seed, const PlantedShape& shape) {
    Random random(seed);
    for (std::size_t m = 0; m < shape.methods; ++m)
      for (const double fraction : shape.fractions) forms.push_back({method(m), fraction});
    std::uint64_t total = 0;
    for (std::size_t family = 0; family < shape.families; ++family) {
      // The first method keeps its quality longest, as one does on most texts.
      std::vector<double> knees;
      for (std::size_t m = 0; m < shape.methods; ++m)
        knees.push_back(m == 0 ? 0.65 + 0.4 * random.uniform() : 0.15 + 0.5 * random.uniform());
      const double whole = 0.85 + 0.15 * random.uniform();
      for (std::size_t i = 0; i < shape.similar; ++i) {
        add_context("f" + std::to_string(family), whole, knees, shape.questions, random);
        total += live.contexts.back().full_bytes;
      }
    }
    live.alpha = shape.alpha;
    live.prefill = {0.01, 3e-4, 0};
    live.question = {0.002, 1e-7};
    live.tiers = {{.name = "dram", .budget_bytes = total / 8, .model = {0.0002, 5.4e8, 0, 0}},
                  {.name = "ssd", .budget_bytes = total * 3 / 10, .model = {0.001, 1.8e8, 0, 0}}};
  }

  static std::string method(std::size_t index) { return std::string("m").append(std::to_string(index)); }

  MeasuredGrid nothing_measured() const { return {forms, contexts}; }
  void measure(MeasuredGrid& grid, std::size_t context, const CellRequest& cell) const {
    const std::vector<double>& all = scores[context][cell.form];
    CellAnswers answers = answers_of(std::span(all).first(static_cast<std::size_t>(cell.first + cell.count)));
    answers.kept_tokens = kept_tokens(context, cell.form);
    answers.bytes = static_cast<std::uint64_t>(answers.kept_tokens) * bytes_a_token;
    grid.cell(context, cell.form) = answers;
  }
  MeasuredGrid fully_measured() const {
    MeasuredGrid grid = nothing_measured();
    for (std::size_t c = 0; c < contexts.size(); ++c)
      for (std::size_t f = 0; f < forms.size(); ++f) measure(grid, c, {f, 0, contexts[c].questions});
    return grid;
  }
  /// The snapshot with what is true of every form.
  Snapshot true_snapshot() const {
    Snapshot told = live;
    for (std::size_t c = 0; c < contexts.size(); ++c) {
      auto profile = std::make_shared<ContextProfile>();
      for (std::size_t f = 0; f < forms.size(); ++f) {
        const double quality = truth[c][f];
        profile->points.push_back({forms[f].method, forms[f].removed_fraction, quality, quality, quality, 1,
                                   static_cast<std::uint64_t>(kept_tokens(c, f)) * bytes_a_token, kept_tokens(c, f)});
      }
      told.contexts[c].profile = profile;
      told.contexts[c].archived = true;
    }
    return told;
  }
  /// Of a plan's placements, by what is true.
  double true_utility(const Plan& plan) const {
    double sum = 0;
    for (std::size_t c = 0; c < contexts.size(); ++c) {
      const PlannedContext& planned = plan.contexts[c];
      std::size_t form = 0;
      while (planned.configuration.stored() &&
             !(forms[form].method == planned.configuration.method &&
               std::fabs(forms[form].removed_fraction - planned.configuration.removed_fraction) < 1e-9))
        ++form;
      sum += (live.alpha * truth[c][form] - planned.ttft_seconds) * live.contexts[c].frequency;
    }
    return sum;
  }

 private:
  static constexpr std::uint64_t bytes_a_token = 3000;

  int kept_tokens(std::size_t context, std::size_t form) const {
    return static_cast<int>(std::lround(live.contexts[context].tokens * (1 - forms[form].removed_fraction)));
  }
  void add_context(const std::string& family, double whole, const std::vector<double>& knees, int questions,
                   Random& random) {
    ContextState context;
    context.key = {live.contexts.size(), 1};
    context.id = std::string("c").append(std::to_string(live.contexts.size()));
    context.family = family;
    context.tokens = 800 + 10 * static_cast<int>(random.below(40));
    context.full_bytes = static_cast<std::uint64_t>(context.tokens) * bytes_a_token;
    context.frequency = 1;
    live.contexts.push_back(context);
    contexts.push_back({family, context.tokens, questions});
    truth.emplace_back();
    scores.emplace_back();
    for (const GridForm& form : forms) {
      double quality = whole;
      if (form.method != "none") {
        const double knee = knees[static_cast<std::size_t>(form.method[1] - '0')];
        quality = whole / (1 + std::exp((form.removed_fraction - knee) / 0.12));
      }
      truth.back().push_back(quality);
      std::vector<double> drawn;
      for (int q = 0; q < questions; ++q) drawn.push_back(random.uniform() < quality ? 1 : 0);
      scores.back().push_back(std::move(drawn));
    }
  }
};

}  // namespace kvantage::test
