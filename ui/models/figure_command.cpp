#include "ui/models/figure_command.h"

#include <signal.h>
#include <sys/prctl.h>

#include <QDir>
#include <QFileInfo>

#include "core/experiments/paper_figures.h"

namespace kvantage {
namespace {

constexpr int last_wait_ms = 1500;

QString quoted(const QString& word) {
  static const QString plain =
      QStringLiteral("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,=:+%");
  for (const QChar letter : word)
    if (!plain.contains(letter)) return '\'' + QString(word).replace('\'', QStringLiteral("'\\''")) + '\'';
  return word.isEmpty() ? QStringLiteral("''") : word;
}

/// Figures on random weights take none.
bool takes_model(const QStringList& arguments) {
  const PaperFigure* figure = arguments.isEmpty() ? nullptr : find_paper_figure(arguments.front().toStdString());
  return figure == nullptr || !figure->random_weights;
}

}  // namespace

FigureCommand::FigureCommand(Setup setup, QObject* parent) : FigureRunner(parent), setup_(std::move(setup)) {
  patience_.setSingleShot(true);
  patience_.setInterval(patience_ms);
  // A window that is killed takes it along: SIGTERM ends it like a cancel does.
  process_.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGTERM); });
  connect(&process_, &QProcess::readyReadStandardError, this, &FigureCommand::read_lines);
  connect(&process_, &QProcess::readyReadStandardOutput, this, [this] { output_ += process_.readAllStandardOutput(); });
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart)
      finish(-1, tr("%1 cannot be started: %2. Install kvantage-cli in the same folder as the window.")
                     .arg(setup_.program, process_.errorString()));
  });
  connect(&process_, &QProcess::finished, this, [this](int exit_code, QProcess::ExitStatus status) {
    if (status == QProcess::NormalExit) return finish(exit_code, {});
    finish(-1, killed_ ? QString()
                       : tr("The command was killed by a signal, perhaps for lack of memory. Close other programs and "
                            "try again."));
  });
  connect(&patience_, &QTimer::timeout, this, [this] {
    killed_ = true;
    process_.kill();
  });
}

FigureCommand::~FigureCommand() {
  process_.disconnect(this);
  if (!running()) return;
  process_.terminate();
  if (!process_.waitForFinished(last_wait_ms)) {
    process_.kill();
    process_.waitForFinished(last_wait_ms);
  }
  clean_up();
}

QString FigureCommand::temporary_store() const {
  return setup_.store.isEmpty() || last_process_ <= 0
             ? QString()
             : QDir(setup_.store).filePath(QStringLiteral("figure-%1").arg(last_process_));
}

QString FigureCommand::command(const QStringList& arguments) const {
  QStringList words{QFileInfo(setup_.program).fileName(), QStringLiteral("reproduce")};
  for (const QString& word : arguments) words << quoted(word);
  if (!setup_.model.isEmpty() && takes_model(arguments)) words << QStringLiteral("--model") << quoted(setup_.model);
  return words.join(' ');
}

void FigureCommand::start(const QStringList& arguments) {
  unread_.clear();
  output_.clear();
  killed_ = false;
  QStringList words = QStringList{QStringLiteral("reproduce")} + arguments;
  words << QStringLiteral("--json") << QStringLiteral("--progress") << QStringLiteral("json")
        << QStringLiteral("--temporary-store");
  const auto add = [&words](const char* option, const QString& value) {
    if (!value.isEmpty()) words << QString::fromLatin1(option) << value;
  };
  if (takes_model(arguments)) add("--model", setup_.model);
  add("--db", setup_.database);
  add("--store", setup_.store);
  process_.start(setup_.program, words);
  last_process_ = process_.processId();
}

void FigureCommand::cancel() {
  if (!running() || patience_.isActive()) return;
  process_.terminate();
  patience_.start();
}

void FigureCommand::read_lines() {
  unread_ += process_.readAllStandardError();
  for (qsizetype end = unread_.indexOf('\n'); end >= 0; end = unread_.indexOf('\n')) {
    const QByteArray line = unread_.left(end);
    unread_.remove(0, end + 1);
    if (!line.trimmed().isEmpty()) emit said(line);
  }
}

void FigureCommand::finish(int exit_code, const QString& trouble) {
  patience_.stop();
  read_lines();
  output_ += process_.readAllStandardOutput();
  clean_up();
  emit ended(exit_code, output_, trouble);
}

// The command removes its store itself, unless it was killed.
void FigureCommand::clean_up() {
  if (const QString left = temporary_store(); !left.isEmpty()) QDir(left).removeRecursively();
}

}  // namespace kvantage
