// Keys of one architecture in a GGUF file.
#pragma once

#include <string>

#include "core/base/gguf_file.h"

namespace kvantage::inline model_gguf {

/// By name without the architecture's prefix: "llama." + name. Errors as GgufFile's, naming file and key.
class GgufKeys {
 public:
  /// The file must outlive it.
  GgufKeys(const GgufFile& file, const std::string& architecture) : file_(file), prefix_(architecture + ".") {}

  std::string key(const char* name) const { return prefix_ + name; }
  bool has(const char* name) const { return file_.has(key(name)); }
  Expected<int> size(const char* name) const {
    KV_ASSIGN(const auto number, file_.whole_number(key(name)));
    if (number < 1 || number > 1'000'000'000) return refuse(name, "must be from 1 to 1e9");
    return static_cast<int>(number);
  }
  Expected<int> size_or(const char* name, int otherwise) const {
    return has(name) ? size(name) : Expected<int>(otherwise);
  }
  Expected<double> positive(const char* name) const {
    KV_ASSIGN(const double number, file_.number(key(name)));
    if (!(number > 1e-12 && number < 1e12)) return refuse(name, "must be a positive number from 1e-12 to 1e12");
    return number;
  }
  Expected<double> positive_or(const char* name, double otherwise) const {
    return has(name) ? positive(name) : Expected<double>(otherwise);
  }
  Expected<bool> flag_or(const char* name, bool otherwise) const {
    return has(name) ? file_.flag(key(name)) : Expected<bool>(otherwise);
  }
  tl::unexpected<Error> refuse(const char* name, const std::string& reason) const {
    return file_.reject("key '" + key(name) + "' " + reason + "; convert the model again or use another");
  }
  const GgufFile& file() const { return file_; }

 private:
  const GgufFile& file_;
  std::string prefix_;
};

}  // namespace kvantage::inline model_gguf
