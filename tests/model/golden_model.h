// Models of golden cases, and tokens for them.
#pragma once

#include <QTemporaryDir>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "core/model/transformer.h"
#include "tests/model/tiny_checkpoint.h"

namespace kvantage::test {

/// Written into `folder` as bf16 or fp32, and loaded. Ends the test where that fails.
inline std::unique_ptr<Transformer> load_golden(const GoldenCase& golden, const QTemporaryDir& folder, bool bf16,
                                                const LoadOptions& options) {
  golden.write(folder.path().toStdString(), bf16);
  auto model = Transformer::load(folder.path().toStdString(), options);
  if (!model) qFatal("%s: %s", golden.name.c_str(), model.error().message.c_str());
  return *std::move(model);
}

inline std::vector<std::int32_t> random_tokens(Random& random, std::size_t count, int vocabulary) {
  std::vector<std::int32_t> tokens(count);
  for (std::int32_t& token : tokens)
    token = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vocabulary)));
  return tokens;
}

}  // namespace kvantage::test
