#include "core/workload/datasets/import_workload.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_set>

#include "core/base/digest.h"
#include "core/base/random.h"
#include "core/base/seeded_hash.h"

namespace kvantage::inline datasets {
namespace {

namespace fs = std::filesystem;

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

/// Of a context that becomes one of the workload.
void add_questions(ImportedContext& context, const ImportOptions& options, Workload& workload) {
  const std::size_t index = workload.contexts.size();
  const std::vector<bool> is_profile = profile_questions(context.questions.size(), options, index);
  for (std::size_t q = 0; q < context.questions.size(); ++q) {
    std::vector<std::string> golds = distinct(std::move(context.questions[q].golds));
    WorkloadQuestion question;
    question.context = index;
    question.question = std::move(context.questions[q].question);
    question.max_answer_tokens = std::min(context.questions[q].max_answer_tokens, max_answer_tokens);
    question.split = is_profile[q] ? QuestionSplit::profile : QuestionSplit::held_out;
    if (!golds.empty()) {
      question.gold = golds.front();
      question.other_golds.assign(golds.begin() + 1, golds.end());
    }
    workload.questions.push_back(std::move(question));
  }
}

/// Turns contexts into those of a workload, one after the other, within its limits.
class WorkloadAssembly {
 public:
  WorkloadAssembly(const ImportOptions& options, ImportReport& report, Workload& workload)
      : options_(options), report_(report), workload_(workload) {}

  Status add(ImportedContext context, bool texts_only) {
    if (context.questions.empty() && !texts_only) return drop(context, "no usable question");
    if (is_full()) return drop(context, beyond_limit);
    // Questions twice would be counted twice where they are distributed over parts.
    drop_repeated_questions(context, report_.entries);
    std::vector<ImportedContext> parts;
    parts.push_back(std::move(context));
    const std::size_t before = report_.lengths.parts, unasked = parts_without_question();
    KV_TRY(shorten_long_contexts(parts, options_.long_contexts, report_.lengths, report_.contexts.dropped,
                                 report_.entries.dropped));
    report_.contexts.read += report_.lengths.parts - before + parts_without_question() - unasked;
    for (ImportedContext& part : parts) {
      if (is_full()) {
        KV_TRY(drop(part, beyond_limit));
      } else if (!texts_.insert(digest_of(part.text)).second) {  // cut to the same beginning
        KV_TRY(drop(part, "same text as an earlier context, once it is shortened"));
      } else {
        add_questions(part, options_, workload_);
        workload_.contexts.push_back({ids_.of(part.id), std::move(part.family), std::move(part.text)});
      }
    }
    return {};
  }

 private:
  static constexpr const char* beyond_limit = "beyond the limit of contexts";

  bool is_full() const { return options_.limit > 0 && workload_.contexts.size() == options_.limit; }
  std::size_t parts_without_question() const {
    const auto found = report_.contexts.dropped.find(part_without_question);
    return found == report_.contexts.dropped.end() ? 0 : found->second;
  }
  Status drop(const ImportedContext& context, const std::string& reason) {
    ++report_.contexts.dropped[reason];
    if (!context.questions.empty()) report_.entries.dropped[reason] += context.questions.size();
    return {};
  }

  const ImportOptions& options_;
  ImportReport& report_;
  Workload& workload_;
  UniqueIds ids_;
  std::set<Digest128> texts_;
};

Expected<Workload> assemble(Imported imported, const ImportOptions& options, ImportReport& report) {
  Workload workload;
  workload.name = options.name;
  workload.license = options.license.empty() ? "see source" : options.license;
  workload.seed = options.seed;
  workload.arrivals = options.arrivals;
  report.entries = std::move(imported.entries);
  report.unknown_prompts = imported.unknown_prompts;
  report.contexts.read = imported.contexts.size();
  WorkloadAssembly assembly(options, report, workload);
  for (ImportedContext& context : merge_repeated(std::move(imported.contexts), report.contexts))
    KV_TRY(assembly.add(std::move(context), imported.texts_only));
  report.entries.made = workload.questions.size();
  report.contexts.made = workload.contexts.size();
  return workload;
}

/// The metric of every question that has an answer; empty: there are several.
std::string agreed_metric(const std::map<std::string, std::size_t>& metrics) {
  return metrics.size() == 1 ? metrics.begin()->first : std::string();
}

/// Names of the formats of all files, each once.
void add_format(std::string& names, std::string_view format) {
  if (("," + names + ",").find("," + std::string(format) + ",") != std::string::npos) return;
  names += (names.empty() ? "" : ",") + std::string(format);
}

}  // namespace

std::size_t ImportCounts::all_dropped() const {
  return std::accumulate(dropped.begin(), dropped.end(), std::size_t{0},
                         [](std::size_t sum, const auto& reason) { return sum + reason.second; });
}

Expected<Workload> import_workload(const std::vector<fs::path>& files, const std::string& format,
                                   const ImportOptions& options, ImportReport* report) {
  if (files.empty()) return fail(ErrorCode::usage, "no file given; name the files of the data set");
  if (!(options.profile_share >= 0 && options.profile_share < 1))
    return fail(ErrorCode::usage,
                "the share of profile questions must be at least 0 and below 1, so that some are left for serving");
  const LongContexts& lengths = options.long_contexts;
  if ((lengths.max_tokens > 0 || lengths.served_tokens > 0) && !lengths.count_tokens)
    return fail(ErrorCode::usage, "a limit of tokens needs a tokenizer to count with; give a model");
  Imported imported;
  ImportReport own;
  ImportedAmount amount;
  for (const fs::path& file : files) {
    const std::size_t before = imported.contexts.size();
    {
      KV_ASSIGN(const auto documents, read_documents(file, options.source.read_rows));
      KV_ASSIGN(const auto known, import_format_of(format, documents.front(), options.source.map));
      KV_TRY(known->read(documents, file, options, imported));
      add_format(own.format, known->name);
    }
    KV_TRY(amount.add(std::span(imported.contexts).subspan(before), file));
    ++own.files;
  }
  own.metric = agreed_metric(imported.metrics);
  own.map = imported.map;
  own.first_options = imported.first_options;
  KV_ASSIGN(auto workload, assemble(std::move(imported), options, own));
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

}  // namespace kvantage::inline datasets
