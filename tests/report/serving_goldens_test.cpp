// links: kv_reports
// Exports for LMCache and vLLM are the files in tests/goldens/serving, byte for byte, which their released packages
// loaded. KVANTAGE_WRITE_SERVING=1 writes them again; then
// tests/parity/validate_exports.py --accept tests/goldens/serving holds them against the packages. Where the packages
// are, or in a long run, which fetches them, the test does that too.
#include <QCryptographicHash>
#include <QDir>
#include <QProcess>
#include <QtTest>

#include "core/base/files.h"
#include "tests/report/serving_cases.h"
#include "tests/support/test_program.h"

namespace serving_goldens_test {

using namespace kvantage;
using namespace kvantage::test;

class ServingGoldensTest : public QObject {
  Q_OBJECT

  static std::filesystem::path folder() { return KVANTAGE_SOURCE_DIR "/tests/goldens/serving"; }
  static QString script() { return QStringLiteral(KVANTAGE_SOURCE_DIR "/tests/parity/validate_exports.py"); }

  struct Finished {
    int code = -1;
    QString text;
  };
  static Finished run(const QString& program, const QStringList& arguments, int milliseconds) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (!process.waitForFinished(milliseconds)) return {-1, program + " did not end"};
    return {process.exitCode(), QString::fromUtf8(process.readAll())};
  }

 private slots:
  void exportsAreTheAcceptedFiles_data() {
    QTest::addColumn<int>("at");
    int at = 0;
    for (const ServingCase& one : serving_cases()) QTest::newRow(one.name.c_str()) << at++;
  }
  void exportsAreTheAcceptedFiles() {
    QFETCH(int, at);
    const ServingCase one = serving_cases()[static_cast<std::size_t>(at)];
    const auto made = serving_settings(one.run, one.system(), one.options);
    QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
    const std::filesystem::path file = folder() / (one.name + ".yaml");
    if (qEnvironmentVariableIsSet("KVANTAGE_WRITE_SERVING")) QVERIFY(write_text_file(file, made->text));
    const auto golden = read_text_file(file);
    QVERIFY2(golden.has_value(), golden ? "" : golden.error().message.c_str());
    QCOMPARE(QString::fromStdString(made->text), QString::fromStdString(*golden));

    const auto accepted = read_json_file(folder() / "accepted.json");
    QVERIFY(accepted && accepted->contains(one.name + ".yaml"));
    const Json& entry = accepted->at(one.name + ".yaml");
    QCOMPARE(entry.at("package").get<std::string>(),
             std::string(one.system() == "lmcache" ? "LMCache 0.5.6" : "vLLM 0.33.0"));
    const QByteArray digest =
        QCryptographicHash::hash(QByteArray::fromStdString(made->text), QCryptographicHash::Sha256);
    QCOMPARE(QString::fromLatin1(digest.toHex()), QString::fromStdString(entry.at("sha256").get<std::string>()));
  }

  // What the packages made of the files, in their units.
  void theyWereLoadedAsMeant() {
    const auto accepted = read_json_file(folder() / "accepted.json");
    QVERIFY(accepted);
    const auto loaded = [&](const char* name) { return accepted->at(std::string(name) + ".yaml").at("loaded"); };
    constexpr double gibibyte = 1024.0 * 1024 * 1024;
    const Json tiers = loaded("lmcache-tiers");
    QCOMPARE(tiers.at("max_local_cpu_size").get<double>() * gibibyte, 64.0 * 1024 * 1024);
    QCOMPARE(tiers.at("max_local_disk_size").get<double>() * gibibyte, gibibyte);
    QCOMPARE(tiers.at("local_disk").get<std::string>(), std::string("kv_cache/"));
    QCOMPARE(tiers.at("remote_url").get<std::string>(), std::string("redis://cache.example:6379"));
    QCOMPARE(tiers.at("cache_policy").get<std::string>(), std::string("LFU"));
    QCOMPARE(loaded("lmcache-cachegen").at("remote_serde").get<std::string>(), std::string("cachegen"));
    QCOMPARE(loaded("lmcache-kivi").at("remote_serde").get<std::string>(), std::string("naive"));
    QCOMPARE(loaded("lmcache-fifo").at("cache_policy").get<std::string>(), std::string("FIFO"));
    QVERIFY(loaded("lmcache-off") == Json({{"local_cpu", false}, {"save_decode_cache", false}}));
    // 131072 bytes a token are 128 / 3 times the run's 3072.
    QCOMPARE(loaded("lmcache-scaled").at("max_local_cpu_size").get<double>() * gibibyte, 2863311530.0);
    const auto offloading = [&](const char* name) {
      return loaded(name).at("kv-transfer-config").at("kv_connector_extra_config");
    };
    QCOMPARE(offloading("vllm-tiers").at("cpu_bytes_to_use").get<std::uint64_t>(), std::uint64_t{64} << 20);
    QCOMPARE(offloading("vllm-tiers").at("eviction_policy").get<std::string>(), std::string("arc"));
    QCOMPARE(loaded("vllm-tiers").at("max-num-seqs").get<int>(), 8);
    QCOMPARE(offloading("vllm-scaled").at("cpu_bytes_to_use").get<std::uint64_t>(), std::uint64_t{2863311530});
    QCOMPARE(loaded("vllm-fp8").at("cache_dtype").get<std::string>(), std::string("fp8"));
    QVERIFY(loaded("vllm-off") == Json({{"cache_dtype", "auto"}, {"enable_prefix_caching", false}}));
    QCOMPARE(tiers.at("chunk_size").get<int>(), 256);
  }

  void thePackagesLoadThem_data() {
    QTest::addColumn<QString>("system");
    QTest::newRow("lmcache") << "lmcache";
    QTest::newRow("vllm") << "vllm";
  }
  void thePackagesLoadThem() {
    QFETCH(QString, system);
    QStringList wheels;
    if (qEnvironmentVariableIsSet("KVANTAGE_LONG")) {
      const QString kept = QString::fromStdString((cache_directory() / "serving").string());
      const Finished fetched =
          run("bash", {QStringLiteral(KVANTAGE_SOURCE_DIR "/tests/parity/fetch_serving_packages.sh"), kept, system},
              600'000);
      if (fetched.code != 0) QSKIP(qPrintable(fetched.text));
      wheels = {"--wheels", kept};
    }
    for (const ServingCase& one : serving_cases()) {
      if (QString::fromStdString(one.system()) != system) continue;
      const QString golden = QString::fromStdString((folder() / (one.name + ".yaml")).string());
      const Finished loaded = run("python3", QStringList{script(), system, golden} + wheels, 120'000);
      if (loaded.code == 77) QSKIP(qPrintable(loaded.text.trimmed()));
      QVERIFY2(loaded.code == 0, qPrintable(loaded.text));
      const auto json = parse_json(loaded.text.toStdString(), "stdout");
      const auto accepted = read_json_file(folder() / "accepted.json");
      QVERIFY2(json && accepted, qPrintable(loaded.text));
      QVERIFY2(json->at("loaded") == accepted->at(one.name + ".yaml").at("loaded"), qPrintable(loaded.text));
    }
  }

  // What the check is worth: it refuses what the packages do not know.
  void thePackagesRefuseOthers_data() {
    QTest::addColumn<QString>("system");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("reason");
    QTest::newRow("policy of an earlier release")
        << "lmcache" << QByteArray("cache_policy: 'COST_AWARE'\n") << "cache_policy COST_AWARE is none of";
    QTest::newRow("unknown key") << "lmcache" << QByteArray("local_device: cpu\n") << "Unknown configuration key";
    QTest::newRow("text for a size") << "lmcache" << QByteArray("max_local_cpu_size: 5GB\n")
                                     << "Failed to convert value";
    QTest::newRow("unknown option") << "vllm" << QByteArray("swap-space: 4\n") << "no option --swap-space";
    QTest::newRow("unknown type") << "vllm" << QByteArray("kv-cache-dtype: kivi\n") << "Invalid kv_cache_dtype";
    QTest::newRow("unknown eviction")
        << "vllm"
        << QByteArray(
               "kv-transfer-config: '{\"kv_connector\":\"OffloadingConnector\",\"kv_role\":\"kv_both\","
               "\"kv_connector_extra_config\":{\"cpu_bytes_to_use\":1,\"eviction_policy\":\"lfu\"}}'\n")
        << "lfu is none of";
  }
  void thePackagesRefuseOthers() {
    QFETCH(QString, system);
    QFETCH(QByteArray, text);
    QFETCH(QString, reason);
    QTemporaryDir temporary;
    const QString file = temporary.filePath("wrong.yaml");
    QVERIFY(write_text_file(file.toStdString(), text.toStdString()));
    const Finished refused = run("python3", {script(), system, file}, 120'000);
    if (refused.code == 77) QSKIP(qPrintable(refused.text.trimmed()));
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.text.contains(reason), qPrintable(refused.text));
  }
};

KV_TEST_GUILESS_MAIN(ServingGoldensTest)

}  // namespace serving_goldens_test

#include "serving_goldens_test.moc"
