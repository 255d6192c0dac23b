// A GGUF file of a model, in a folder of its own.
#pragma once

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <string>

#include "core/model/transformer.h"
#include "tests/model/tiny_checkpoint.h"

namespace kvantage::test {

class ModelFile {
 public:
  std::filesystem::path path() const { return std::filesystem::path(folder_.path().toStdString()) / "model.gguf"; }

  /// Fails the test unless these bytes are refused in one line that has `part` and says how to mend it.
  void refused(const std::string& bytes, const char* part) const {
    write_file(path(), bytes);
    const auto model = Transformer::load(path());
    const QString message = QString::fromStdString(model ? "" : model.error().message);
    QVERIFY2(!model && model.error().code == ErrorCode::rejected_input && message.contains(part) &&
                 message.contains("model.gguf: ") && message.contains("; ") && !message.contains('\n'),
             qPrintable(QString(part) + ": " + message));
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace kvantage::test
