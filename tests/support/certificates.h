// Authorities and the certificates that they signed, made by the openssl program in a folder that goes away.
#pragma once

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QStringList>
#include <QTemporaryDir>
#include <string>

namespace kvantage::test {

class Certificates {
 public:
  static bool is_missing() { return QStandardPaths::findExecutable("openssl").isEmpty(); }

  QString path(const QString& name) const { return folder_.filePath(name); }
  std::string file(const QString& name) const { return path(name).toStdString(); }

  /// NAME.pem and NAME.key, as sign().
  bool make_authority(const QString& name) {
    return openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=" + name, "-keyout", path(name + ".key"), "-out", path(name + ".pem")});
  }
  /// `names`: as in "DNS:localhost,IP:127.0.0.1". `days`: below zero it has expired.
  bool sign(const QString& name, const QString& authority, const QString& names, int days = 2) {
    QFile extensions(path(name + ".ext"));
    if (!extensions.open(QIODevice::WriteOnly)) return false;
    extensions.write("subjectAltName=" + names.toLatin1() + "\n");
    extensions.close();
    return openssl({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                    "/CN=" + name, "-keyout", path(name + ".key"), "-out", path(name + ".csr")}) &&
           openssl({"x509", "-req", "-in", path(name + ".csr"), "-CA", path(authority + ".pem"), "-CAkey",
                    path(authority + ".key"), "-CAcreateserial", "-days", QString::number(days), "-extfile",
                    extensions.fileName(), "-out", path(name + ".pem")});
  }
  /// Of redis-server: TLS on a port of its own with this certificate, also towards other servers; its clients need
  /// none.
  QStringList redis_options(const QString& certificate, int port) const {
    return {"--tls-port",         QString::number(port),
            "--tls-cert-file",    path(certificate + ".pem"),
            "--tls-key-file",     path(certificate + ".key"),
            "--tls-ca-cert-file", path("authority.pem"),
            "--tls-auth-clients", "no",
            "--tls-replication",  "yes"};
  }

 private:
  static bool openssl(const QStringList& words) {
    QProcess process;
    process.start("openssl", words);
    return process.waitForFinished(60000) && process.exitCode() == 0;
  }

  QTemporaryDir folder_;
};

}  // namespace kvantage::test
