#include "app/figure_thread.h"

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/base/interrupts.h"
#include "app/cli/figures/figure_models.h"
#include "app/cli/figures/figure_request.h"
#include "app/shell_word.h"
#include "core/base/thread_priority.h"
#include "core/experiments/paper_figures.h"
#include "core/model/transformer.h"

namespace kvantage {
namespace {

/// Those on random weights and those without a model get none.
bool takes_model(const QStringList& arguments) {
  const PaperFigure* figure = arguments.isEmpty() ? nullptr : find_paper_figure(arguments.front().toStdString());
  return figure == nullptr || uses_model(*figure);
}

constexpr QLatin1String models_option("--models");

/// Takes the option and its value out of the words; empty: it is not among them.
std::string take_models(QStringList& words) {
  const qsizetype at = words.indexOf(models_option);
  if (at < 0 || at + 1 >= words.size()) return {};
  const QString models = words.takeAt(at + 1);
  words.removeAt(at);
  return models.toStdString();
}

/// Hands on the warnings of a figure's session.
class WarningLines final : public cli::RequestCounter {
 public:
  explicit WarningLines(std::function<void(const std::string& line)> tell) : tell_(std::move(tell)) {}
  void publish(const Event& event) override {
    if (count(event)) return;
    if (const auto* message = std::get_if<events::Message>(&event.payload))
      if (message->level != "info") tell_(message->level + ": " + message->text);
  }

 private:
  std::function<void(const std::string& line)> tell_;
};

/// Keeps what it is shown as text.
class ThreadFigureHost final : public cli::ProgramFigureHost {
 public:
  ThreadFigureHost(std::function<bool()> stop, std::function<void(const std::string& line)> tell)
      : ProgramFigureHost(std::move(stop)), tell_(std::move(tell)) {}
  const std::string& output() const { return output_; }

 protected:
  void write(const std::string& text) override { output_ += text; }
  std::unique_ptr<cli::RequestCounter> make_sink(const FigureArguments&) const override {
    return std::make_unique<WarningLines>(tell_);
  }

 private:
  std::function<void(const std::string& line)> tell_;
  std::string output_;
};

}  // namespace

FigureThread::FigureThread(Setup setup, QObject* parent) : FigureRunner(parent), setup_(std::move(setup)) {}

FigureThread::~FigureThread() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

QStringList FigureThread::with_model(QStringList words) const {
  const QString option = QStringLiteral("--model");
  // A figure with a model of its own names it.
  if (words.contains(option) || words.contains(models_option) || !takes_model(words)) return words;
  if (!setup_.model.isEmpty()) words << option << setup_.model;
  return words << setup_.reading;
}

QString FigureThread::command(const QStringList& arguments) const {
  QStringList words{QStringLiteral("kvantage-cli"), QStringLiteral("reproduce")};
  for (const QString& word : with_model(arguments)) words << shell_word(word);
  return words.join(' ');
}

void FigureThread::start(const QStringList& arguments) {
  if (thread_.joinable()) thread_.join();  // has ended: one at a time
  QStringList words = with_model(arguments);
  words << QStringLiteral("--json") << QStringLiteral("--temporary-store");
  const auto add = [&words](const char* option, const QString& value) {
    if (!value.isEmpty()) words << QString::fromLatin1(option) << value;
  };
  add("--db", setup_.database);
  add("--store", setup_.store);
  stop_ = false;
  running_ = true;
  thread_ = std::thread([this, words] { make(words); });
}

// On the figure's thread.
void FigureThread::make(QStringList words) {
  rank_this_thread(ThreadPriority::engine);
  set_compute_threads(0);  // as on the command line, whatever the live session leaves to the window
  const std::string models = take_models(words);
  std::vector<std::string> text;
  text.reserve(static_cast<std::size_t>(words.size()));
  for (const QString& word : words) text.push_back(word.toStdString());
  std::string output;
  int code = 0;
  try {
    if (const Status status = models.empty() ? make_one(text, output) : make_on(models, text, output); !status) {
      code = status.error().code == ErrorCode::cancelled ? cli::interrupted_exit_code : exit_code(status.error());
      tell("error: " + status.error().message);
    }
  } catch (const std::exception& error) {  // out of memory, for instance: the window and its session remain
    code = 1;
    tell(std::string("error: ") + error.what());
  }
  QMetaObject::invokeMethod(
      this,
      [this, code, made = QByteArray::fromStdString(output)] {
        running_ = false;
        emit ended(code, made);
      },
      Qt::QueuedConnection);
}

Status FigureThread::make_one(const std::vector<std::string>& words, std::string& output) {
  const auto line = [this](const std::string& text) { tell(text); };
  ThreadFigureHost host([this] { return stop_.load(); }, line);
  host.set_patience(setup_.patience);
  FigureArguments arguments;
  const Status made = cli::make_figure_of_words(words, arguments, host, line);
  output = host.output();
  return made;
}

Status FigureThread::make_on(const std::string& models, const std::vector<std::string>& words, std::string& output) {
  const auto line = [this](const std::string& text) { tell(text); };
  const auto host = [this, line] {
    auto made = std::make_unique<ThreadFigureHost>([this] { return stop_.load(); }, line);
    made->set_patience(setup_.patience);
    return made;
  };
  KV_ASSIGN(const auto all, cli::make_figure_on_models(words, models, {host, line, {}}));
  output = dump_json(cli::models_json(find_paper_figure(words.front())->name, all.made));
  return all.status;
}

void FigureThread::tell(const std::string& line) {
  QMetaObject::invokeMethod(
      this, [this, line = QByteArray::fromStdString(line)] { emit said(line); }, Qt::QueuedConnection);
}

}  // namespace kvantage
