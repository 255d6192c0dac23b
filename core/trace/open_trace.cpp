#include <array>
#include <fstream>

#include "core/base/did_you_mean.h"
#include "core/base/json.h"
#include "core/trace/line_source.h"
#include "core/trace/row_source.h"
#include "core/trace/trace.h"

namespace kvantage::inline trace {
namespace {

namespace fs = std::filesystem;

struct Format {
  TraceFacts facts;
  bool binary = false;
  bool (*recognizes)(std::string_view first);
  Expected<std::unique_ptr<RowSource>> (*open)(Stream stream, const std::string& name, const TraceOptions& options);
};

constexpr std::array<Format, 5> formats{{
    {{.format = "mooncake", .names_contexts = true, .names_blocks = true}, false, is_mooncake, open_mooncake},
    {{.format = "azure"}, false, is_azure, open_azure},
    {{.format = "burstgpt", .names_contexts = true}, false, is_burstgpt, open_burstgpt},
    {{.format = "lmcache-agent",
      .names_contexts = true,
      .names_blocks = true,
      .estimates_tokens = true,
      .has_text = true},
     false,
     is_lmcache_agent,
     open_lmcache_agent},
    {{.format = "oracle-general", .names_contexts = true, .estimates_tokens = true},
     true,
     is_oracle_general,
     open_oracle_general},
}};

constexpr std::array<TraceFormatName, 5> names{{
    {"mooncake", "Mooncake jsonl: lengths and ids of 512-token prefix blocks"},
    {"azure", "Azure LLM inference csv: times and lengths"},
    {"burstgpt", "BurstGPT csv: times and lengths, sessions where there is a column"},
    {"lmcache-agent", "LMCache agent jsonl: texts of sessions"},
    {"oracle-general", "libCacheSim oracleGeneral: requests for objects, binary"},
}};

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
  std::string head(64, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) return fail(ErrorCode::rejected_input, name + ":1: cannot be read; check the device");
  stream.clear();
  stream.seekg(0);
  for (const std::string_view magic : {"\x28\xB5\x2F\xFD", "\x1F\x8B", "\xFD\x37zXZ", "PK\x03\x04"})
    if (head.starts_with(magic))
      return fail(ErrorCode::rejected_input, name + ":1: the file is compressed; unpack it first");
  return head;
}

Expected<const Format*> recognized(Stream& stream, const std::string& name, const std::string& head) {
  for (const Format& format : formats)
    if (format.binary && format.recognizes(head)) return &format;
  LineSource lines(std::move(stream), name);
  std::string_view line;
  KV_ASSIGN(const auto there, lines.next(line));
  const Format* found = nullptr;
  for (const Format& format : formats)
    if (found == nullptr && !format.binary && there && format.recognizes(line)) found = &format;
  const std::string where = lines.where();
  stream = lines.release();
  stream->clear();
  stream->seekg(0);
  if (found != nullptr) return found;
  return fail(ErrorCode::rejected_input, (there ? where : name + ":1") + ": is in none of the known formats (" +
                                             all_names() + "); name the format with --format to see why");
}

}  // namespace

std::span<const TraceFormatName> trace_formats() { return names; }

Expected<std::unique_ptr<TraceReader>> open_trace(Stream stream, const std::string& name, const TraceOptions& options) {
  KV_TRY(check(options));
  const Format* format = nullptr;
  for (const Format& one : formats)
    if (one.facts.format == options.format) format = &one;
  if (format == nullptr && options.format != "auto")
    return fail(ErrorCode::usage,
                "--format: '" + printable(options.format) + "' is none of auto, " + all_names() + "; " +
                    did_you_mean(options.format, trace_formats(), "choose one", &TraceFormatName::name));
  KV_ASSIGN(const auto head, head_of(*stream, name));
  if (format == nullptr) {
    if (head.empty())
      return fail(ErrorCode::rejected_input, name + ":1: the file is empty; give a trace, or name its format");
    KV_ASSIGN(const auto found, recognized(stream, name, head));
    format = found;
  }
  KV_ASSIGN(auto rows, format->open(std::move(stream), name, options));
  TraceFacts facts = format->facts;
  facts.names_contexts = facts.names_contexts && rows->names_contexts();
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
  return open_trace(std::move(stream), file.string(), options);
}

}  // namespace kvantage::inline trace
