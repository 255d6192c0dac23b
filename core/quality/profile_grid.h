// What a profile of one context asks: which questions on which compressed forms, in which order, and what they scored.
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

struct ProfilePlan {
  std::vector<std::string> methods;       // text forms; "none" is always measured first
  std::vector<double> removed_fractions;  // without 0
  std::string quality_metric = "token_f1";
  int max_answer_tokens = 48;
  std::size_t questions = 0;            // at most so many per context; 0: all profile questions
  bool reference_answers = true;        // also answer the held-out questions with the uncompressed cache
  std::vector<std::size_t> asked = {};  // score these, by index, instead of the profile questions
  /// Cells of before, of the same context. Where they are given, the methods that did best are asked first, and a
  /// method's smaller forms are passed over where a larger one lost half of the answers or far more than another method
  /// at its size. A form passed over keeps its bytes, counts no questions (n = 0) and has at the most the quality of
  /// the last one asked.
  std::vector<ProfileCell> before = {};
};

class ProfileGrid {
 public:
  struct Asked {
    std::size_t question = 0;  // index into the context's questions
    bool reference = false;    // uncompressed answer, kept as the reference
    bool scored = true;        // enters the cell's quality
  };
  /// The questions of a cell; the last group has no cell where it is about what they tell without the context.
  struct Group {
    std::size_t cell = 0;
    bool chance = false;
    std::vector<Asked> asked;
  };

  /// with_chance: a last group asks what is scored without the context.
  ProfileGrid(const ContextState& state, const ContextDetails& details, ProfilePlan plan, bool with_chance);

  /// What all methods of the plan need observed.
  const ObservationNeeds& needs() const { return needs_; }
  bool done() const { return group_ == groups_.size(); }
  /// Until done(): what is asked now, and on which form.
  const Group& group() const { return groups_[group_]; }
  ProfilePoint& point() { return cells_[group().cell].point; }
  /// A scored question of the group: the cell's, or one of chance.
  void add_score(double score);
  /// The next group, past the forms that need not be asked.
  void finish_group();

  /// After done(): one cell per method and removed fraction, ("none", 0) first.
  std::vector<ProfileCell> take_cells();
  const std::vector<double>& chance_scores() const { return chance_scores_; }
  /// Forms that were asked so far, "none" among them.
  std::size_t asked_forms() const { return asked_forms_; }

 private:
  void add_cells(const ContextState& state);
  void add_groups(const ContextDetails& details, bool with_chance);
  void pass_over_smaller_forms();

  ProfilePlan plan_;
  ObservationNeeds needs_;
  std::vector<ProfileCell> cells_;
  std::vector<Group> groups_;
  std::set<std::size_t> passed_over_;  // cells
  std::size_t group_ = 0;
  std::size_t asked_forms_ = 0;
  std::vector<double> chance_scores_;
};

/// Quality curve of cells, with bootstrap intervals, as policies read it.
ContextProfile profile_of(std::span<const ProfileCell> cells);

}  // namespace kvantage::inline quality
