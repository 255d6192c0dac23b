#include "core/base/file_kind.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/base/files.h"

namespace kvantage {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::size_t at;
  std::string_view bytes;
  FileKind kind;
  bool is_word = false;  // a text may begin with it, too: only where a byte 0 is near
};

constexpr FileKind picture{"a picture", "give the file of the data"};
constexpr FileKind utf16{"UTF-16", "save it as UTF-8"};

constexpr std::array magics{
    Magic{0,
          "version https://git-lfs.github.com/spec/"sv,
          {"a Git LFS pointer, not the data", "fetch the data with 'git lfs pull', or download the file itself"}},
    Magic{0, "/annex/objects/"sv, {"a git-annex pointer, not the data", "fetch the data with 'git annex get'"}},
    Magic{0, "\x1F\x8B\x08"sv, {"compressed with gzip", "unpack it first with gunzip"}},
    Magic{0, "\x28\xB5\x2F\xFD"sv, {"compressed with Zstandard", "unpack it first with zstd -d"}},
    Magic{0, "\xFD\x37zXZ\0"sv, {"compressed with xz", "unpack it first with unxz"}},
    Magic{0, "BZh"sv, {"compressed with bzip2", "unpack it first with bunzip2"}},
    Magic{0, "\x04\x22\x4D\x18"sv, {"compressed with LZ4", "unpack it first with lz4 -d"}},
    Magic{0,
          "PK\x03\x04"sv,
          {"a zip archive (.npz, .xlsx and PyTorch files are some, too)", "unpack it first and give a file of it"}},
    Magic{0, "PK\x05\x06"sv, {"an empty zip archive", "download it again"}},
    Magic{0, "7z\xBC\xAF\x27\x1C"sv, {"a 7z archive", "unpack it first and give a file of it"}},
    Magic{0, "Rar!\x1A\x07"sv, {"a RAR archive", "unpack it first and give a file of it"}},
    Magic{257, "ustar"sv, {"a tar archive", "unpack it first with tar -x and give a file of it"}},
    Magic{0, "SQLite format 3\0"sv, {"a SQLite database", "export its table as CSV: sqlite3 -csv -header"}},
    Magic{0, "ARROW1\0\0"sv, {"an Arrow file", "save it as Parquet or as JSON lines, e.g. with Dataset.to_json"}},
    Magic{0,
          "\xFF\xFF\xFF\xFF"sv,
          {"an Arrow stream, as a saved Hugging Face data set has", "save it as JSON lines with Dataset.to_json"}},
    Magic{0, "FEA1"sv, {"a Feather file", "save it as Parquet or CSV"}},
    Magic{0, "ORC"sv, {"an ORC file", "save it as Parquet or CSV"}, true},
    Magic{0, "Obj\x01"sv, {"an Avro file", "save it as JSON lines"}},
    Magic{0, "\x89HDF\r\n\x1A\n"sv, {"an HDF5 file", "save its texts as JSON lines"}},
    Magic{0, "\x93NUMPY"sv, {"a NumPy array", "save its texts as JSON lines"}},
    Magic{0, "GGUF"sv, {"a model in GGUF", "give it with --model"}, true},
    Magic{0, "%PDF-"sv, {"a PDF", "save its text with pdftotext"}},
    Magic{0, "\x89PNG\r\n\x1A\n"sv, picture},
    Magic{0, "\xFF\xD8\xFF"sv, picture},
    Magic{0, "GIF8"sv, picture},
    Magic{8, "WEBPVP8"sv, picture},
    Magic{0, "II*\0"sv, picture},
    Magic{0, "MM\0*"sv, picture},
    Magic{0,
          "\x7F"
          "ELF"sv,
          {"a program", "give the file of the data"}},
    Magic{0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, {"an Office document of the old form", "save it as CSV or text"}},
    Magic{0, "\xFE\xFF"sv, utf16},
    Magic{0, "\xFF\xFE"sv, utf16},
};

constexpr FileKind pickle{"a Python pickle, which can run code when it is loaded", "save it as JSON lines"};
constexpr FileKind page{"a web page, not the data", "download the file itself (on GitHub: Raw)"};
constexpr FileKind parquet{"a Parquet file", "save it as CSV"};

// Behind the protocol a frame (4 and 5), or what an object begins with.
bool is_pickle(std::string_view head) {
  if (head.size() < 3 || head[0] != '\x80') return false;
  const auto protocol = static_cast<unsigned char>(head[1]);
  if (protocol == 4 || protocol == 5) return head[2] == '\x95';
  return (protocol == 2 || protocol == 3) && std::string_view("]}(cXKGNU\x8A").find(head[2]) != std::string_view::npos;
}

bool is_page(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  std::string begin(head.substr(0, 15));
  std::ranges::transform(begin, begin.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const auto is_tag = [&](std::string_view tag) {  // not <header>, which a text of others may begin with
    return begin.starts_with(tag) && (begin.size() == tag.size() ||
                                      std::string_view(" \t\r\n>/").find(begin[tag.size()]) != std::string_view::npos);
  };
  return begin.starts_with("<!doctype html") || is_tag("<html") || is_tag("<head");
}

}  // namespace

bool is_parquet(std::string_view head) { return head.starts_with("PAR1"); }

const FileKind* foreign_kind(std::string_view head) {
  const bool has_zero = head.find('\0') != std::string_view::npos;
  const auto found = std::ranges::find_if(magics, [&](const Magic& magic) {
    return (has_zero || !magic.is_word) && head.size() >= magic.at + magic.bytes.size() &&
           head.substr(magic.at).starts_with(magic.bytes);
  });
  if (found != magics.end()) return &found->kind;
  if (is_parquet(head)) return &parquet;
  if (is_pickle(head)) return &pickle;
  return is_page(head) ? &page : nullptr;
}

tl::unexpected<Error> foreign_file(const std::string& name, const FileKind& kind) {
  return fail(ErrorCode::rejected_input, name + ": is " + std::string(kind.name) + "; " + std::string(kind.remedy));
}

Status check_not_utf16(std::string_view text, const std::string& name) {
  if (text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE")) return foreign_file(name, utf16);
  return {};
}

Expected<std::string> head_of_file(const std::filesystem::path& path) {
  KV_ASSIGN(const auto file, open_regular_file(path));
  std::string head(file_kind_bytes, '\0');
  std::size_t filled = 0;
  while (filled < head.size()) {
    const ssize_t got = ::read(file.get(), head.data() + filled, head.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read_file(path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  head.resize(filled);
  return head;
}

}  // namespace kvantage
