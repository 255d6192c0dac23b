// A moto server (PyPI) of a test's own on a loopback port: buckets in memory, as Amazon's S3 answers.
#pragma once

#include <QElapsedTimer>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <string>

#include "tests/support/certificates.h"
#include "tests/support/redis_server.h"

namespace kvantage::test {

class S3Server {
 public:
  /// The Python that has moto; ./run test makes it (cmake/fetch_moto.sh).
  static QString python() {
    const QString set = qEnvironmentVariable("KVANTAGE_TEST_MOTO");
    if (!set.isEmpty()) return set;
    QString cache = qEnvironmentVariable("KVANTAGE_CACHE");
    if (cache.isEmpty()) {
      const QString home = qEnvironmentVariable("XDG_CACHE_HOME", qEnvironmentVariable("HOME") + "/.cache");
      cache = home + "/kvantage";
    }
    return cache + "/moto-5.1.16/bin/python";
  }
  /// Empty when it can start; else why the test skips.
  static QString missing() {
    return QFileInfo(python()).isExecutable()
               ? QString()
               : QStringLiteral("moto is not installed: cmake/fetch_moto.sh ~/.cache/kvantage/moto-5.1.16");
  }

  explicit S3Server(const QString& bucket = QStringLiteral("archive")) : S3Server(bucket, nullptr, {}) {}
  /// Under TLS, with this certificate of "authority"; the certificates outlive it.
  S3Server(const QString& bucket, const Certificates* certificates, const QString& certificate)
      : bucket_(bucket), certificates_(certificates), certificate_(certificate) {
    start();
  }
  ~S3Server() { kill(); }

  /// Again on the same port, with an empty bucket.
  void start() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      if (!started_) port_ = RedisServer::free_port();
      process_ = std::make_unique<QProcess>();
      process_->setStandardOutputFile(folder_.filePath("log"));
      process_->setStandardErrorFile(folder_.filePath("log"));
      QStringList words{"-m", "moto.server", "-H", "127.0.0.1", "-p", QString::number(port_)};
      if (certificates_ != nullptr)
        words << "-c" << certificates_->path(certificate_ + ".pem") << "-k"
              << certificates_->path(certificate_ + ".key");
      process_->start(python(), words);
      QElapsedTimer timer;
      for (timer.start(); timer.elapsed() < 60000 && process_->state() != QProcess::NotRunning; QTest::qWait(50)) {
        if (!call("create_bucket(Bucket=" + quoted(bucket_) + ")").contains("HTTPStatusCode': 200")) continue;
        started_ = true;
        return;
      }
      kill();
    }
    qFatal("moto did not start");
  }
  void kill() {
    if (process_ == nullptr) return;
    process_->kill();
    process_->waitForFinished();
    process_.reset();
  }

  int port() const { return port_; }
  /// "s3://BUCKET/PREFIX?endpoint=..."
  std::string url(const std::string& prefix = "kv") const {
    return "s3://" + bucket_.toStdString() + "/" + prefix + "?endpoint=" + endpoint().toStdString() +
           "&region=us-east-1";
  }
  /// What boto3's client returns for `expression`, or what it raises, as Python prints it.
  QString call(const QString& expression) const {
    const QString script =
        QStringLiteral(
            "import boto3, botocore.config\n"
            "client = boto3.client('s3', %1, region_name='us-east-1',\n"
            "  aws_access_key_id='test', aws_secret_access_key='test', config=botocore.config.Config(\n"
            "  connect_timeout=5, read_timeout=20, retries={'max_attempts': 0}))\n"
            "bucket = %2\n"
            "def names(prefix=''):\n"
            "  pages = client.get_paginator('list_objects_v2').paginate(Bucket=bucket, Prefix=prefix)\n"
            "  return [o['Key'] for page in pages for o in page.get('Contents', [])]\n"
            "try: print(client.%3)\n"
            "except Exception as error: print('raised', error)\n")
            .arg(connection(), quoted(bucket_), expression)
            .replace(QStringLiteral("client.names("), QStringLiteral("names("));
    return run(script);
  }
  /// Names of its objects, in order.
  QStringList names(const QString& part = {}) const {
    QStringList found;
    const QString all = call(QStringLiteral("names()"));
    for (const QString& item : QString(all).remove('[').remove(']').remove('\'').split(',', Qt::SkipEmptyParts))
      if (item.contains(part)) found << item.trimmed();
    return found;
  }
  /// Replaces the byte at `at` (from the end if negative) of an object by another one.
  void flip(const QString& name, int at) const {
    const QString done = run(QStringLiteral("import boto3\n"
                                            "client = boto3.client('s3', %1,\n"
                                            "  region_name='us-east-1', aws_access_key_id='test',\n"
                                            "  aws_secret_access_key='test')\n"
                                            "body = bytearray(client.get_object(Bucket=%2, Key=%3)['Body'].read())\n"
                                            "body[%4] ^= 1\n"
                                            "client.put_object(Bucket=%2, Key=%3, Body=bytes(body))\n"
                                            "print('flipped')\n")
                                 .arg(connection(), quoted(bucket_), quoted(name), QString::number(at)));
    if (done != "flipped") qFatal("no byte was flipped: %s", qPrintable(done));
  }

 private:
  static QString quoted(const QString& text) { return "'" + text + "'"; }
  QString endpoint() const {
    return (certificates_ != nullptr ? "https://127.0.0.1:" : "http://127.0.0.1:") + QString::number(port_);
  }
  /// Of boto3's client, which is to see the bucket whatever the certificate is.
  QString connection() const { return "endpoint_url=" + quoted(endpoint()) + ", verify=False"; }
  QString run(const QString& script) const {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(python(), {"-W", "ignore", "-c", script});
    process.waitForFinished(120000);
    return QString::fromUtf8(process.readAll()).trimmed();
  }

  QTemporaryDir folder_;
  QString bucket_;
  const Certificates* certificates_ = nullptr;  // null: in clear
  QString certificate_;
  std::unique_ptr<QProcess> process_;
  int port_ = 0;
  bool started_ = false;  // once: others know the port
};

}  // namespace kvantage::test
