#include "app/cli/base/json_output.h"

#include <algorithm>
#include <array>

#include "core/base/form_text.h"

namespace kvantage::cli {
namespace {

constexpr std::string_view of_report =
    "format, version, title, claim, settings, environment, rows, definitions, charts?, differences?";

constexpr std::array outputs{
    JsonOutput{"run", "object", of_report, "report.json of [file formats](file-formats.md)."},
    JsonOutput{"profile", "object", "cells, chance, tiers, decode_options?, model_note?, profiling?",
               "Curves by context, scores by chance, fits of the tiers, measured ways to decode. A cell with `n` 0 is "
               "pooled; `profiling` is what anytime profiling has reached."},
    JsonOutput{"profiles import", "object", "provenance, file, digest, date, kind, scale, model, points",
               "Points have `dataset`, `method`, `removed_fraction` and `quality`; `kind` is table, kvpress or "
               "longbench."},
    JsonOutput{"plan", "object", "workload, model, quality_metric, points, model_note?",
               "A point has the means, the tiers and, where it was planned and not simulated, the placement of each "
               "context."},
    JsonOutput{"report", "object", of_report, "report.json of [file formats](file-formats.md)."},
    JsonOutput{"replay", "one object per line", "sequence, utc_ns, monotonic_ns, type, data",
               "The last line is an object with `report`, as of the command report."},
    JsonOutput{"compare", "object", "format, version, runs, names, baseline, settings, figures, run_ids, power, notes?",
               "`run_ids` lists the runs that each of `runs` joins; `power` says how many runs find a "
               "difference of 10 %."},
    JsonOutput{"export", "object", "run_id, system, file, settings, no_equivalent, factor",
               "`settings` is the text of the file, `file` its path or null; budgets are those of the run times "
               "`factor`."},
    JsonOutput{"session import", "object", "system, file, session, taken, no_equivalent",
               "`session` has fields of a session.json, `file` is its path or null."},
    JsonOutput{"runs list", "list of objects",
               "run_id, started_utc_ns, finished_utc_ns, policy, outcome, requests, workload, group", ""},
    JsonOutput{"runs export", "object", "run_id, file", ""},
    JsonOutput{"runs import", "object", "run_id, events, database", ""},
    JsonOutput{"runs share", "object", "run_id, file, bytes, texts, reduced",
               "`reduced` names what the page has only a part of, with `kept` and `of`."},
    JsonOutput{"methods", "list of objects", "kind, name, parameters, needs, costs, summary, source", ""},
    JsonOutput{"method new", "object", "file, saves", ""},
    JsonOutput{"method check", "object",
               "name, alias, digest, summary, needs, decode_eviction, confined, passed, checks",
               "A check has `check`, `outcome` (passed, failed, yes or no) and `detail`. One that failed has exit code "
               "3."},
    JsonOutput{"method bench", "object",
               "name, tokens, kv_heads, head_dim, repeats, seconds_per_layer, beside, beside_seconds_per_layer, times",
               "Medians; `times` is how many times as long as the other method it takes."},
    JsonOutput{"policies", "list of objects", "name, form, parameters, summary, source, quantities?, functions?",
               "The last two are of the policy formula: what it may name and call."},
    JsonOutput{"kept", "object",
               "model, compute, method, removed_fraction, tokens, token_ids, bytes, prefill_seconds, observe_seconds, "
               "score_seconds, score_buffer_bytes, layers",
               "`layers` has the kept positions and scores of each head."},
    JsonOutput{"device", "object",
               "present, reason?, name?, driver?, memory_bytes?, free_bytes?, peak_bytes_per_second?",
               "Without a device, `reason` says why."},
    JsonOutput{"completion", "object", "shell, script", ""},
    JsonOutput{"help", "object", "command, description, usage, options, commands, examples",
               "An option has `name`, `positional`, `required`, `repeatable` and `description`; one that takes a value "
               "also `value` and, if it has them, `choices`, `range` and `default`."},
    JsonOutput{"man", "object", "page, folder, files",
               "`page` is roff text. With `--out` it is null, and `folder` and `files` are set."},
    JsonOutput{"reproduce", "object", "figure, title, paper, settings, provenance, tables, findings, runs",
               "For evicpress/runs, a list of four such objects; with `--models`, a list of each model's and their "
               "comparison; for `reproduce list`, a list of objects with `id`, `paper`, `title`, `aliases` and `took`: "
               "`seconds`, `made` and `command` of the last time, or null."},
    JsonOutput{"simulate", "object",
               "file, format, mode, preset, provenance, source, imported, tokens_are_estimated, servers, tiers, "
               "policies, notes?",
               "With `--list-presets` an object with `presets`; with `--mrc` one as of the command reproduce."},
    JsonOutput{"fleet", "object",
               "provenance, preset, source, curves, engines, contexts, context_bytes, classes, forms, priced_forms, "
               "tiers, store, alpha, zipf, engine_zipf, drift, loss, seed, epochs",
               "An epoch has `bound`, the utility of each of its `plans` with `gap` and `gain_gap`, `messages`, "
               "`message_bytes`, `seconds` and `rounds`."},
    JsonOutput{"sweep", "object", "format, version, plan, quality_metric, cells, done, rows, failed, machines, notes?",
               "sweep.json of [sweeps](sweeps.md)."},
    JsonOutput{"tokenize", "object", "tokenizer_digest, bytes, count, ids, tokens, decoded", ""},
    JsonOutput{"model info", "object",
               "architecture, parameters, weights, stored_types, weight_bytes, layers, hidden, intermediate, heads, "
               "kv_heads, head_dim, vocab_size, max_positions, rope, rms_eps, qkv_bias, qk_norm, tied_embeddings, "
               "eos_ids, kv_bytes_per_token, chat_template?, prompt_form?",
               "The last two for a model with a tokenizer; `prompt_form` is why it is refused, if it is."},
    JsonOutput{"model check", "object", "folder, architecture, parameters, weight_bytes, vocab_size, path, digest",
               "A model that cannot be served has exit code 3 and no document."},
    JsonOutput{"model train", "one object per line",
               "step, tokens, length, seconds, tokens_per_second, loss, answer_accuracy, learning_rate_share, "
               "checkpointed, exact_match?",
               "With `--quiet` the last one alone; with `--evaluate` one list of objects, one per family and length."},
    JsonOutput{"model generate", "object",
               "model_digest, path, prompt_ids, ids, text, finish_reason, first_token_seconds, seconds_per_token", ""},
    JsonOutput{"model logits", "object", "file, rows, columns, type, path", ""},
    JsonOutput{"model scale", "object",
               "folder, threads, tokens, weight_bytes, bytes_per_second_of_a_thread, max_bytes_per_second, "
               "barrier_base_seconds, barrier_seconds_per_doubling, passes",
               "A pass has `name`, `barriers`, `serial_seconds` and `rows`, one per number of threads. "
               "`measured_seconds` of a row is null where it is only predicted."},
    JsonOutput{"store stat", "list of objects",
               "folder, entries, entry_bytes, file_bytes, disk_bytes, segments, reusable_bytes, index_bytes, "
               "unreadable_files, unreadable, by_method",
               "One per tier. `disk_bytes`: blocks of the file system; `unreadable`: why each of these files cannot be "
               "read."},
    JsonOutput{"store check", "list of objects",
               "folder, good_entries, good_bytes, swept, lost_entries, unreadable_segments, unreadable, index_rebuilt, "
               "file_bytes, reusable_bytes, bad",
               "One per tier. `unreadable`: why, of the first eight segments."},
    JsonOutput{"store compact", "list of objects",
               "folder, file_bytes_before, file_bytes_after, moved_entries, moved_bytes, bad_entries", "One per tier."},
    JsonOutput{"trace info", "object",
               "file, format, rows_read, emitted, dropped, span_seconds, requests_per_second, tokens_are_estimated, "
               "block_tokens, input_tokens, output_tokens, blocks, distinct_blocks, block_reuse_share, "
               "distinct_contexts, context_reuse_share, lru",
               "Values that the trace lacks are null."},
    JsonOutput{"trace import", "object",
               "out, rows_read, emitted, rows_dropped, requests, scheduled, questions, requests_dropped, contexts, "
               "cut_contexts, probes, requests_per_second, zipf_exponent",
               ""},
    JsonOutput{"workload list", "list of objects", "name, folder, description, contexts, requests", ""},
    JsonOutput{"workload check", "object",
               "name, licence, seed, digest, contexts, questions, requests, description, families, unserved_contexts, "
               "longest_unserved_tokens, served_tokens",
               "`unserved_contexts` are longer than the model serves with a question and an answer: `served_tokens`."},
    JsonOutput{"workload make", "object", "out, name, digest, contexts, questions",
               "With `--list-presets` a list of objects with `name` and `description`."},
    JsonOutput{
        "workload import", "object",
        "name, licence, digest, contexts, questions, probes, files, entries?, texts?, unknown_prompts?, format?, "
        "map?, options_count_from?, quality_metric?, lengths?, empty_files?, repeated_texts?, replaced_bytes?, "
        "outside_links?",
        "`entries` to `lengths` for data sets, the other four for texts. `options_count_from`: 0 or 1, by file."}};

}  // namespace

const JsonOutput* json_output(std::string_view command) {
  const auto found = std::ranges::find(outputs, command, &JsonOutput::command);
  return found == outputs.end() ? nullptr : &*found;
}

std::string json_text(const JsonOutput& output, std::string_view quote) {
  const auto quoted = [&](std::string_view name) { return std::string(quote).append(name).append(quote); };
  std::string always, sometimes;
  for (const std::string& key : split_list(std::string(output.keys))) {
    const bool may_miss = key.ends_with('?');
    std::string& names = may_miss ? sometimes : always;
    names += (names.empty() ? "" : ", ") + quoted(std::string_view(key).substr(0, key.size() - (may_miss ? 1 : 0)));
  }
  std::string text = "With " + quoted("--json") + " it prints ";
  text += output.form == "list of objects" ? "a list of objects with "
          : output.form == "object"        ? "an object with "
                                           : "one object per line with ";
  text += always + (sometimes.empty() ? "" : "; if present, " + sometimes) + ".";
  return output.more.empty() ? text : text.append(" ").append(output.more);
}

std::string command_path(const CLI::App& command) {
  std::string path = command.get_name();
  for (const CLI::App* above = command.get_parent(); above != nullptr && above->get_parent() != nullptr;
       above = above->get_parent())
    path.insert(0, above->get_name() + " ");
  return path;
}

void add_json_option(CLI::App& command, bool& json) {
  const JsonOutput* output = json_output(command_path(command));
  const std::string_view form = output == nullptr ? "object" : output->form;
  command.add_flag("--json", json,
                   form == "one object per line" ? "Print JSON Lines: one object per line"
                   : form == "list of objects"   ? "Print one JSON list"
                                                 : "Print one JSON object");
}

}  // namespace kvantage::cli
