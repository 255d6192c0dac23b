#include "core/experiments/paper_figures.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kvantage::inline experiments {

const std::vector<Paper>& papers() {
  static const std::vector<Paper> list{
      {"evicpress", "EvicPress", {}},
      {"adaptcache", "AdaptCache",
       "Its six LongBench data sets are missing, among them the coding task: contexts are made on the machine. The "
       "metric code_bleu scores code as the paper does."},
      {"pagedeviction", "PagedEviction",
       "Its figures 1, 5 and 6 are pictures of a pool: step through them in the Pool dock."},
      {"compaction", "KV cache token eviction and compaction", {}},
      {"kvpr", "KVPR",
       "Figures 1, 2, 4, 5 and 11 are drawings of hardware, design and schedules, without results. Figure 14 compares "
       "with attention computed on the CPU, which is not reproduced here."}};
  return list;
}

std::string current_figure_id(std::string_view name) {
  if (name == "decode") return "compaction/decode";
  constexpr std::array before{std::pair{"000/", "evicpress/"}, std::pair{"001/", "adaptcache/"},
                              std::pair{"002/", "pagedeviction/"}, std::pair{"003/", "compaction/"},
                              std::pair{"004/", "kvpr/"}};
  const auto paper = std::ranges::find_if(before, [&](const auto& one) { return name.starts_with(one.first); });
  if (paper == before.end()) return std::string(name);
  std::string rest(name.substr(std::string_view(paper->first).size()));
  if (rest == "walls") rest = "overheads";
  if (rest.starts_with("table-")) rest.erase(std::string_view("table").size(), 1);
  const bool is_number = !rest.empty() && rest.find_first_not_of("0123456789") == std::string::npos;
  return paper->second + (is_number ? "fig" + rest : rest);
}

const PaperFigure* find_paper_figure(const std::vector<PaperFigure>& figures, std::string_view called) {
  const std::string name = current_figure_id(called);
  const auto found = std::ranges::find_if(figures, [&](const PaperFigure& figure) {
    return figure.name == name || std::ranges::find(figure.also, name) != figure.also.end();
  });
  return found == figures.end() ? nullptr : &*found;
}

std::string_view present_figure_option(std::string_view option) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> renamed{
      {{"--policies", "--policy"},
       {"--alphas", "--alpha"},
       {"--rates", "--rate"},
       {"--requests", "--limit"},
       {"--least-quality", "--min-quality"},
       {"--evictors", "--eviction-methods"}}};
  const auto found = std::ranges::find(renamed, option, &std::pair<std::string_view, std::string_view>::first);
  return found == renamed.end() ? option : found->second;
}

namespace {

bool reads_more(const PaperFigure& figure, std::string_view option) {
  return std::ranges::find(figure.more, option) != figure.more.end();
}

}  // namespace

bool uses_model(const PaperFigure& figure) { return !figure.random_weights && !figure.without_model; }

bool reads_model(const PaperFigure& figure) { return uses_model(figure) || reads_more(figure, "--model"); }

bool reads_model_option(const PaperFigure& figure, std::string_view option) {
  if (option == "--prompt-form") return uses_model(figure);
  return (option == "--model" || option == "--max-model-len") && reads_model(figure);
}

namespace {

Status check_figure_model(const PaperFigure& figure, const std::vector<GivenOption>& given,
                          const std::vector<PaperFigure>& figures) {
  if (uses_model(figure) || std::ranges::find(given, "--model", &GivenOption::option) == given.end()) return {};
  if (figure.without_model)
    return fail(ErrorCode::usage,
                "figure " + figure.name + " takes no --model: it computes without a model; leave it out");
  if (reads_more(figure, "--model")) {
    if (std::ranges::find(given, "--width", &GivenOption::option) == given.end()) return {};
    return fail(ErrorCode::usage,
                "figure " + figure.name +
                    " takes --model or --width, not both: --width is for a random-weight model; leave one out");
  }
  std::string others;
  for (const PaperFigure& other : figures)
    if (other.random_weights && reads_more(other, "--model")) others += (others.empty() ? "" : ", ") + other.name;
  return fail(
      ErrorCode::usage,
      "figure " + figure.name +
          " takes no --model: it uses random weights; leave it out, or use it with a figure that takes it: " + others);
}

}  // namespace

Status check_figure_options(const PaperFigure& figure, const std::vector<GivenOption>& given,
                            const std::vector<PaperFigure>& figures) {
  KV_TRY(check_figure_model(figure, given, figures));
  for (const GivenOption& one : given) {
    const auto setting = std::ranges::find(figure.settings, one.option, &FigureSetting::option);
    if (!reads_model_option(figure, one.option) && setting == figure.settings.end() && !reads_more(figure, one.option))
      return fail(ErrorCode::usage, "figure " + figure.name + " takes no " + one.option + "; leave it out");
    if (setting != figure.settings.end() && setting->one && one.items > 1)
      return fail(ErrorCode::usage, "figure " + figure.name + " takes one value of " + one.option + ", not " +
                                        std::to_string(one.items) + "; give one");
  }
  return {};
}

FigureResult begin_figure(const PaperFigure& figure, Provenance provenance) {
  return {.figure = figure.name,
          .title = figure.title,
          .paper = figure.published,
          .settings = Json::object(),
          .provenance = provenance,
          .tables = {},
          .findings = {}};
}

}  // namespace kvantage::inline experiments
