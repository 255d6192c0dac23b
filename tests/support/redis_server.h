// A redis-server (Debian package) of a test's own on a loopback port, its data in a temporary folder.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <string>

namespace kvantage::test {

class RedisServer {
 public:
  /// Empty when redis-server or redis-cli is not installed: the test then skips.
  static QString missing() {
    for (const char* program : {"redis-server", "redis-cli"})
      if (QStandardPaths::findExecutable(program).isEmpty())
        return QString("%1 is not installed: apt-get install redis-server redis-tools").arg(program);
    return {};
  }

  /// A loopback port that nobody listens at.
  static int free_port() {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    const bool got = ::bind(fd, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0;
    ::close(fd);
    return got ? ntohs(address.sin_port) : 0;
  }

  explicit RedisServer(QStringList settings = {}, QString password = {})
      : settings_(std::move(settings)), password_(std::move(password)) {
    start();
  }
  ~RedisServer() { kill(); }

  /// Again on the same port, with the data that was written to disk.
  void start() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      if (!started_) port_ = free_port();
      process_ = std::make_unique<QProcess>();
      process_->setStandardOutputFile(folder_.filePath("log"));
      process_->setStandardErrorFile(folder_.filePath("log"));
      QStringList words{"--port", QString::number(port_), "--bind", "127.0.0.1", "--dir", folder_.path(), "--save",
                        "",       "--daemonize",          "no"};
      if (!password_.isEmpty()) words << "--requirepass" << password_;
      process_->start("redis-server", words + settings_);
      QElapsedTimer timer;
      for (timer.start(); timer.elapsed() < 30000 && process_->state() != QProcess::NotRunning; QTest::qWait(5))
        if (answers()) {
          started_ = true;
          return;
        }
      kill();
    }
    qFatal("redis-server did not start");
  }
  void kill() {
    if (process_ == nullptr) return;
    process_->kill();
    process_->waitForFinished();
    process_.reset();
  }
  void freeze() { ::kill(static_cast<pid_t>(process_->processId()), SIGSTOP); }
  void thaw() { ::kill(static_cast<pid_t>(process_->processId()), SIGCONT); }

  int port() const { return port_; }
  std::string url(const std::string& account = {}) const {
    return "redis://" + (account.empty() ? "" : account + "@") + "127.0.0.1:" + std::to_string(port_);
  }
  /// What redis-cli prints for a command.
  QString cli(const QStringList& words) const {
    QProcess client;
    QStringList all{"-p", QString::number(port_), "--no-auth-warning"};
    if (!password_.isEmpty()) all << "-a" << password_;
    client.start("redis-cli", all + words);
    client.waitForFinished(60000);
    return QString::fromUtf8(client.readAllStandardOutput()).trimmed();
  }
  QStringList keys(const QString& pattern = "*") const {
    return cli({"--scan", "--pattern", pattern}).split('\n', Qt::SkipEmptyParts);
  }

 private:
  // Ready: it has an answer to PING, be it that it wants a password.
  bool answers() const {
    const QString said = cli({"PING"});
    return said == "PONG" || said.contains("NOAUTH");
  }

  QTemporaryDir folder_;
  QStringList settings_;
  QString password_;
  std::unique_ptr<QProcess> process_;
  int port_ = 0;
  bool started_ = false;  // once: others know the port
};

}  // namespace kvantage::test
