#include "app/wiring/workload_opening.h"

#include <algorithm>

#include "app/wiring/ready_workload.h"
#include "app/wiring/resources.h"
#include "app/wiring/samples.h"
#include "core/base/counted.h"
#include "core/base/did_you_mean.h"
#include "core/base/file_kind.h"
#include "core/base/files.h"
#include "core/engine/engine.h"
#include "core/model/config.h"
#include "core/model/model_files.h"
#include "core/text/chat/prompt_template.h"
#include "core/text/encoding_budget.h"
#include "core/workload/datasets/long_contexts.h"

namespace kvantage::inline wiring {
namespace {

static_assert(max_counted_bytes <= EncodingBudget::max_given_bytes, "what is counted can be encoded");

bool has_ending(const std::filesystem::path& path, std::initializer_list<const char*> endings) {
  return std::ranges::find(endings, path.extension().string()) != endings.end();
}

// A tenth of the uncompressed caches in memory and a fifth on the SSD, as in the quick start: all of them fit only when
// compressed. Where contexts are few, each tier has room for the longest one in 4-bit codes, a third of its bytes.
// Beyond some MiB of text, tokens are estimated by those of the texts before: a start must not wait for all of them.
std::vector<std::string> tiers_for(const Workload& workload, const ModelReading& reading) {
  constexpr std::uint64_t counted_bytes = std::uint64_t{8} << 20;
  std::uint64_t tokens = 0, longest = 0, read = 0;
  for (const WorkloadContext& context : workload.contexts) {
    const bool is_counted = read + context.text.size() <= counted_bytes && context.text.size() <= max_counted_bytes;
    const double per_byte = read > 0 ? static_cast<double>(tokens) / static_cast<double>(read) : 0.3;
    const std::uint64_t count = is_counted
                                    ? reading.count_tokens(context.text)
                                    : static_cast<std::uint64_t>(per_byte * static_cast<double>(context.text.size()));
    if (is_counted || read > 0) {
      tokens += count;
      read += context.text.size();
    }
    longest = std::max(longest, std::min<std::uint64_t>(count, reading.served_tokens));
  }
  const std::uint64_t bytes = tokens * reading.bytes_per_token, one = longest * reading.bytes_per_token * 2 / 5;
  constexpr std::uint64_t kibibyte = 1024, least = 64 * kibibyte;  // enough for a short text with a tenth kept
  const auto size = [&](std::uint64_t share) {
    return std::to_string(std::max({share, one, least}) / kibibyte) + "KiB";
  };
  return {"dram=" + size(bytes / 10), "ssd=" + size(bytes / 5)};
}

std::string counted(std::size_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

Status check_model_is_there(const std::filesystem::path& model) {
  std::error_code ignored;
  if (std::filesystem::is_directory(model, ignored) || std::filesystem::is_regular_file(model, ignored)) return {};
  return fail(ErrorCode::rejected_input,
              model.string() + ": no such model folder; " +
                  did_you_mean(model.native(), shipped_models, "give a Hugging Face folder or a GGUF file with --model",
                               &ShippedModel::name));
}

Expected<ModelReading> read_model_reading(const std::filesystem::path& model, int max_model_len) {
  KV_TRY(check_model_is_there(model));
  KV_TRY(check_model_files(model));
  KV_ASSIGN(const auto config, read_model_config(model, max_model_len));
  KV_ASSIGN(const auto tokenizer, Tokenizer::load(model));
  // A template that cannot be used is an error of opening the model; texts are only cut here.
  const auto prompt = PromptTemplate::detect(tokenizer);
  const PromptForm form = prompt ? prompt->form() : PromptForm::raw;
  ModelReading reading;
  reading.count_tokens = [tokenizer](std::string_view text) { return tokenizer->encode(text).size(); };
  reading.wording =
      form == PromptForm::context_question || form == PromptForm::raw ? ProbeWording::bare : ProbeWording::instructed;
  reading.context_tokens = static_cast<std::size_t>(std::max(config.max_positions / 2, 64));
  if (const ShippedModel* shipped = shipped_model_at(model))
    reading.context_tokens = std::min(reading.context_tokens, shipped->context_tokens);
  const KvShape shape{
      .layers = config.layers, .kv_heads = config.kv_heads, .head_dim = config.head_dim, .type = KvType::bf16};
  reading.bytes_per_token = shape.bytes_per_token();
  const std::uint64_t pool_tokens =
      ModelRuntimeOptions{}.pool_bytes / std::max<std::uint64_t>(reading.bytes_per_token, 1);
  reading.served_tokens =
      static_cast<std::size_t>(std::min(static_cast<std::uint64_t>(std::max(config.max_positions, 0)), pool_tokens));
  return reading;
}

namespace {

/// Python like that of `method new`: its last line saves a TorchScript file.
bool saves_method(const std::filesystem::path& file) {
  constexpr std::uint64_t max_source_bytes = std::uint64_t{1} << 20;
  if (!has_ending(file, {".py"})) return false;
  const auto source = read_text_file(file, max_source_bytes);
  return source && source->find("torch.jit") != std::string::npos && source->find(".save(") != std::string::npos;
}

Expected<OpenedWorkload> read_workload_or_text(const std::filesystem::path& path, const OpenWorkloadOptions& options) {
  KV_TRY(check_workload_is_there(path));
  OpenedWorkload opened;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) {
    KV_ASSIGN(const auto head, head_of_file(path));
    if (is_parquet(head) || has_ending(path, {".json", ".jsonl", ".csv", ".tsv", ".parquet"}))
      return fail(ErrorCode::rejected_input, path.string() +
                                                 ": is not a workload folder; give the folder, or turn a data set "
                                                 "into one with `kvantage-cli workload import`");
    if (const FileKind* kind = foreign_kind(head)) return foreign_file(path.string(), *kind);
    if (saves_method(path))
      return fail(ErrorCode::rejected_input,
                  path.string() +
                      ": is Python that saves a method; run it first with python3, and give the TorchScript file (.pt) "
                      "that it saves with --method-file; to serve it as a text, rename it to .txt");
  }
  opened.own_text = is_own_text(path);
  Expected<ModelReading> reading;  // of the model, read once on demand
  if (opened.own_text) {
    reading = read_model_reading(options.model, options.max_model_len);
    if (!reading) return tl::unexpected(reading.error());
    OwnTextReport report;
    OwnTextOptions own{.count_tokens = reading->count_tokens,
                       .context_tokens = options.context_tokens > 0 ? options.context_tokens : reading->context_tokens};
    KV_ASSIGN(auto workload, read_own_text({path}, own, &report));
    opened.workload = std::move(workload);
    opened.suggested_tiers = tiers_for(opened.workload, *reading);
    opened.notes.push_back((report.files == 1 ? path.filename().string() : counted(report.files, "file", "files")) +
                           ": " + (report.cut_files > 0 ? "split into " : std::string()) +
                           counted(opened.workload.contexts.size(), "context", "contexts") +
                           (report.cut_files > 0 ? " of at most " + std::to_string(own.context_tokens) +
                                                       " tokens (--context-tokens sets another limit)"
                                                 : std::string()));
    if (report.replaced_bytes > 0)
      opened.notes.push_back(counted(report.replaced_bytes, "malformed byte", "malformed bytes") +
                             " replaced by U+FFFD");
    if (report.repeated_texts > 0)
      opened.notes.push_back(counted(report.repeated_texts, "duplicate text", "duplicate texts") + " skipped");
    if (report.empty_files > 0)
      opened.notes.push_back(counted(report.empty_files, "empty file", "empty files") + " skipped");
    if (report.outside_links > 0)
      opened.notes.push_back(counted(report.outside_links, "link to a file", "links to files") +
                             " outside the folder skipped");
  } else {
    KV_ASSIGN(auto workload, read_workload(path));
    opened.workload = std::move(workload);
  }
  if (options.probes == 0 || !lacks_questions(opened.workload)) return opened;
  if (!opened.own_text) reading = read_model_reading(options.model, options.max_model_len);
  if (!reading) return tl::unexpected(reading.error());
  const auto added = add_missing_probes(
      opened.workload, {.profile = options.probes, .held_out = options.probes, .wording = reading->wording});
  if (!added) return fail(added.error().code, path.string() + ": " + added.error().message);
  if (*added > 0)
    opened.notes.push_back(counted(*added, "question", "questions") + " generated for contexts without any");
  return opened;
}

}  // namespace

Expected<OpenedWorkload> open_workload(const std::filesystem::path& path, const OpenWorkloadOptions& options) {
  try {
    return read_workload_or_text(path, options);
  } catch (const EncodingError& error) {  // counting tokens returns no error
    return tl::unexpected(error.error());
  }
}

Expected<std::vector<std::string>> default_tiers(const Workload& workload, const std::filesystem::path& model,
                                                 int max_model_len) {
  KV_ASSIGN(const auto reading, read_model_reading(model, max_model_len));
  try {
    return tiers_for(workload, reading);
  } catch (const EncodingError& error) {
    return tl::unexpected(error.error());
  }
}

std::string default_tiers_note(const std::vector<std::string>& tiers) {
  std::string names;
  for (const std::string& tier : tiers) names += (names.empty() ? "" : " ") + ("--tier " + tier);
  return "no tiers are given: " + names + " (a tenth and a fifth of the uncompressed caches)";
}

Expected<UnservedContexts> unserved_contexts(const Workload& workload, const std::filesystem::path& model,
                                             int max_model_len) {
  KV_ASSIGN(const auto reading, read_model_reading(model, max_model_len));
  const LongContexts lengths{.count_tokens = reading.count_tokens, .served_tokens = reading.served_tokens};
  std::vector<ImportedContext> asked(workload.contexts.size());
  for (const WorkloadQuestion& question : workload.questions)
    asked[question.context].questions.push_back({question.question, {}, question.max_answer_tokens});
  UnservedContexts unserved{.served_tokens = reading.served_tokens};
  std::size_t longest_bytes = 0;
  try {
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const std::string& text = workload.contexts[i].text;
      if (!is_longer_than(text, context_room(asked[i], lengths), reading.count_tokens)) continue;
      ++unserved.count;
      if (text.size() <= longest_bytes) continue;
      longest_bytes = text.size();
      unserved.longest_tokens = reading.count_tokens(std::string_view(text).substr(0, max_counted_bytes));
    }
  } catch (const EncodingError& error) {
    return tl::unexpected(error.error());
  }
  return unserved;
}

std::string unserved_text(const UnservedContexts& unserved, std::size_t contexts) {
  if (unserved.count == 0) return {};
  return std::to_string(unserved.count) + " of " + kvantage::counted(contexts, "context") +
         (unserved.count == 1 ? " is" : " are") + " longer than the model serves with a question and an answer (" +
         std::to_string(unserved.served_tokens) + " tokens; the longest has " +
         std::to_string(unserved.longest_tokens) +
         "); import with --split, --truncate middle or --skip, or give a larger --model";
}

Expected<Workload> read_any_workload(const std::filesystem::path& path) {
  KV_ASSIGN(const auto named, ready_workload(path));
  KV_TRY(check_workload_is_there(named));
  if (!is_own_text(named)) return read_workload(named);
  KV_ASSIGN(auto opened, open_workload(named, {.model = default_model_directory()}));
  return std::move(opened.workload);
}

}  // namespace kvantage::inline wiring
