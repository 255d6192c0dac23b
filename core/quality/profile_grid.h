// The measurement plan of one context's profile: the questions for each compressed form, their order, and the scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/compress/scorers/observation.h"
#include "core/ports/stores.h"
#include "core/runtime/catalog.h"

namespace kvantage::inline quality {

/// Profile questions [first, first + count) of a context on one form.
struct ScheduledCell {
  std::string method = "none";
  double removed_fraction = 0;
  int first = 0, count = 0;
};

struct ProfilePlan {
  std::vector<std::string> methods;       // text forms; "none" is always first
  std::vector<double> removed_fractions;  // without 0
  std::string quality_metric = "token_f1";
  int max_answer_tokens = 48;
  std::size_t questions = 0;            // maximum per context; 0: all profile questions
  bool reference_answers = true;        // also answer the held-out questions with the uncompressed cache
  std::vector<std::size_t> asked = {};  // indices of questions to score instead of the profile questions
  /// Earlier cells of the same context. If given, the best methods are measured first, and a method's smaller forms are
  /// skipped once a larger one lost half of the quality or is far below another method at its size. A skipped form
  /// keeps its bytes, has n = 0 and at most the quality of the last measured one.
  std::vector<ProfileCell> before = {};
  /// If given, only these cells are measured, in place of methods, fractions and questions above. ("none", 0) always
  /// has a cell, which may be empty: n = 0. Metrics of predictions ask for the full-cache answers that they lack.
  std::vector<ScheduledCell> cells = {};
};

class ProfileGrid {
 public:
  struct Asked {
    std::size_t question = 0;  // index in the context's questions
    bool reference = false;    // its uncompressed answer becomes the reference
    bool scored = true;        // counts for the cell's quality
  };
  /// The questions of one cell. The last group may have no cell: it measures chance, without the context.
  struct Group {
    std::size_t cell = 0;
    bool chance = false;
    std::vector<Asked> asked;
  };

  /// with_chance: adds a last group that is scored without the context.
  ProfileGrid(const ContextFacts& facts, const ContextDetails& details, ProfilePlan plan, bool with_chance);

  /// Observations that all methods of the plan need.
  const ObservationNeeds& needs() const { return needs_; }
  bool done() const { return group_ == groups_.size(); }
  /// Until done(): the current questions and form.
  const Group& group() const { return groups_[group_]; }
  /// The group that comes so many after the current one; null: there is none. Valid until leave_out_method().
  const Group* ahead(std::size_t groups) const;
  /// Whether groups follow each other whatever is measured, so that several can be measured together.
  bool is_fixed() const { return plan_.before.empty(); }
  ProfilePoint& point(std::size_t groups_ahead = 0) { return cells_[groups_[group_ + groups_ahead].cell].point; }
  /// Adds the score of a question of the group: the cell's, or one of chance.
  void add_score(double score);
  /// Advances to the next group, skipping forms that need no measurement.
  void finish_group();
  /// Drops the forms of a group's method from that group on, and their cells: it cannot score the context.
  void leave_out_method(std::size_t groups_ahead = 0);

  /// After done(): one cell per method and removed fraction that was not left out, ("none", 0) first.
  std::vector<ProfileCell> take_cells();
  const std::vector<double>& chance_scores() const { return chance_scores_; }
  /// Measured forms so far, "none" included.
  std::size_t asked_forms() const { return asked_forms_; }

 private:
  void add_cells(const ContextFacts& facts);
  void add_groups(const ContextDetails& details);
  void add_scheduled_groups(const ContextDetails& details, bool with_references);
  void pass_over_smaller_forms();

  ProfilePlan plan_;
  ObservationNeeds needs_;
  std::vector<ProfileCell> cells_;
  std::vector<Group> groups_;
  std::set<std::size_t> passed_over_;  // cells
  std::set<std::size_t> left_out_;     // cells
  std::size_t group_ = 0;
  std::size_t asked_forms_ = 0;
  std::vector<double> chance_scores_;
};

/// Quality curve of the cells with bootstrap intervals, for policies.
ContextProfile profile_of(std::span<const ProfileCell> cells);

}  // namespace kvantage::inline quality
