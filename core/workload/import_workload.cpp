#include "core/workload/import_workload.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <unordered_set>

#include "core/base/did_you_mean.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/base/seeded_hash.h"
#include "core/workload/import_longbench.h"
#include "core/workload/import_qmsum.h"
#include "core/workload/import_squad.h"

namespace kvantage::inline workload {
namespace {

namespace fs = std::filesystem;

constexpr std::array<ImportFormat, 3> known_imports{{
    {"longbench", "LongBench jsonl, and files of numbered prompts with reference answers", is_longbench,
     read_longbench},
    {"qmsum", "QMSum jsonl: meetings with general and specific queries", is_qmsum, read_qmsum},
    {"squad", "SQuAD v1.1 and v2.0 json", is_squad, read_squad},
}};

bool blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

Expected<const ImportFormat*> format_of(const std::string& wanted, const ImportDocument& first) {
  std::string names;
  for (const ImportFormat& format : known_imports) {
    if (wanted == format.name || (wanted == "auto" && format.recognizes(first.json))) return &format;
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  }
  if (wanted == "auto")
    return fail(ErrorCode::rejected_input, first.where + ": is in none of the formats that can be imported (" + names +
                                               "); name the format with --format to see why");
  return fail(ErrorCode::usage, "--format: '" + printable(wanted) + "' is none of auto, " + names + "; " +
                                    did_you_mean(wanted, known_imports, "choose one", &ImportFormat::name));
}

std::vector<std::string> distinct(std::vector<std::string> texts) {
  std::unordered_set<std::string_view, SeededHash> seen;
  std::vector<bool> is_new;
  for (const std::string& text : texts) is_new.push_back(!text.empty() && seen.insert(text).second);
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (is_new[i]) kept.push_back(std::move(texts[i]));
  return kept;
}

// Merges entries about the same text into one context with several questions, in order of first appearance.
std::vector<ImportedContext> merge_repeated(std::vector<ImportedContext> contexts, ImportCounts& counts) {
  std::vector<ImportedContext> merged;
  std::map<Digest128, std::size_t> by_text;  // not the texts again
  for (ImportedContext& context : contexts) {
    const auto [found, is_new] = by_text.emplace(digest_of(context.text), merged.size());
    if (is_new) {
      merged.push_back(std::move(context));
      continue;
    }
    ++counts.dropped["same text as an earlier context, merged with it"];
    auto& questions = merged[found->second].questions;
    questions.insert(questions.end(), std::make_move_iterator(context.questions.begin()),
                     std::make_move_iterator(context.questions.end()));
  }
  return merged;
}

void drop_repeated_questions(ImportedContext& context, ImportCounts& entries) {
  std::set<std::string> asked;
  std::vector<ImportedQuestion> kept;
  for (ImportedQuestion& question : context.questions) {
    if (asked.insert(question.question).second) {
      kept.push_back(std::move(question));
    } else {
      ++entries.dropped["same question about the same context"];
    }
  }
  context.questions = std::move(kept);
}

// The first of the shuffled questions go to the profile; a single question is held out and profiled by probes.
std::vector<bool> profile_questions(std::size_t count, const ImportOptions& options, std::size_t context) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(derive_seed(options.seed, 1000 + context));
  random.shuffle(std::span(order));
  std::size_t profile = static_cast<std::size_t>(options.profile_share * static_cast<double>(count));
  if (count >= 2 && options.profile_share > 0) profile = std::clamp<std::size_t>(profile, 1, count - 1);
  std::vector<bool> is_profile(count, false);
  for (std::size_t i = 0; i < std::min(profile, count); ++i) is_profile[order[i]] = true;
  return is_profile;
}

// Numbers equal ids. Remembers the next number of each: counting from 2 would take time with the square of their
// number.
class UniqueIds {
 public:
  std::string of(const std::string& preferred) {
    const std::string base = preferred.empty() ? "context" : preferred;
    std::string id = base;
    for (int& number = next_.try_emplace(base, 2).first->second; !taken_.insert(id).second; ++number)
      id = base + " (" + std::to_string(number) + ")";
    return id;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> next_;  // by base
};

std::uint64_t text_bytes(const ImportedContext& context) {
  std::uint64_t bytes = context.text.size();
  for (const ImportedQuestion& question : context.questions) {
    bytes += question.question.size();
    for (const std::string& gold : question.golds) bytes += gold.size();
  }
  return bytes;
}

// What all files together hold, before more is read: a workload has limits.
class ImportedAmount {
 public:
  Status add(std::span<const ImportedContext> contexts, const fs::path& file) {
    for (const ImportedContext& context : contexts) {
      bytes_ += text_bytes(context);
      for (const ImportedQuestion& question : context.questions) golds_ += question.golds.size();
    }
    if (bytes_ <= max_workload_text_bytes && golds_ <= max_workload_other_golds) return {};
    return fail(ErrorCode::rejected_input, file.string() + ": makes the texts more than a workload holds (" +
                                               std::to_string(max_workload_text_bytes >> 20) + " MiB, " +
                                               std::to_string(max_workload_other_golds) +
                                               " answers); import fewer or smaller files");
  }

 private:
  std::uint64_t bytes_ = 0;
  std::size_t golds_ = 0;
};

Workload assemble(Imported imported, const ImportOptions& options, ImportReport& report) {
  Workload workload;
  workload.name = options.name;
  workload.license = options.license.empty() ? "see source" : options.license;
  workload.seed = options.seed;
  workload.arrivals = options.arrivals;
  report.entries = std::move(imported.entries);
  report.unknown_prompts = imported.unknown_prompts;
  report.contexts.read = imported.contexts.size();
  UniqueIds ids;
  for (ImportedContext& context : merge_repeated(std::move(imported.contexts), report.contexts)) {
    const auto drop = [&](const std::string& reason) {
      ++report.contexts.dropped[reason];
      if (!context.questions.empty()) report.entries.dropped[reason] += context.questions.size();
    };
    if (context.questions.empty()) {
      drop("no usable question");
      continue;
    }
    if (options.limit > 0 && workload.contexts.size() == options.limit) {
      drop("beyond the limit of contexts");
      continue;
    }
    if (options.max_tokens > 0 &&
        (context.text.size() > max_counted_bytes || options.count_tokens(context.text) > options.max_tokens)) {
      drop("longer than " + std::to_string(options.max_tokens) + " tokens");
      continue;
    }
    drop_repeated_questions(context, report.entries);
    const std::size_t index = workload.contexts.size();
    const std::vector<bool> is_profile = profile_questions(context.questions.size(), options, index);
    for (std::size_t q = 0; q < context.questions.size(); ++q) {
      std::vector<std::string> golds = distinct(std::move(context.questions[q].golds));
      WorkloadQuestion question;
      question.context = index;
      question.question = std::move(context.questions[q].question);
      question.max_answer_tokens = context.questions[q].max_answer_tokens;
      question.split = is_profile[q] ? QuestionSplit::profile : QuestionSplit::held_out;
      if (!golds.empty()) {
        question.gold = golds.front();
        question.other_golds.assign(golds.begin() + 1, golds.end());
      }
      workload.questions.push_back(std::move(question));
    }
    workload.contexts.push_back({ids.of(context.id), std::move(context.family), std::move(context.text)});
  }
  report.entries.made = workload.questions.size();
  report.contexts.made = workload.contexts.size();
  return workload;
}

}  // namespace

std::size_t ImportCounts::all_dropped() const {
  return std::accumulate(dropped.begin(), dropped.end(), std::size_t{0},
                         [](std::size_t sum, const auto& reason) { return sum + reason.second; });
}

std::span<const ImportFormat> import_formats() { return known_imports; }

Expected<std::vector<ImportDocument>> read_documents(const fs::path& file) {
  KV_ASSIGN(const auto content, read_text_file(file));
  std::string_view text = content;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (blank(text)) return fail(ErrorCode::rejected_input, file.string() + ": is empty; give a file of the data set");
  // A complete JSON value in the first line, followed by more text, means JSON lines.
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const bool by_lines =
      file.extension() == ".jsonl" || (!blank(text.substr(line_end)) && Json::accept(text.substr(0, line_end)));
  std::vector<ImportDocument> documents;
  if (!by_lines) {
    KV_ASSIGN(auto json, parse_json(text, file.string()));
    documents.push_back({std::move(json), file.string()});
    return documents;
  }
  constexpr std::uint64_t bytes_per_document = 128;  // beside its values
  JsonBudget budget;                                 // of all lines together
  std::size_t begin = 0;
  for (std::size_t number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (blank(line)) continue;
    std::string where = file.string() + ":" + std::to_string(number);
    KV_TRY(budget.take(line, where, bytes_per_document + where.size()));
    KV_ASSIGN(auto json, parse_json(line, where));
    documents.push_back({std::move(json), std::move(where)});
  }
  return documents;
}

Expected<Workload> import_workload(const std::vector<fs::path>& files, const std::string& format,
                                   const ImportOptions& options, ImportReport* report) {
  if (files.empty()) return fail(ErrorCode::usage, "no file given; name the files of the data set");
  if (!(options.profile_share >= 0 && options.profile_share < 1))
    return fail(ErrorCode::usage,
                "the share of profile questions must be at least 0 and below 1, so that some are left for serving");
  if (options.max_tokens > 0 && !options.count_tokens)
    return fail(ErrorCode::usage, "a limit of tokens needs a tokenizer to count with; give a model");
  Imported imported;
  ImportReport own;
  ImportedAmount amount;
  for (const fs::path& file : files) {
    const std::size_t before = imported.contexts.size();
    {
      KV_ASSIGN(const auto documents, read_documents(file));
      KV_ASSIGN(const auto known, format_of(format, documents.front()));
      KV_TRY(known->read(documents, file, options, imported));
    }
    KV_TRY(amount.add(std::span(imported.contexts).subspan(before), file));
    ++own.files;
  }
  Workload workload = assemble(std::move(imported), options, own);
  const ImportReport& counts = report != nullptr ? * report = own : own;
  if (!counts.entries.balanced() || !counts.contexts.balanced())
    return fail(ErrorCode::internal, "import: entries read and entries used do not add up; report this with the file");
  if (workload.contexts.empty()) {
    std::string reasons;
    for (const auto& [reason, count] : counts.entries.dropped)
      reasons += (reasons.empty() ? "" : ", ") + std::to_string(count) + " " + reason;
    return fail(ErrorCode::rejected_input, files.front().string() + ": it has no usable questions (" +
                                               (reasons.empty() ? "no entries" : reasons) +
                                               "); choose other files or limits");
  }
  return workload;
}

}  // namespace kvantage::inline workload
