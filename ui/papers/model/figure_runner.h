// Port to whatever makes a figure of the papers, beside the thread of the window, so that nothing of it holds that up.
// Tests put a scripted one in its place.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QStringList>

namespace kvantage {

class FigureRunner : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  /// `arguments`: the figure's name, then options with their values as `kvantage-cli reproduce` takes them. One figure
  /// at a time: not to be called while running().
  virtual void start(const QStringList& arguments) = 0;
  /// Ends it; ended() follows. Runs that it completed stay recorded.
  virtual void cancel() = 0;
  virtual bool running() const = 0;
  /// The command as a user would type it, for the clipboard and for error lines.
  virtual QString command(const QStringList& arguments) const = 0;

 signals:
  /// One line as it came: of the progress stream (JSON), or what a person would read.
  void said(const QByteArray& line);
  /// exit_code as the command line's: 0 fine, 2 usage, 3 rejected input, 130 interrupted; a line "error: ..." before it
  /// says why. `output`: what `--json` prints.
  void ended(int exit_code, const QByteArray& output);
};

}  // namespace kvantage
