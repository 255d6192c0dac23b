// What is measured so far of a grid of cells: every context under every form (method and removed fraction), on some or
// all of its profile questions. Scores are from 0 to 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kvantage::inline schedule {

struct GridForm {
  std::string method = "none";
  double removed_fraction = 0;
  bool operator==(const GridForm&) const = default;
};

struct GridContext {
  std::string family;
  int tokens = 0;
  int questions = 0;  // of its profile
};

/// Answers to one cell.
struct CellAnswers {
  int n = 0;  // the first n profile questions
  double sum = 0, squares = 0;
  std::uint64_t bytes = 0;  // of the form's entry; 0: never made
  int kept_tokens = 0;
  double first = 0;  // score of the first question
  double mean() const { return n > 0 ? sum / n : 0; }
};
CellAnswers answers_of(std::span<const double> scores);

class MeasuredGrid {
 public:
  /// forms[0] is ("none", 0); those of one method stand together, ascending by removed fraction.
  MeasuredGrid(std::vector<GridForm> forms, std::vector<GridContext> contexts);

  const std::vector<GridForm>& forms() const { return forms_; }
  const std::vector<GridContext>& contexts() const { return contexts_; }
  /// The place of a form; forms().size() where the grid has it not.
  std::size_t form_of(const std::string& method, double removed_fraction) const;
  CellAnswers& cell(std::size_t context, std::size_t form) { return cells_[context * forms_.size() + form]; }
  const CellAnswers& cell(std::size_t context, std::size_t form) const {
    return cells_[context * forms_.size() + form];
  }
  /// Whether all profile questions of the context were asked on the form.
  bool exhausted(std::size_t context, std::size_t form) const {
    return cell(context, form).n >= contexts_[context].questions;
  }
  /// Contexts with the same number are similar: of one family, and of lengths that round to the same power of two.
  std::size_t group(std::size_t context) const { return groups_[context]; }
  std::size_t groups() const { return group_count_; }

  std::size_t answers() const;
  /// Of the full grid: every cell on every question.
  std::size_t full_answers() const;

 private:
  std::vector<GridForm> forms_;
  std::vector<GridContext> contexts_;
  std::vector<std::size_t> groups_;
  std::size_t group_count_ = 0;
  std::vector<CellAnswers> cells_;
};

}  // namespace kvantage::inline schedule
