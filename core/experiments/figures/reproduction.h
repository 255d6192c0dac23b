// The figures of all papers in one folder: each figure's results as JSON, text, CSV and pictures, the machine and
// program that made them, and pages that say how each claim of the papers came out. A figure that is there already is
// not made again, so that an interrupted reproduction continues where it was.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/experiments/claims.h"
#include "core/experiments/paper_figures.h"
#include "core/report/figure.h"
#include "core/workload/presets.h"

namespace kvantage::inline figures {

/// What one command made: one figure, or several from the same runs.
struct MadeFigure {
  std::string name;       // as asked for: "evicpress/runs"
  std::string command;    // that makes it again
  std::string begun;      // UTC, "2026-11-28 17:25"
  std::string program{};  // that made it; empty: that of the folder
  double seconds = 0;     // it took
  std::string trouble{};  // why there are no results, in one line; empty: there are
  std::vector<FigureResult> results{};
};

/// What a folder of a reproduction has, in the order of the papers; nothing is changed. rejected_input: it is none.
/// Errors of reading.
Expected<std::vector<MadeFigure>> made_figures(const std::filesystem::path& folder);

/// Writes the plot of one table of a result as an SVG file.
using DrawFigure =
    std::function<Status(const FigureResult& result, std::size_t table, const std::filesystem::path& file)>;

class Reproduction {
 public:
  /// `about`: program, hardware, and the options quick, brief, model and gpu; "model name" is the model as commands
  /// name it, if not by its path. rejected_input: the folder holds a part of a reproduction by another machine or of
  /// another kind, or, unless `any_program`, by another program, or files that are none. Errors of reading and writing.
  /// Without `draw` there are no pictures.
  static Expected<Reproduction> open(const std::filesystem::path& folder, const Json& about, DrawFigure draw = {},
                                     bool any_program = false);

  /// Figures of the papers that are not there with results, in the order of the papers. Those that are views of other
  /// figures' runs are not named: their results come with the runs.
  std::vector<std::string> left() const;
  Status keep(MadeFigure made);
  const std::vector<MadeFigure>& made() const { return made_; }

  /// reproduce.md with the verdicts on all claims, and reproduce-PAPER.md with what each figure found, its pictures and
  /// its tables (result_markdown()). Those with a `claims` entry that no figure of the folder measured are named, too.
  Status write_pages(const std::vector<PaperClaim>& claims) const;

 private:
  Reproduction(std::filesystem::path folder, Json about, DrawFigure draw)
      : folder_(std::move(folder)), about_(std::move(about)), draw_(std::move(draw)) {}
  Status write_result(const FigureResult& result) const;

  std::filesystem::path folder_;
  Json about_;
  DrawFigure draw_;
  std::vector<MadeFigure> made_;  // in the order of the papers
};

/// Four short contexts, for quick_options().
WorkloadPreset quick_workload();
/// PaperFigure::quick, and for a figure over a workload the folder of quick_workload(): too few samples for a verdict.
std::vector<std::pair<std::string, std::string>> quick_options(const PaperFigure& figure, const std::string& workload);

}  // namespace kvantage::inline figures
