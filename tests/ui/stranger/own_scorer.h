// A scorer as a person writes it: five lines of Python, and the file that Python makes of them.
#pragma once

#include <QFile>
#include <QProcess>
#include <QString>

namespace kvantage::test {

/// The lines of `function` in the script that makes the tests' method files.
inline QByteArray scorer_lines(const QByteArray& function) {
  QFile file(QStringLiteral(KVANTAGE_SOURCE_DIR "/tests/goldens/method_files/make_method_files.py"));
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray python = file.readAll();
  const qsizetype begin = python.indexOf("@torch.jit.script\ndef " + function + "(");
  return begin < 0 ? QByteArray() : python.mid(begin, python.indexOf("\n\n", begin) - begin);
}

/// Saves them and a last line, runs that with Python (KVANTAGE_TORCH_PYTHON, else python3) and gives the file that it
/// saved; the committed one of the same lines, under the same name, where Python has no torch.
inline QString saved_scorer(const QByteArray& function, const QString& folder, const QString& name) {
  const QString file = folder + "/" + name + ".pt", source = folder + "/" + name + ".py";
  const QString python = qEnvironmentVariable("KVANTAGE_TORCH_PYTHON", QStringLiteral("python3"));
  QFile script(source);
  if (!script.open(QIODevice::WriteOnly)) return {};
  script.write("import torch\nfrom torch import Tensor\n\n" + scorer_lines(function) + "\n\n" + function + ".save(\"" +
               file.toUtf8() + "\")\n");
  script.close();
  if (QProcess::execute(python, {QStringLiteral("-c"), QStringLiteral("import torch")}) == 0) {
    qInfo("the scorer's lines are run by %s", qPrintable(python));
    if (QProcess::execute(python, {source}) == 0 && QFile::exists(file)) return file;
    return {};
  }
  qInfo("%s has no torch: the committed file of the same lines is taken", qPrintable(python));
  const QString goldens = QStringLiteral(KVANTAGE_SOURCE_DIR "/tests/goldens/method_files/script_");
  return QFile::copy(goldens + QString::fromUtf8(function) + ".pt", file) ? file : QString();
}

}  // namespace kvantage::test
