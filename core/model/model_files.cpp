#include "core/model/model_files.h"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <vector>

#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/model/quantization.h"

namespace kvantage::inline model {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// The first bytes of a file; empty where it is none.
std::string beginning_of(const fs::path& path) {
  std::string bytes(64, '\0');
  std::error_code ignored;
  // Files of the system say 0 bytes, and may wait for more when they are read.
  if (!is_file(path) || fs::file_size(path, ignored) == 0) return {};
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

tl::unexpected<Error> reject_path(const fs::path& path, const std::string& reason) {
  return fail(ErrorCode::rejected_input, path.string() + ": " + reason);
}

/// https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
Status check_no_pointer(const fs::path& path) {
  if (!beginning_of(path).starts_with("version https://git-lfs")) return {};
  return reject_path(path, "is a Git LFS pointer, not the file itself; run `git lfs pull` in its repository");
}

/// torch.save writes a ZIP archive; before version 1.6 a bare pickle, which begins with its protocol, 2 or later.
bool is_pickle(const fs::path& path) {
  const std::string bytes = beginning_of(path);
  return bytes.starts_with("PK\x03\x04") || (bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5);
}

Status check_single_file(const fs::path& file) {
  KV_TRY(check_no_pointer(file));
  if (file.extension() == ".safetensors")
    return reject_path(file, "holds the weights alone; give its folder, with config.json and tokenizer.json");
  if (is_pickle(file))
    return reject_path(file,
                       "is a PyTorch pickle, which can run code when it is read; convert the model to safetensors "
                       "or GGUF");
  return {};
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> files = entries_of(folder, ignored);
  std::erase_if(files, [](const fs::path& path) { return !is_file(path); });
  std::ranges::sort(files);
  return files;
}

bool ends_with_any(const fs::path& path, std::initializer_list<std::string_view> endings) {
  const std::string ending = path.extension().string();
  return std::ranges::find(endings, std::string_view(ending)) != endings.end();
}

/// Why a folder has no weights that are read, where it has others.
Status check_weights_are_read(const fs::path& folder, const std::vector<fs::path>& files) {
  const auto first = [&files](std::initializer_list<std::string_view> endings) {
    return std::ranges::find_if(files, [&](const fs::path& file) { return ends_with_any(file, endings); });
  };
  if (first({".safetensors"}) != files.end() || is_file(folder / "model.safetensors.index.json")) return {};
  if (const auto gguf = first({".gguf"}); gguf != files.end())
    return reject_path(folder, "holds a GGUF file; give the file " + printable(gguf->filename().native()));
  const auto pickle = first({".bin", ".pt", ".pth"});
  if (pickle == files.end() || !is_file(folder / "config.json")) return {};
  return reject_path(folder, "its weights are PyTorch pickles (" + printable(pickle->filename().native()) +
                                 "), which can run code when they are read; convert the model to safetensors or GGUF");
}

/// bitsandbytes and others name themselves there.
Status check_quantization(const fs::path& config) {
  const auto json = read_json_file(config);
  if (!json || !json->is_object()) return {};  // its reader says what it is
  KV_TRY(read_quantization(*json, config.string()));
  return {};
}

}  // namespace

Status check_model_files(const fs::path& model) {
  if (is_file(model)) return check_single_file(model);
  const std::vector<fs::path> files = files_in(model);
  for (const fs::path& file : files)
    if (ends_with_any(file, {".json", ".safetensors", ".gguf", ".bin"})) KV_TRY(check_no_pointer(file));
  KV_TRY(check_weights_are_read(model, files));
  if (!is_file(model / "config.json")) return {};
  KV_TRY(check_quantization(model / "config.json"));
  if (is_file(model / "tokenizer.json")) return {};
  std::error_code ignored;
  if (fs::exists(model / "tokenizer.json", ignored)) return {};  // its reader says what it is
  return reject_path(model, std::string("no tokenizer.json") +
                                (is_file(model / "tokenizer.model") ? " (tokenizer.model is not read)" : "") +
                                "; fetch the model with its tokenizer.json");
}

Status check_vocabulary(const fs::path& model, std::int32_t tokens, const ModelConfig& config) {
  if (tokens <= config.vocab_size) return {};
  return fail(ErrorCode::rejected_input, model.string() + ": the tokenizer has " + std::to_string(tokens) +
                                             " tokens but the model embeds only " + std::to_string(config.vocab_size) +
                                             "; use the tokenizer that belongs to this model");
}

}  // namespace kvantage::inline model
