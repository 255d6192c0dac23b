// A SLURM cluster of a test's own (Debian packages slurmctld, slurmd, slurm-client): its controller and nodes are
// processes on loopback ports with a configuration in a temporary folder. Nodes share this machine's files, as on a
// shared file system. Any user can start it.
#pragma once

#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "tests/support/redis_server.h"

namespace kvantage::test {

class SlurmCluster {
 public:
  /// Empty when SLURM is not installed: the test then skips.
  static QString missing() {
    for (const char* name : {"slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel"})
      if (program(name).isEmpty())
        return QString("%1 is not installed: apt-get install slurmctld slurmd slurm-client").arg(name);
    return {};
  }

  explicit SlurmCluster(int nodes) {
    write_configuration(nodes);
    start("slurmctld", {"-D"});
    for (int node = 1; node <= nodes; ++node) start("slurmd", {"-D", "-N", name_of(node)});
    QElapsedTimer timer;
    for (timer.start(); timer.elapsed() < 60'000; QTest::qWait(100))
      if (call("sinfo", {"--noheader", "--format=%t %D"}).trimmed() == "idle " + QString::number(nodes)) return;
    qFatal("SLURM did not start:\n%s", qPrintable(call("sinfo", {}) + logs()));
  }
  ~SlurmCluster() {
    call("scancel", {"--state=RUNNING", "--signal=KILL", "--full", "--user=" + user_name()});
    call("scancel", {"--user=" + user_name()});
    for (int node = 1; node < static_cast<int>(daemons_.size()); ++node) kill_node(node);
    daemons_.front()->kill();
    daemons_.front()->waitForFinished();
  }
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;

  /// For programs that submit.
  QProcessEnvironment environment() const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("SLURM_CONF", folder_.filePath("slurm.conf"));
    return environment;
  }
  /// What a program of SLURM prints.
  QString call(const QString& name, const QStringList& words) const {
    QProcess client;
    client.setProcessEnvironment(environment());
    client.start(program(name), words);
    client.waitForFinished(60'000);
    return QString::fromUtf8(client.readAllStandardOutput() + client.readAllStandardError());
  }
  /// Processes of jobs on the node, from 1: those that SLURM told its name.
  std::vector<pid_t> job_processes(int node) const {
    const std::string name = "SLURMD_NODENAME=" + name_of(node).toStdString();
    const std::string configuration = "SLURM_CONF=" + folder_.filePath("slurm.conf").toStdString();
    std::vector<pid_t> found;
    std::error_code ignored;
    for (const std::filesystem::path& entry : entries_of("/proc", ignored)) {
      const int pid = QString::fromStdString(entry.filename().string()).toInt();
      if (pid <= 0) continue;
      QFile file(QString("/proc/%1/environ").arg(pid));
      if (!file.open(QIODevice::ReadOnly)) continue;
      const QList<QByteArray> variables = file.readAll().split('\0');
      if (variables.contains(QByteArray::fromStdString(name)) &&
          variables.contains(QByteArray::fromStdString(configuration)))
        found.push_back(pid);
    }
    return found;
  }
  /// As if its power were cut: no process of the node says another word.
  void kill_node(int node) {
    QProcess& daemon = *daemons_[static_cast<std::size_t>(node)];
    daemon.kill();
    daemon.waitForFinished();
    for (const pid_t pid : job_processes(node)) {
      const pid_t parent = parent_of(pid);
      if (is_step_daemon(parent)) ::kill(parent, SIGKILL);
      ::kill(pid, SIGKILL);
    }
  }

 private:
  static QString program(const QString& name) {
    const QString found = QStandardPaths::findExecutable(name);
    return found.isEmpty() ? QStandardPaths::findExecutable(name, {"/usr/sbin", "/sbin"}) : found;
  }
  static QString name_of(int node) { return "n" + QString::number(node); }
  static QString user_name() {
    const passwd* user = ::getpwuid(::getuid());
    return user == nullptr ? QString::number(::getuid()) : QString::fromLocal8Bit(user->pw_name);
  }
  static pid_t parent_of(pid_t pid) {
    QFile file(QString("/proc/%1/status").arg(pid));
    if (file.open(QIODevice::ReadOnly))
      for (const QByteArray& line : file.readAll().split('\n'))
        if (line.startsWith("PPid:")) return line.mid(5).trimmed().toInt();
    return 0;
  }
  static bool is_step_daemon(pid_t pid) {
    QFile file(QString("/proc/%1/comm").arg(pid));
    return pid > 1 && file.open(QIODevice::ReadOnly) && file.readAll().startsWith("slurmstepd");
  }

  void write_configuration(int nodes) {
    const QString at = folder_.path();
    QString text =
        "ClusterName=kvantage\nSlurmctldHost=localhost(127.0.0.1)\nAuthType=auth/none\n"
        "CredType=cred/none\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
        "JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n"
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nSlurmdParameters=config_overrides\n"
        "MpiDefault=none\nSwitchType=switch/none\nReturnToService=2\nSlurmdTimeout=5\nKillWait=1\n"
        "MailProg=/bin/true\n";
    text += "SlurmUser=" + user_name() + "\nSlurmdUser=" + user_name() + "\n";
    text += "SlurmctldPort=" + QString::number(RedisServer::free_port()) + "\n";
    text += "StateSaveLocation=" + at + "/state\nSlurmdSpoolDir=" + at + "/spool/%n\nSlurmctldPidFile=" + at +
            "/controller.pid\nSlurmdPidFile=" + at + "/%n.pid\nSlurmctldLogFile=" + at +
            "/controller.log\nSlurmdLogFile=" + at + "/%n.log\n";
    for (int node = 1; node <= nodes; ++node) {
      std::filesystem::create_directories((at + "/spool/" + name_of(node)).toStdString());
      text += "NodeName=" + name_of(node) +
              " NodeHostname=localhost NodeAddr=127.0.0.1 Port=" + QString::number(RedisServer::free_port()) +
              " CPUs=2 RealMemory=100\n";
    }
    text += QString("PartitionName=all Nodes=n[1-%1] Default=YES MaxTime=INFINITE State=UP\n").arg(nodes);
    std::filesystem::create_directories((at + "/state").toStdString());
    const bool written = write_text_file((at + "/slurm.conf").toStdString(), text.toStdString()).has_value() &&
                         write_text_file((at + "/cgroup.conf").toStdString(), "CgroupPlugin=cgroup/v1\n").has_value();
    if (!written) qFatal("the configuration of SLURM cannot be written");
  }
  void start(const QString& name, const QStringList& words) {
    daemons_.push_back(std::make_unique<QProcess>());
    QProcess& daemon = *daemons_.back();
    daemon.setProcessEnvironment(environment());
    daemon.setStandardOutputFile(QProcess::nullDevice());
    daemon.setStandardErrorFile(QProcess::nullDevice());
    daemon.start(program(name), words);
    if (!daemon.waitForStarted()) qFatal("%s cannot be started", qPrintable(name));
  }
  QString logs() const {
    QString text;
    for (const char* name : {"controller.log", "n1.log"}) {
      QFile file(folder_.filePath(name));
      if (file.open(QIODevice::ReadOnly)) text += QString::fromUtf8(file.readAll().right(4000));
    }
    return text;
  }

  QTemporaryDir folder_;
  std::vector<std::unique_ptr<QProcess>> daemons_;  // the controller, then nodes
};

}  // namespace kvantage::test
