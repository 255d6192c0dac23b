// links: core_base
// Functions, classes and headers stay short enough to be read at once. What is longer is listed here with its size,
// which may only become smaller.
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/structure/source_outline.h"
#include "tests/support/test_program.h"

namespace sizes_test {

namespace fs = std::filesystem;
using kvantage::testing::ClassSize;
using kvantage::testing::FunctionSize;
using kvantage::testing::Outline;
using kvantage::testing::outline_of;
/// By the name of what is larger than its limit.
using Sizes = std::map<std::string, int>;

constexpr int max_function_lines = 80;  // from the first line of its declaration to its closing brace
constexpr int max_class_functions = 25;
constexpr int max_class_fields = 20;
constexpr int max_header_lines = 150;
constexpr int max_shared_members = 10;  // of a struct that more than two parts of the engine name
constexpr int max_shell_lines = 200;    // of the window's own class, each of its two files
constexpr int max_window_lines = 400;   // of any file of the window

/// Members with parameters of classes in core.
const Sizes& large_classes() {
  static const Sizes sizes{{"core/kv/kv_cache.h: KvCache", 48},
                           {"core/policy/min_drop_plan.h: MinDropPlan", 28},
                           {"core/report/replay_source.h: ReplaySource", 27}};
  return sizes;
}

/// Members of each object of classes in core.
const Sizes& wide_classes() {
  static const Sizes sizes{{"core/experiments/studies/figure_arguments.h: FigureArguments", 37},
                           {"core/model/architectures/model_config.h: ModelConfig", 21},
                           {"core/model/batch_decode.cpp: BatchDecodeTask", 24},
                           {"core/report/report.h: PolicyRow", 24},
                           {"core/train/trainer.h: TrainOptions", 21}};
  return sizes;
}

/// Lines of headers in core.
const Sizes& long_headers() {
  static const Sizes sizes{{"core/base/json_fields.h", 222},
                           {"core/eviction/tiered_cache.h", 185},
                           {"core/kv/codecs/range_coder.h", 170},
                           {"core/kv/kv_cache.h", 160},
                           {"core/ports/events.h", 196}};
  return sizes;
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

int line_count(const fs::path& file) {
  const std::string text = text_of(file);
  return static_cast<int>(std::ranges::count(text, '\n'));
}

/// Whether a class keeps the window or is made with it: then it could reach everything that the window has.
bool holds_window(const std::string& text) {
  static const std::regex made_with(R"(\b[A-Z]\w*\((?:[^()]*[, ])?MainWindow[&*] )"),
      kept(R"(\bMainWindow\s*[&*]\s*\w+_\s*(?:=[^;]*|\{[^;]*)?;)");
  return std::regex_search(text, made_with) || std::regex_search(text, kept);
}

/// By file, relative to the root.
const std::map<std::string, Outline>& outlines() {
  static std::map<std::string, Outline> found;
  const fs::path root = KVANTAGE_SOURCE_DIR;
  if (!found.empty()) return found;
  for (const char* folder : {"app", "core", "gpu", "profiles", "tests", "tiers", "ui"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".h" && extension != ".inl" && extension != ".cu" && extension != ".cuh")
        continue;
      const std::string file = fs::relative(entry.path(), root).generic_string();
      try {
        found[file] = outline_of(text_of(entry.path()));
      } catch (const std::exception& error) {
        qFatal("%s: %s", file.c_str(), error.what());
      }
    }
  return found;
}

Sizes long_functions(const Outline& outline) {
  Sizes found;
  for (const FunctionSize& function : outline.functions)
    if (function.lines > max_function_lines)
      found[std::to_string(function.line) + ": " + function.name] = function.lines;
  return found;
}

template <class SizeOf>
Sizes classes_above(int limit, const SizeOf& size_of) {
  Sizes found;
  for (const auto& [file, outline] : outlines())
    if (file.starts_with("core/"))
      for (const ClassSize& size : outline.classes)
        if (size_of(size) > limit) found[file + ": " + size.name] = size_of(size);
  return found;
}

/// What is wrong with `present` beside what is listed; empty if nothing.
std::string complaint(const Sizes& present, const Sizes& listed, int limit) {
  std::string text;
  for (const auto& [name, size] : present) {
    const auto at = listed.find(name);
    if (at == listed.end())
      text += "\n" + name + " has " + std::to_string(size) + ", more than " + std::to_string(limit) + "; split it";
    else if (size > at->second)
      text += "\n" + name + " has grown from " + std::to_string(at->second) + " to " + std::to_string(size);
    else if (size < at->second)
      text += "\n" + name + " has shrunk to " + std::to_string(size) + "; write that in " + __FILE_NAME__;
  }
  for (const auto& [name, size] : listed)
    if (!present.contains(name)) text += "\n" + name + " is below the limit or gone: remove it from " + __FILE_NAME__;
  return text;
}

/// The structs of a header and their base classes.
std::map<std::string, std::vector<std::string>> bases_in(const std::string& text) {
  static const std::regex head(R"(\bstruct (\w+)(?: final)?(?: : ([\w:, ]+))? \{)");
  static const std::regex base(R"((\w+)(?:,|$))");
  std::map<std::string, std::vector<std::string>> found;
  for (std::sregex_iterator at(text.begin(), text.end(), head), end; at != end; ++at) {
    const std::string list = (*at)[2];
    found[(*at)[1]];
    for (std::sregex_iterator name(list.begin(), list.end(), base); name != end; ++name)
      found[(*at)[1]].push_back((*name)[1]);
  }
  return found;
}

/// Members of each struct in core's headers, with those of its bases.
Sizes members_of_structs() {
  Sizes own;
  std::map<std::string, std::vector<std::string>> bases;
  const fs::path root = KVANTAGE_SOURCE_DIR;
  for (const auto& [file, outline] : outlines()) {
    if (!file.starts_with("core/") || !file.ends_with(".h")) continue;
    for (const ClassSize& size : outline.classes) own[size.name] = std::max(own[size.name], size.fields);
    bases.merge(bases_in(text_of(root / file)));
  }
  std::set<std::string> structs;
  for (const auto& [name, of] : bases) structs.insert(name);
  const std::function<int(const std::string&)> all = [&](const std::string& name) {
    const auto at = own.find(name);
    int count = at != own.end() ? at->second : 0;
    for (const std::string& base : bases[name]) count += all(base);
    return count;
  };
  Sizes found;
  for (const std::string& name : structs) found[name] = all(name);
  return found;
}

/// The part of the engine that a source belongs to; empty: to none. What makes the parts and hands on their settings
/// is none, nor is the catalog, which all of them share.
std::string part_of(const fs::path& file) {
  static const std::set<std::string> folders{"cost",    "engine",  "inspect",   "load",
                                             "quality", "request", "scheduler", "store"};
  static const std::set<std::string> around{"engine", "engine_loop", "run_settings", "session_parts", "settings_check"};
  static const std::map<std::string, std::string> helpers{{"run_counters", "run_recorder"}};
  const std::string folder = file.parent_path().filename().string(), stem = file.stem().string();
  if (file.parent_path().parent_path() != "core" || !folders.contains(folder)) return {};
  if (folder == "request" || folder == "load") return folder;  // the stages of one request; loads of an entry
  if (folder == "engine" && around.contains(stem)) return {};
  const auto helped = helpers.find(stem);
  return helped != helpers.end() ? helped->second : stem;
}

std::string lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "\n";
  return text;
}

class SizesTest : public QObject {
  Q_OBJECT

 private slots:
  void theTreeIsRead() {
    std::size_t functions = 0, classes = 0;
    for (const auto& [file, outline] : outlines()) {
      functions += outline.functions.size();
      classes += outline.classes.size();
    }
    qInfo("%zu files, %zu functions, %zu classes", outlines().size(), functions, classes);
    QVERIFY(outlines().size() > 1500 && functions > 10000 && classes > 1500);
  }

  void functionsAreShort() {
    Sizes found;
    for (const auto& [file, outline] : outlines())
      for (const auto& [name, size] : long_functions(outline)) found[file + ":" + name] = size;
    const std::string text = complaint(found, {}, max_function_lines);
    QVERIFY2(text.empty(), text.c_str());
  }

  void classesOfCoreHaveFewFunctions() {
    const auto found = classes_above(max_class_functions, [](const ClassSize& size) { return size.functions; });
    const std::string text = complaint(found, large_classes(), max_class_functions);
    QVERIFY2(text.empty(), text.c_str());
  }

  void classesOfCoreHaveFewFields() {
    const auto found = classes_above(max_class_fields, [](const ClassSize& size) { return size.fields; });
    const std::string text = complaint(found, wide_classes(), max_class_fields);
    QVERIFY2(text.empty(), text.c_str());
  }

  void largeStructsGoToTwoPartsAtMost() {
    const Sizes members = members_of_structs();
    QVERIFY(members.at("RequestRecord") > max_shared_members && members.at("SessionSettings") > max_shared_members);
    std::map<std::string, std::set<std::string>> parts;
    static const std::regex word(R"(//[^\n]*|\b[A-Z]\w*)");
    const fs::path root = KVANTAGE_SOURCE_DIR;
    for (const auto& [file, outline] : outlines()) {
      const std::string part = part_of(file);
      if (part.empty()) continue;
      const std::string text = text_of(root / file);
      for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) {
        const auto size = members.find(at->str());
        if (size != members.end() && size->second > max_shared_members) parts[size->first].insert(part);
      }
    }
    QVERIFY(parts.at("RequestRecord").contains("request"));
    for (const auto& [name, of] : parts) {
      std::string list;
      for (const std::string& part : of) list += " " + part;
      QVERIFY2(of.size() <= 2,
               (name + " of " + std::to_string(members.at(name)) + " members is named by" + list).c_str());
    }
  }

  void headersOfCoreAreShort() {
    Sizes found;
    const fs::path root = KVANTAGE_SOURCE_DIR;
    for (const auto& [file, outline] : outlines()) {
      if (!file.starts_with("core/") || !file.ends_with(".h")) continue;
      const std::string text = text_of(root / file);
      const auto count = static_cast<int>(std::ranges::count(text, '\n'));
      if (count > max_header_lines) found[file] = count;
    }
    const std::string text = complaint(found, long_headers(), max_header_lines);
    QVERIFY2(text.empty(), text.c_str());
  }

  void theShellOfTheWindowIsShort() {
    const fs::path root = KVANTAGE_SOURCE_DIR;
    for (const std::string file : {"ui/window/main_window.h", "ui/window/main_window.cpp"}) {
      const int count = line_count(root / file);
      QVERIFY2(count > 50 && count < max_shell_lines, (file + " has " + std::to_string(count)).c_str());
    }
    const std::vector<ClassSize>& classes = outlines().at("ui/window/main_window.h").classes;
    const auto window = std::ranges::find(classes, "MainWindow", &ClassSize::name);
    QVERIFY(window != classes.end());
    QVERIFY2(window->functions > 5 && window->functions <= max_class_functions,
             std::to_string(window->functions).c_str());
  }

  void filesOfTheWindowAreShort() {
    Sizes found;
    const fs::path root = KVANTAGE_SOURCE_DIR;
    for (const auto& [file, outline] : outlines())
      if (file.starts_with("ui/") && !file.ends_with(".inl"))
        if (const int count = line_count(root / file); count > max_window_lines) found[file] = count;
    const std::string text = complaint(found, {}, max_window_lines);
    QVERIFY2(text.empty(), text.c_str());
  }

  // Views, guides and pictures get what they use, and can be made in a test without a window.
  void onlyTheWindowsFolderKnowsTheWindow() {
    QVERIFY(holds_window("explicit Tour(MainWindow& window);"));
    QVERIFY(holds_window("Scenes(const Options& options, MainWindow* window) {"));
    QVERIFY(holds_window("  MainWindow& window_;\n"));
    QVERIFY(holds_window("  MainWindow* window_ = nullptr;\n"));
    QVERIFY(!holds_window("Layouts(QMainWindow& window, int a);\n  QMainWindow& window_;\n"));
    QVERIFY(!holds_window("PictureStage picture_stage(MainWindow& window, const WindowOptions& options);"));
    const fs::path root = KVANTAGE_SOURCE_DIR;
    for (const auto& [file, outline] : outlines())
      if (file.starts_with("ui/") && !file.starts_with("ui/window/"))
        QVERIFY2(!holds_window(text_of(root / file)), file.c_str());
  }

  void aLongFunctionIsFound_data() {
    QTest::addColumn<QString>("before");  // lines of a body follow
    QTest::addColumn<QString>("after");
    QTest::addColumn<QString>("name");
    const QString end = "}\n";
    QTest::newRow("function") << "int f(int a) {" << end << "f";
    QTest::newRow("of a namespace") << "namespace a {\nnamespace {\nint g() {" << end + "}\n}\n"
                                    << "g";
    QTest::newRow("behind a class") << "struct A { int a; };\nint A::f() const {" << end << "A::f";
    QTest::newRow("template") << "template <class T, int n = 3> static inline T f(T t) {" << end << "f";
    QTest::newRow("member") << "class A : public B<int> {\n public:\n  int a() const {" << end + "};\n"
                            << "a";
    QTest::newRow("operator") << "struct A {\n  bool operator()(int a) const {" << end + "};\n"
                              << "operator";
    QTest::newRow("comparison") << "bool operator<(const A& a, const A& b) {" << end << "operator";
    QTest::newRow("constructor") << "A::A(int a) noexcept : a_{a}, b_(a), c_{{1}, {2}} {" << end << "A::A";
    QTest::newRow("kernel")
        << "template <int dim>__global__ void __launch_bounds__(threads, dim > 128 ? 1 : 2) k(A a) {" << end << "k";
    QTest::newRow("of a macro") << "KV_TEST_PROGRAM(count, arguments) {" << end << "KV_TEST_PROGRAM";
    QTest::newRow("lambda") << "const auto f = [](int a) -> int {" << end + ";\n"
                            << "const = lambda";
    QTest::newRow("lambda inside") << "void f() { const auto g = [] {"
                                   << "}; }\n"
                                   << "f";
    QTest::newRow("class inside") << "void f() { struct A { void g() {"
                                  << "} }; }\n"
                                  << "f";
    QTest::newRow("trailing return type") << "auto f(int a) -> std::vector<int> {" << end << "f";
    QTest::newRow("braces in a text") << "void f() { g(\"}\", '}', R\"x(}\")x\", u8\"\\\"}\"); /* } */ // }" << end
                                      << "f";
    QTest::newRow("braces in a macro") << "#define A(x) \\\n  {          \\\n    x;\nvoid f() {" << end << "f";
    QTest::newRow("number") << "constexpr int a = 1'000, b[] = {1, 2};\nvoid f() {" << end << "f";
    QTest::newRow("attribute") << "[[nodiscard]] __attribute__((target(\"avx2\"))) int f(int a = {}) {" << end << "f";
  }
  void aLongFunctionIsFound() {
    QFETCH(QString, before);
    QFETCH(QString, after);
    QFETCH(QString, name);
    const auto source = [&](int body) { return before.toStdString() + lines(body) + after.toStdString(); };
    const auto found = outline_of(source(max_function_lines - 1)).functions;
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].name, name.toStdString());
    QCOMPARE(found[0].lines, max_function_lines);
    QVERIFY(long_functions(outline_of(source(max_function_lines - 1))).empty());
    const Sizes long_one = long_functions(outline_of(source(max_function_lines)));
    QCOMPARE(long_one.size(), std::size_t{1});
    QCOMPARE(long_one.begin()->second, max_function_lines + 1);
  }

  void membersAreCounted_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<int>("functions");
    QTest::addColumn<int>("fields");
    QTest::newRow("none") << "" << 0 << 0;
    QTest::newRow("fields") << "int a = 0, b{1}; std::map<int, int> c; float d[2] = {1, 2};" << 0 << 4;
    QTest::newRow("of all objects") << "static constexpr int a = 3; static int b;" << 0 << 0;
    QTest::newRow("functions") << "A(); ~A() = default; int a() const { return b(1, 2); } virtual void c(int) = 0;" << 4
                               << 0;
    QTest::newRow("of the class") << "static A make(int a); template <class T> void put(const T& t);" << 2 << 0;
    QTest::newRow("operators") << "bool operator==(const A&) const = default; A& operator=(A&&); operator bool() const;"
                               << 3 << 0;
    QTest::newRow("friends") << "friend class B; friend bool operator<(A, A) { return {}; } friend void f(A);" << 0
                             << 0;
    QTest::newRow("types") << "using B = std::function<void(int)>; enum class C { c, d }; struct D; class E;" << 0 << 0;
    QTest::newRow("inner class") << "struct B { int b; void c(); }; B b_;" << 0 << 1;
    QTest::newRow("inner class and its field") << "struct B { int b; void c(); } b_;" << 0 << 1;
    QTest::newRow("functions as fields") << "std::function<void(int)> a; void (*b)(int); std::function<int()> c = [] "
                                            "{ return 1; };"
                                         << 0 << 3;
    QTest::newRow("labels") << "public: int a(); private: int b_ = a() < 3 ? 1 : 2; protected: int c_;" << 1 << 2;
    QTest::newRow("constructor") << "explicit A(int a) : a_{a}, b_(a) {} int a_; const int b_;" << 1 << 2;
  }
  void membersAreCounted() {
    QFETCH(QString, body);
    QFETCH(int, functions);
    QFETCH(int, fields);
    const auto found =
        outline_of("namespace n {\nclass A final : public B<int(int)> {\n" + body.toStdString() + "};\n}\n");
    const auto at = std::ranges::find(found.classes, "A", &ClassSize::name);
    QVERIFY(at != found.classes.end());
    QCOMPARE(at->line, 2);
    QCOMPARE(at->functions, functions);
    QCOMPARE(at->fields, fields);
  }

  void sizesMayOnlyShrink() {
    QVERIFY(complaint({}, {}, 5).empty());
    QVERIFY(complaint({{"a", 7}}, {{"a", 7}}, 5).empty());
    QVERIFY(QString::fromStdString(complaint({{"a", 7}}, {}, 5)).contains("a has 7, more than 5"));
    QVERIFY(QString::fromStdString(complaint({{"a", 8}}, {{"a", 7}}, 5)).contains("a has grown from 7 to 8"));
    QVERIFY(QString::fromStdString(complaint({{"a", 6}}, {{"a", 7}}, 5)).contains("a has shrunk to 6"));
    QVERIFY(QString::fromStdString(complaint({}, {{"a", 7}}, 5)).contains("a is below the limit or gone"));
  }

  void bracesThatDoNotMatchAreAnError() {
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, outline_of("namespace a {\nint b;\n"));
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, outline_of("int b;\n}\n"));
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, outline_of("void f() {\n  if (a) {\n}\n"));
  }
};

KV_TEST_GUILESS_MAIN(SizesTest)

}  // namespace sizes_test

#include "sizes_test.moc"
