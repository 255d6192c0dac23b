#include "core/model/random_checkpoint.h"

#include <cmath>
#include <cstring>

#include "core/base/files.h"
#include "core/model/kernels/kernels.h"

namespace kvantage::inline model {

void RandomCheckpoint::add(const std::string& name, std::vector<std::int64_t> extents, double half_width, double mean) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  const std::size_t begin = data_.size();
  data_.resize(begin + static_cast<std::size_t>(count) * sizeof(Bf16));
  char* place = data_.data() + begin;
  for (std::int64_t i = 0; i < count; ++i, place += sizeof(Bf16)) {
    const Bf16 number = to_bf16(static_cast<float>((2 * random_.uniform() - 1) * half_width + mean));
    std::memcpy(place, &number, sizeof(number));
  }
  header_[name] = {{"dtype", "BF16"}, {"shape", extents}, {"data_offsets", {begin, data_.size()}}};
}

void RandomCheckpoint::add_matrix(const std::string& name, std::int64_t out, std::int64_t in) {
  add(name, {out, in}, 1.8 / std::sqrt(static_cast<double>(in)));
}

Status RandomCheckpoint::write(const std::filesystem::path& folder, const Json& config) const {
  std::string text = dump_json(header_);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> (8 * i) & 0xff);
  KV_TRY(write_text_file(folder / "config.json", dump_json(config)));
  return write_text_file(folder / "model.safetensors", length + text + data_);
}

}  // namespace kvantage::inline model
