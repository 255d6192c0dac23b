// The window's program in a process of its own, without a display, and the signals that end it.
#pragma once

#include <signal.h>

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTest>

#include <functional>

#include "tests/support/command_line.h"

namespace kvantage::test {

/// `config` holds its settings; `hangup` is what its parent does with SIGHUP (nohup has the tests ignore it).
inline bool start_window(QProcess& process, const QString& config, const QStringList& words,
                         void (*hangup)(int) = SIG_DFL) {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("XDG_CONFIG_HOME", config);
  environment.insert("QT_QPA_PLATFORM", "offscreen");
  process.setProcessEnvironment(environment);
  process.setChildProcessModifier([hangup] { ::signal(SIGHUP, hangup); });
  process.start(window_program(), words);
  return process.waitForStarted();
}

inline bool wait_for_window(QProcess& process, const std::function<bool()>& due) {
  QElapsedTimer timer;
  timer.start();
  while (!due() && process.state() == QProcess::Running && timer.elapsed() < 180000) process.waitForFinished(20);
  return process.state() == QProcess::Running && due();
}

/// Whether it handles SIGTERM by now.
inline bool handles_signals(const QProcess& process) {
  QFile status(QStringLiteral("/proc/%1/status").arg(process.processId()));
  if (!status.open(QIODevice::ReadOnly)) return false;
  for (const QByteArray& line : status.readAll().split('\n'))
    if (line.startsWith("SigCgt:")) return (line.mid(7).trimmed().toULongLong(nullptr, 16) >> (SIGTERM - 1) & 1) != 0;
  return false;
}

inline void send_signal(const QProcess& process, int signal) {
  ::kill(static_cast<pid_t>(process.processId()), signal);
}

/// It ends within a minute, with exit code 130.
inline void end_window(QProcess& process, int signal) {
  send_signal(process, signal);
  const bool ended = process.waitForFinished(60000);
  if (!ended) {
    process.kill();
    process.waitForFinished();
  }
  QVERIFY2(ended, "did not end within a minute");
  QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 130,
           qPrintable(QStringLiteral("exit code %1: %2")
                          .arg(process.exitCode())
                          .arg(QString::fromUtf8(process.readAllStandardError().left(300)))));
}

}  // namespace kvantage::test
