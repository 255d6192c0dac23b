// links: kv_base
// The grammar of texts that name a thing and its parameters, and what a list of parameters makes of them.
#include "core/base/form_text.h"

#include <QtTest>

#include "core/base/form_parameters.h"
#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace form_text_test {

using namespace kvantage;

namespace {

using Arguments = std::vector<std::pair<std::string, std::string>>;

Arguments arguments_of(const FormText& form) {
  Arguments all;
  for (const auto& [key, value] : form.arguments()) all.emplace_back(key, value);
  return all;
}

ParameterInfo share(bool with_low) {
  return {.key = "KEPT_SHARE",
          .kind = ParameterInfo::Kind::real,
          .low = 0,
          .high = 1,
          .with_low = with_low,
          .meaning = "of tokens",
          .example = "0.5 keeps half"};
}

const std::vector<ParameterInfo>& parameters() {
  static const std::vector<ParameterInfo> list{share(false), one_of("start", "utility|quality", "where it starts"),
                                               one_of("drop", "absolute|best"), whole_number("every", 16, "requests")};
  return list;
}

Expected<FormArguments> resolved(std::string_view text) {
  const auto form = FormText::read(text, "policy");
  if (!form) return tl::unexpected(form.error());
  return FormArguments::resolve(*form, parameters(), "policy", "demo(0.5)");
}

}  // namespace

class FormTextTest : public QObject {
  Q_OBJECT
 private slots:
  void piecesAreCutOutsideOfParentheses() {
    using Pieces = std::vector<std::string_view>;
    QCOMPARE(split_outside_parentheses("a,b(c,d),e", ','), (Pieces{"a", "b(c,d)", "e"}));
    QCOMPARE(split_outside_parentheses("adakv(snapkv+x)+kivi4", '+'), (Pieces{"adakv(snapkv+x)", "kivi4"}));
    QCOMPARE(split_outside_parentheses("", ','), (Pieces{""}));
    QCOMPARE(split_outside_parentheses(",", ','), (Pieces{"", ""}));
  }

  void aListOfPoliciesKeepsTheSpacesInside() {
    using Items = std::vector<std::string>;
    QCOMPARE(split_policies(" lru , formula(quality ttft, drop = best),, evicpress "),
             (Items{"lru", "formula(quality ttft, drop = best)", "evicpress"}));
    QCOMPARE(split_list(" lru , adakv( snapkv )"), (Items{"lru", "adakv(snapkv)"}));
    QVERIFY(split_policies(" , ").empty());
  }

  void theNameIsAllBeforeTheFirstParenthesis() {
    QCOMPARE(FormText::name_of("fixed(adakv(snapkv)+kivi4,0.5)"), std::string_view("fixed"));
    QCOMPARE(FormText::name_of("lru"), std::string_view("lru"));
    QCOMPARE(FormText::name_of("open(("), std::string_view("open"));  // no form, and named all the same
    QVERIFY(FormText::name_of("(x)").empty() && FormText::name_of("").empty());
  }

  void aFormIsTakenApart_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("name");
    QTest::addColumn<Arguments>("arguments");
    QTest::newRow("bare") << "lru"
                          << "lru" << Arguments{};
    QTest::newRow("empty parentheses") << "lru()"
                                       << "lru" << Arguments{{"", ""}};
    QTest::newRow("by position and by key")
        << "fixed(adakv(snapkv,window=16)+kivi4,0.5,eviction=lfu)"
        << "fixed" << Arguments{{"", "adakv(snapkv,window=16)+kivi4"}, {"", "0.5"}, {"eviction", "lfu"}};
    QTest::newRow("a form as a value") << "impress(method=chunkkv(snapkv))"
                                       << "impress" << Arguments{{"method", "chunkkv(snapkv)"}};
    QTest::newRow("spaces are kept") << "a( b = 1 )"
                                     << "a" << Arguments{{" b ", " 1 "}};
    QTest::newRow("no spaces around the name") << " a (b)"
                                               << "a" << Arguments{{"", "b"}};
    QTest::newRow("no key in front of '='") << "a(=1)"
                                            << "a" << Arguments{{"", "=1"}};
  }
  void aFormIsTakenApart() {
    QFETCH(QString, text);
    QFETCH(QString, name);
    QFETCH(Arguments, arguments);
    const std::string held = text.toStdString();
    const auto form = FormText::read(held, "policy");
    QVERIFY2(form.has_value(), form ? "" : form.error().message.c_str());
    QCOMPARE(std::string(form->name()), name.toStdString());
    QCOMPARE(arguments_of(*form), arguments);
  }

  void whatDoesNotCloseIsRefused() {
    for (const auto& [text, why] : std::vector<std::pair<const char*, const char*>>{{"a(b", "ends without ')'"},
                                                                                    {"a(b)c", "ends without ')'"},
                                                                                    {"a(b))", "do not balance"},
                                                                                    {"a((b)", "do not balance"},
                                                                                    {"a(b)(c))", "do not balance"}}) {
      const auto form = FormText::read(text, "codec");
      QVERIFY(!form.has_value());
      QCOMPARE(form.error().code, ErrorCode::usage);
      QVERIFY2(form.error().message.starts_with(std::string("codec '") + text + "': ") &&
                   form.error().message.find(why) != std::string::npos,
               form.error().message.c_str());
    }
  }

  void aRepeatedKeyIsFound() {
    QCOMPARE(FormText::read("a(x=1,y=2,x=3)", "policy")->repeated_key(), std::string_view("x"));
    QCOMPARE(FormText::read("a(x=1,y=2, x =3)", "policy")->repeated_key(), std::string_view("x"));
    QCOMPARE(FormText::read("a(x(k=1),x(k=1),y=2)", "policy")->repeated_key(), std::string_view());
  }

  // Whatever is joined from pieces in which parentheses balance comes apart into the same pieces.
  void whatIsJoinedComesApart() {
    Random random(11);
    const std::vector<std::string> values{"a", "0.5", "b(c,d=1)", "e(f(g))+h", "", "i+j(k,l)"};
    for (int i = 0; i < 20'000; ++i) {
      Arguments wanted;
      std::string inside;
      const auto count = 1 + random.below(5);
      for (std::uint64_t a = 0; a < count; ++a) {
        const std::string key = random.below(2) == 0 ? "" : "k" + std::to_string(a);
        const std::string& value = values[random.below(values.size())];
        inside += (a == 0 ? "" : ",") + (key.empty() ? "" : key + "=") + value;
        wanted.emplace_back(key, value);
      }
      const std::string text = "name(" + inside + ")";
      const auto form = FormText::read(text, "policy");
      QVERIFY2(form.has_value(), text.c_str());
      QVERIFY2(arguments_of(*form) == wanted, text.c_str());
    }
  }

  void longAndDeepTextIsAnswered() {
    QVERIFY(!FormText::read(std::string(1'000'000, '('), "policy").has_value());
    std::string deep;
    for (int i = 0; i < 200'000; ++i) deep += "a(";
    deep += std::string(200'000, ')');
    QVERIFY(FormText::read(deep, "policy").has_value());
  }

  void defaultsStandWhereNothingIsGiven() {
    const auto arguments = resolved("demo(0.50)");
    QVERIFY(arguments.has_value());
    QCOMPARE(arguments->real("KEPT_SHARE"), 0.5);
    QVERIFY(arguments->is("start", "utility"));
    QCOMPARE(arguments->whole("every"), std::uint64_t{16});
    QCOMPARE(arguments->canonical_text(), std::string("demo(0.5)"));
  }

  void canonicalTextFollowsTheList() {
    QCOMPARE(resolved("demo(1,every=016,drop=best,start=quality)")->canonical_text(),
             std::string("demo(1,start=quality,drop=best)"));
    QCOMPARE(resolved("demo ( 1, every = 016 ,drop = best, start= quality)")->canonical_text(),
             std::string("demo(1,start=quality,drop=best)"));
    QCOMPARE(resolved("demo(start=utility,0.25,every=7)")->canonical_text(), std::string("demo(0.25,every=7)"));
    const std::vector<ParameterInfo> written{
        {.key = "kept", .default_value = "a", .choices = {"a", "b"}, .always_written = true}};
    const auto form = FormText::read("x", "policy");
    QCOMPARE(FormArguments::resolve(*form, written, "policy", "x")->canonical_text(), std::string("x(kept=a)"));
  }

  void helpFollowsTheList() {
    QCOMPARE(form_with_defaults("demo", parameters()),
             std::string("demo(KEPT_SHARE,start=utility,drop=absolute,every=16)"));
    QCOMPARE(form_with_choices("demo", parameters()),
             std::string("demo(KEPT_SHARE,start=utility|quality,drop=absolute|best,every=N)"));
    QCOMPARE(parameter_text(parameters()), std::string("KEPT_SHARE: of tokens; start: where it starts; drop: "
                                                       "absolute, best; every: requests"));
    QCOMPARE(form_with_defaults("lru", {}), std::string("lru"));
  }

  void whatIsNoneOfTheListIsRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("nothing required given") << "demo"
                                            << "write demo(KEPT_SHARE,start=utility|quality";
    QTest::newRow("one too many by position") << "demo(0.5,0.5)"
                                              << "arguments not understood";
    QTest::newRow("required by key") << "demo(KEPT_SHARE=0.5)"
                                     << "arguments not understood";
    QTest::newRow("unknown key") << "demo(0.5,begin=utility)"
                                 << "e.g. demo(0.5)";
    QTest::newRow("unknown word") << "demo(0.5,start=speed)"
                                  << "unknown start 'speed'; choose one of utility, quality";
    QTest::newRow("twice") << "demo(0.5,every=1,every=1)"
                           << "option 'every' is given twice; give it once";
    QTest::newRow("negative") << "demo(0.5,every=-1)"
                              << "every=N";
    QTest::newRow("overflow") << "demo(0.5,every=18446744073709551616)"
                              << "every=N";
    QTest::newRow("open end") << "demo(0)"
                              << "kept share '0' is not a number above 0 and at most 1; 0.5 keeps half";
    QTest::newRow("above") << "demo(1.01)"
                           << "above 0 and at most 1";
    QTest::newRow("no number") << "demo(nan)"
                               << "is not a number";
  }
  void whatIsNoneOfTheListIsRefused() {
    QFETCH(QString, text);
    QFETCH(QString, mentions);
    const auto arguments = resolved(text.toStdString());
    QVERIFY(!arguments.has_value());
    QCOMPARE(arguments.error().code, ErrorCode::usage);
    QVERIFY2(arguments.error().message.find(mentions.toStdString()) != std::string::npos,
             arguments.error().message.c_str());
  }

  void rangesMayHoldTheirEnds() {
    const auto form = FormText::read("demo(0)", "policy");
    QVERIFY(FormArguments::resolve(*form, {share(true)}, "policy", "demo(0)").has_value());
    QVERIFY(!FormArguments::resolve(*form, {share(false)}, "policy", "demo(0)").has_value());
  }
};

KV_TEST_GUILESS_MAIN(FormTextTest)

}  // namespace form_text_test

#include "form_text_test.moc"
