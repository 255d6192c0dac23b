#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "core/base/did_you_mean.h"
#include "core/base/file_kind.h"
#include "core/base/json.h"
#include "core/trace/line_source.h"
#include "core/trace/row_source.h"
#include "core/trace/trace.h"

namespace kvantage::inline trace {
namespace {

namespace fs = std::filesystem;

struct Format {
  TraceFacts facts;
  std::string_view idea;  // as in TraceFormatName
  bool (*recognizes)(std::string_view first);
  Expected<std::unique_ptr<RowSource>> (*open)(Stream stream, const std::string& name, const TraceOptions& options);
  bool by_head = false;  // recognized by its first bytes: binary, or without lines
};

constexpr TraceFacts of_blocks(std::string_view format) {
  return {.format = format, .names_contexts = true, .names_blocks = true};
}
constexpr TraceFacts of_objects(std::string_view format) {
  return {.format = format, .names_contexts = true, .estimates_tokens = true};
}

constexpr std::array<Format, 11> formats{{
    {of_blocks("mooncake"), "Mooncake jsonl: lengths and ids of 512-token prefix blocks", is_mooncake, open_mooncake},
    {{.format = "azure"}, "Azure LLM inference csv: times and lengths", is_azure, open_azure},
    {{.format = "burstgpt", .names_contexts = true},
     "BurstGPT csv: times and lengths, sessions where there is a column",
     is_burstgpt,
     open_burstgpt},
    {{.format = "lmcache-agent",
      .names_contexts = true,
      .names_blocks = true,
      .estimates_tokens = true,
      .has_text = true},
     "LMCache agent jsonl: texts of sessions",
     is_lmcache_agent,
     open_lmcache_agent},
    {of_blocks("qwen-bailian"), "Qwen on Bailian jsonl: lengths, chats and ids of 16-token prefix blocks",
     is_qwen_bailian, open_qwen_bailian},
    {{.format = "vidur"}, "Vidur csv: lengths, and times where there are some", is_vidur, open_vidur},
    {of_blocks("llmservingsim"), "LLMServingSim jsonl or tsv: times, lengths, token ids where there are some",
     is_llmservingsim, open_llmservingsim},
    {of_blocks("kv-cache-tester"), "kv-cache-tester json: one conversation of a coding agent", is_kv_cache_tester,
     open_kv_cache_tester, true},
    {of_objects("vscsi"), "vscsiStats versions 1 and 2: requests for disk blocks, binary", is_vscsi, open_vscsi, true},
    {of_objects("oracle-general"), "libCacheSim oracleGeneral: requests for objects, binary", is_oracle_general,
     open_oracle_general, true},
    {of_blocks("mapped"), "any csv, tsv or jsonl with times and lengths (--map)", is_mapped, open_mapped},
}};

constexpr auto names = [] {
  std::array<TraceFormatName, formats.size()> list;
  std::ranges::transform(formats, list.begin(), [](const Format& format) {
    return TraceFormatName{format.facts.format, format.idea};
  });
  return list;
}();

std::string all_names() {
  std::string text;
  for (const TraceFormatName& format : names) text += (text.empty() ? "" : ", ") + std::string(format.name);
  return text;
}

Status check(const TraceOptions& options) {
  const auto refuse = [](const std::string& what) { return fail(ErrorCode::usage, what); };
  if (!(options.time_scale > 0 && options.time_scale <= 1e6))
    return refuse("the time scale must be above 0 and at most 10^6; 0.5 doubles the rate");
  if (!(options.bytes_per_token >= 0.01 && options.bytes_per_token <= 1e9))
    return refuse("bytes per token must be from 0.01 to 10^9; English text has about 4");
  if (options.window_rows < 1) return refuse("the reading window must hold a row; 4096 is the default");
  return {};
}

// The stream position is at the start before and after.
Expected<std::string> head_of(std::istream& stream, const std::string& name) {
  constexpr std::size_t head_bytes = 4096;
  std::string head(head_bytes, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) return fail(ErrorCode::rejected_input, name + ":1: cannot be read; check the device");
  stream.clear();
  stream.seekg(0);
  return head;
}

Expected<const Format*> recognized(Stream& stream, const std::string& name, const std::string& head) {
  for (const Format& format : formats)
    if (format.by_head && format.recognizes(head)) return &format;
  LineSource lines(std::move(stream), name);
  std::string_view line;
  KV_ASSIGN(const auto there, lines.next(line));
  const Format* found = nullptr;
  for (const Format& format : formats)
    if (found == nullptr && !format.by_head && there && format.recognizes(line)) found = &format;
  const std::string where = lines.where();
  const std::string first(there ? line : std::string_view());
  stream = lines.release();
  stream->clear();
  stream->seekg(0);
  if (found != nullptr) return found;
  KV_TRY(check_utf8(first, where));
  const std::string why = why_unknown_trace(first, head);
  return fail(ErrorCode::rejected_input,
              (there ? where : name + ":1") + ": is in none of the known formats" +
                  (why.empty() ? " (" + all_names() + "); name the format with --format to see why" : ": " + why));
}

}  // namespace

std::span<const TraceFormatName> trace_formats() { return names; }

Expected<std::unique_ptr<TraceReader>> open_trace(Stream stream, const std::string& name, const TraceOptions& options) {
  KV_TRY(check(options));
  const std::string wanted = options.format == "auto" && !options.map.empty() ? "mapped" : options.format;
  const Format* format = nullptr;
  for (const Format& one : formats)
    if (one.facts.format == wanted) format = &one;
  if (!options.map.empty() && format != nullptr && format->facts.format != "mapped")
    return fail(ErrorCode::usage,
                "--map: a trace in " + wanted + " has fields of its own; leave out --map, or --format");
  if (format == nullptr && options.format != "auto")
    return fail(ErrorCode::usage,
                "--format: '" + printable(options.format) + "' is none of auto, " + all_names() + "; " +
                    did_you_mean(options.format, trace_formats(), "choose one", &TraceFormatName::name));
  KV_ASSIGN(const auto head, head_of(*stream, name));
  // Who names a binary format knows better than the first bytes.
  if (format == nullptr || !format->by_head)
    if (const FileKind* kind = foreign_kind(std::string_view(head).substr(0, file_kind_bytes)))
      return foreign_file(name + ":1", *kind);
  if (format == nullptr) {
    if (head.empty())
      return fail(ErrorCode::rejected_input, name + ":1: the file is empty; give a trace, or name its format");
    KV_ASSIGN(const auto found, recognized(stream, name, head));
    format = found;
  }
  KV_ASSIGN(auto rows, format->open(std::move(stream), name, options));
  TraceFacts facts = format->facts;
  rows->refine(facts);
  return std::make_unique<TraceReader>(std::move(rows), facts, options);
}

Expected<std::unique_ptr<TraceReader>> open_trace(const fs::path& file, const TraceOptions& options) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) return fail(ErrorCode::rejected_input, file.string() + ": no such file; check the path");
  if (!fs::is_regular_file(status))
    return fail(ErrorCode::rejected_input, file.string() + ": is not a file; give the file of a trace");
  auto stream = std::make_unique<std::ifstream>(file, std::ios::binary);
  if (!*stream) return fail(ErrorCode::rejected_input, file.string() + ": cannot be opened; check its permissions");
  // Files of the system say 0 bytes, and may wait for more when they are read (/proc/kmsg).
  if (fs::file_size(file, error) == 0)
    return open_trace(std::make_unique<std::istringstream>(), file.string(), options);
  return open_trace(std::move(stream), file.string(), options);
}

}  // namespace kvantage::inline trace
