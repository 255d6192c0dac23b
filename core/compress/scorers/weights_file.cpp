#include "core/compress/scorers/weights_file.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/model/safetensors.h"

namespace kvantage::inline scorers {
namespace {

constexpr std::uint64_t max_weight_bytes = std::uint64_t{1} << 30;

/// A file as it was when it was read: its path, size and time of change.
struct ReadFile {
  std::string path;
  std::uintmax_t bytes = 0;
  std::filesystem::file_time_type changed;
  std::shared_ptr<const WeightsFile> file;
};

std::optional<at::ScalarType> scalar_of(const std::string& dtype) {
  if (dtype == "F32") return at::kFloat;
  if (dtype == "F16") return at::kHalf;
  if (dtype == "BF16") return at::kBFloat16;
  return std::nullopt;
}

std::string shape_text(at::IntArrayRef shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + (size < 0 ? "any" : std::to_string(size));
  return "[" + text + "]";
}

}  // namespace

tl::unexpected<Error> WeightsFile::rejected(const std::string& reason) const {
  return fail(ErrorCode::rejected_input, path_ + ": " + reason);
}

Expected<std::shared_ptr<const WeightsFile>> WeightsFile::read(const std::string& path) {
  KV_ASSIGN(const auto bytes, read_text_file(path, max_weight_bytes));
  KV_ASSIGN(const auto stored, parse_safetensors(std::as_bytes(std::span(bytes)), path));
  auto file = std::make_shared<WeightsFile>();
  file->path_ = path;
  file->digest_ = digest_of(bytes).hex();
  for (const auto& [name, tensor] : stored) {
    const auto type = scalar_of(tensor.dtype);
    if (!type) continue;  // tensor() says so if it is asked for
    const at::Tensor rows = at::empty(tensor.shape, *type);
    if (!tensor.bytes.empty()) std::memcpy(rows.data_ptr(), tensor.bytes.data(), tensor.bytes.size());
    file->tensors_.emplace(name, rows);
  }
  return file;
}

Expected<std::shared_ptr<const WeightsFile>> WeightsFile::open(const Parameters& parameters, std::string_view key) {
  std::string path = parameters.text(key);
  for (const char* ending : {".pt", ".pth", ".bin", ".pkl"})
    if (path.ends_with(ending))
      return fail(ErrorCode::rejected_input,
                  path +
                      ": a pickle file may run code when it is read, so it is not; convert it to safetensors "
                      "(docs/methods-learned.md)");
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) path += "/model.safetensors";
  ReadFile now{path, std::filesystem::file_size(path, code), {}, nullptr};
  if (code) return fail(ErrorCode::rejected_input, path + ": " + code.message() + "; give a safetensors file");
  now.changed = std::filesystem::last_write_time(path, code);
  static std::mutex mutex;
  static std::deque<ReadFile> cached;  // methods are parsed at every request
  const std::scoped_lock lock(mutex);
  const auto at = std::ranges::find_if(cached, [&](const ReadFile& one) {
    return one.path == now.path && one.bytes == now.bytes && one.changed == now.changed;
  });
  if (at != cached.end()) {
    now.file = at->file;
  } else {
    KV_ASSIGN(now.file, read(path));
    std::erase_if(cached, [&](const ReadFile& one) { return one.path == path; });
    cached.push_back(now);
    if (cached.size() > 8) cached.pop_front();
  }
  if (const std::string digest = parameters.text("digest"); digest != "any" && digest != now.file->digest())
    return fail(ErrorCode::usage, path + ": its digest is " + now.file->digest() + " and not " + digest +
                                      ": the file has changed since; give it without a digest to use it as it is");
  return now.file;
}

Expected<at::Tensor> WeightsFile::tensor(const std::string& name, const std::vector<std::int64_t>& shape) const {
  const auto at = tensors_.find(name);
  if (at == tensors_.end())
    return rejected("tensor '" + name + "' is missing, or of a type other than F32, F16 and BF16");
  const at::IntArrayRef sizes = at->second.sizes();
  bool fits = sizes.size() == shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) fits = shape[i] < 0 || shape[i] == sizes[i];
  if (!fits)
    return rejected("tensor '" + name + "' is " + shape_text(sizes) + " and this model needs " + shape_text(shape) +
                    "; give the weights made for this model");
  return at->second.to(at::kFloat);
}

Expected<at::Tensor> WeightsFile::in_order_of(const LayerView& view, const char* method, const at::Tensor& numbers,
                                              bool matrices) {
  if (view.files == nullptr) return numbers;
  if (!view.files->latent_model.empty())
    return fail(ErrorCode::rejected_input, std::string("method '") + method + "': the keys of " +
                                               view.files->latent_model +
                                               " are products of a latent vector, and files have no order for their "
                                               "channels; give the method without a file");
  if (view.files->channels.empty()) return numbers;
  const at::Tensor places = at::tensor(view.files->channels).to(at::kLong);
  const at::Tensor ordered = numbers.index_select(-1, places);
  return matrices ? ordered.index_select(-2, places) : ordered;
}

}  // namespace kvantage::inline scorers
