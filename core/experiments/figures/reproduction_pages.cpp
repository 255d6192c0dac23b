// The pages of a reproduction: reproduce.md with the verdict on every claim, and one page a paper with what was found.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "core/base/files.h"
#include "core/experiments/figures/reproduction.h"
#include "core/experiments/figures/result_markdown.h"
#include "core/experiments/paper_figures.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline figures {
namespace {

std::string paper_name(const std::string& id) {
  const auto paper = std::ranges::find(papers(), id, &Paper::id);
  return paper == papers().end() ? id : paper->name;
}

std::string row_of(std::initializer_list<std::string> cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + cell + " |";
  return row + "\n";
}

/// Without the paper, whose section it stands in.
std::string short_id(const std::string& id) { return id.substr(id.find('/') + 1); }

/// A claim is cut to one line of a table.
constexpr std::size_t max_claim_characters = 70;

std::string page_of_paper(const std::string& paper) { return "reproduce-" + paper + ".md"; }
std::string command_heading(const MadeFigure& made) { return "Command of " + made.name; }

/// To its command on the page of its paper: "[runs](reproduce-evicpress.md#command-of-evicpressruns)".
std::string command_link(const MadeFigure& made) {
  const PaperFigure* known = find_paper_figure(made.name);
  if (known == nullptr) return "-";
  return "[" + short_id(made.name) + "](" + page_of_paper(known->paper) + "#" + page_anchor(command_heading(made)) +
         ")";
}

/// "09b5ac5" of "KVantage 0.2, commit 09b5ac5a27b1"; "09b5ac5+" of one with changes; "-" of a program without one.
std::string short_commit(const std::string& program) {
  constexpr std::string_view mark = ", commit ";
  const std::size_t at = program.find(mark);
  if (at == std::string::npos) return "-";
  const std::string commit = program.substr(at + mark.size());
  return commit.substr(0, std::min<std::size_t>(7, commit.find(' '))) + (commit.ends_with(" with changes") ? "+" : "");
}

struct SettledClaim {
  std::vector<std::string> cells;    // of the table that settle_claims() adds
  std::string day, commit, command;  // of its figure
};

/// By claim.
std::map<std::string, SettledClaim> settled_claims(const std::vector<MadeFigure>& made, const Json& about) {
  std::map<std::string, SettledClaim> rows;
  for (const MadeFigure& one : made) {
    const std::string commit = short_commit(one.program.empty() ? about.value("program", "") : one.program);
    for (const FigureResult& result : one.results)
      for (const FigureTable& table : result.tables) {
        if (table.title != claims_title) continue;
        for (const auto& row : table.rows) {
          std::vector<std::string> cells;
          cells.reserve(row.size());
          for (const Json& cell : row) cells.push_back(figure_cell_text(cell));
          const std::string claim = cells.front();
          rows[claim] = {std::move(cells), one.begun.substr(0, one.begun.find(' ')), commit, command_link(one)};
        }
      }
  }
  return rows;
}

/// "0.215 (0.2 - 0.23); at 646 MB/s": the interval is of the number alone.
std::string measured_text(const SettledClaim& settled) {
  const std::string &here = settled.cells.at(3), &interval = settled.cells.at(4);
  const std::size_t end = std::min(here.find(';'), here.size());
  return page_cell(interval == "-" ? here : here.substr(0, end) + " (" + interval + ")" + here.substr(end));
}

/// One claim of a figure; `settled`: nullptr where nothing measured it.
std::string verdict_row(const PaperClaim& claim, const SettledClaim* settled) {
  const std::string says = page_cell(first_words(claim.says, max_claim_characters)) + " (" + short_id(claim.id) + ")";
  if (settled == nullptr)
    return row_of({short_id(claim.figure), says, span_text(claim), "-", claim.unit, "not measured", "-", "-", "-"});
  return row_of({short_id(claim.figure), says, span_text(claim), measured_text(*settled), claim.unit,
                 page_cell(settled->cells.at(5)), settled->day, settled->commit, settled->command});
}

std::string verdicts_of(const std::string& paper, const std::vector<PaperClaim>& claims,
                        const std::map<std::string, SettledClaim>& settled) {
  std::string rows, left_out;
  std::map<std::string, std::size_t> counts;
  for (const PaperClaim& claim : claims) {
    if (!claim.id.starts_with(paper + "/")) continue;
    if (claim.figure.empty()) {
      left_out += wrapped_page_text(
          "- " + short_id(claim.id) + ": " + claim.says + " *Out of scope:* " + claim.out_of_scope + ".", "  ");
      ++counts["out of scope"];
      continue;
    }
    const auto found = settled.find(claim.id);
    const SettledClaim* known = found == settled.end() ? nullptr : &found->second;
    const std::string verdict = known == nullptr ? "not measured" : known->cells.at(5);
    ++counts[verdict.substr(0, verdict.find(':'))];
    rows += verdict_row(claim, known);
  }
  std::string summary;
  for (const auto& [verdict, count] : counts)
    summary += (summary.empty() ? "" : "; ") + verdict + " " + std::to_string(count);
  std::string text = "\n## " + paper_name(paper) + "\n\n" + wrapped_page_text(summary + ".");
  if (!rows.empty())
    text += "\n| figure | claim | paper | here (interval) | unit | verdict | date | commit | command |\n" +
            std::string("|---|---|---|---|---|---|---|---|---|\n") + rows;
  return text + (left_out.empty() ? "" : "\n" + left_out);
}

/// " by KVantage 0.2, commit abc", where the folder is not of that program.
std::string other_program(const MadeFigure& made, const Json& about) {
  return made.program.empty() || made.program == about.value("program", "") ? "" : " by " + made.program;
}

/// Of all figures, to make one of them again.
std::string commands_of(const std::vector<MadeFigure>& made, const Json& about) {
  if (made.empty()) return {};
  std::string text = "\n## Commands\n\n";
  for (const MadeFigure& one : made)
    text += wrapped_page_text("- " + one.name + ", " + one.begun + " UTC" + other_program(one, about) + ", " +
                                  short_number(one.seconds) + " s: `" + one.command + "`" +
                                  (one.trouble.empty() ? "" : " No result: " + one.trouble),
                              "  ");
  return text;
}

/// That makes all of them again.
std::string command_of_all(const Json& about) {
  const std::string model = about.value("model name", about.value("model", std::string()));
  return std::string("kvantage-cli reproduce all --out FOLDER") + (about.value("quick", false) ? " --quick" : "") +
         (about.value("brief", false) ? " --brief" : "") +
         (model.empty() ? std::string() : " --model '" + model + "'") +
         (about.contains("prompt_form") ? " --prompt-form " + about.value("prompt_form", std::string()) : "") +
         (about.contains("max_model_len") ? " --max-model-len " + std::to_string(about.value("max_model_len", 0))
                                          : "") +
         (about.value("gpu", false) ? " --gpu" : "");
}

/// How a figure was made; begins with an empty line.
std::string making_of(const MadeFigure& made, const Json& about) {
  return "\n### " + command_heading(made) + "\n\n" +
         wrapped_page_text("Made " + made.begun + " UTC" + other_program(made, about) + " in " +
                           short_number(made.seconds) + " s:") +
         "\n```sh\n" + wrapped_page_text(made.command, "  ") + "```\n";
}

std::string figure_page(const MadeFigure& made, const Json& about, const std::filesystem::path& folder) {
  const auto is_there = [&folder](const std::string& file) {
    std::error_code ignored;
    return std::filesystem::exists(folder / file, ignored);
  };
  std::string text;
  if (made.results.empty())
    return "\n## " + made.name + "\n\n" + wrapped_page_text("No result: " + made.trouble) + making_of(made, about);
  for (const FigureResult& result : made.results) {
    text += "\n## " + result.figure + "\n\n" + wrapped_page_text(result.title + ".");
    if (const PaperFigure* known = find_paper_figure(result.figure)) text += "\n" + wrapped_page_text(known->does);
    text += "\n" + wrapped_page_text("*Paper:* " + result.paper + ".") + "\n";
    for (const std::string& finding : result.findings) text += wrapped_page_text("- " + finding, "  ");
    text += result_markdown(result, is_there);
    if (&result == &made.results.front()) text += making_of(made, about);
  }
  return text;
}

}  // namespace

Status Reproduction::write_pages(const std::vector<PaperClaim>& claims) const {
  const auto settled = settled_claims(made_, about_);
  std::string index =
      "# Reproduction of the papers\n\n" + wrapped_page_text("How: `" + command_of_all(about_) + "`") + "\n" +
      wrapped_page_text(
          "Every number that the papers report as a result, beside what was measured here: program " +
          about_.value("program", "") + ", on " + about_.value("hardware", "a machine without a name") + "." +
          (about_.value("quick", false)
               ? " Made with few contexts and short texts, to see that all of it works: the verdicts "
                 "mean nothing."
           : about_.value("brief", false)
               ? " Made with fewer settings, questions and request sequences than the figures have by default."
               : "")) +
      "\n" +
      wrapped_page_text(
          "A verdict compares our interval with the paper's span: *agrees*, *contradicts*, or "
          "*cannot tell at this n*. Date (UTC) and commit are those of the program that made the figure; a + is for "
          "changes that are not in the commit. What the figures found is on the page of each paper, with the command "
          "of each; all commands are at the end, too.") +
      "\n";
  for (const Paper& paper : papers()) index += "- [" + paper.name + "](" + page_of_paper(paper.id) + ")\n";
  for (const Paper& paper : papers()) {
    index += verdicts_of(paper.id, claims, settled);
    std::string page = "# " + paper.name + "\n";
    if (!paper.missing.empty()) page += "\n" + wrapped_page_text(paper.missing);
    for (const MadeFigure& made : made_)
      if (const PaperFigure* known = find_paper_figure(made.name); known != nullptr && known->paper == paper.id)
        page += figure_page(made, about_, folder_);
    KV_TRY(write_text_file(folder_ / page_of_paper(paper.id), page));
  }
  return write_text_file(folder_ / "reproduce.md", index + commands_of(made_, about_));
}

}  // namespace kvantage::inline figures
