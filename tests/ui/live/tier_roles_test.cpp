// links: kv_ui
// The color of a tier is that of its kind, whatever its name; tiers of one kind get different colors.
#include <QtTest>

#include <set>

#include "tests/support/test_program.h"
#include "ui/live/tiers/model/tier_roles.h"
#include "ui/look/theme.h"

namespace tier_roles_test {

using namespace kvantage;

class TierRolesTest : public QObject {
  Q_OBJECT

 private slots:
  void theKindGivesTheColor() {
    TierRoles roles;
    QVERIFY(!roles.color("dram"));
    const std::size_t remote = find_tier_kind("remote")->color, memory = find_tier_kind("dram")->color,
                      folder = find_tier_kind("ssd")->color;
    roles.set_settings({{.name = "dram", .budget = 1, .options = {{"url", "redis://h"}}},
                        {.name = "fast", .budget = 1, .kind = "dram"},
                        {.name = "scratch", .budget = 1},
                        {.name = "more", .budget = 1}});
    QCOMPARE(*roles.color("dram"), remote);
    QCOMPARE(*roles.color("fast"), memory);
    QCOMPARE(*roles.color("scratch"), folder);
    const std::set<std::size_t> colors{remote, memory, folder, *roles.color("more")};
    QCOMPARE(colors.size(), std::size_t{4});
    roles.set_settings({});
    QVERIFY(!roles.color("dram"));
  }

  void aThemeDrawsIt() {
    const Theme& theme = theme_of(ThemeKind::light);
    QCOMPARE(theme.tier("fast", 3), theme.neutral(3));
    QCOMPARE(theme.tier("ssd"), theme.neutral(find_tier_kind("ssd")->color));  // a chart that knows names alone
    QCOMPARE(theme.tier("prefill", 3), theme.context_prefill);
    QVERIFY(theme.tier("archive", 3) != theme.neutral(3));
    QCOMPARE(theme.tier_dashes("fast", 3), line_dashes(3));
    QCOMPARE(theme.tier_dashes("prefill", 3), QList<qreal>());
    QVERIFY(theme.tier_dashes("dram") != theme.tier_dashes("ssd"));
  }
};

KV_TEST_GUILESS_MAIN(TierRolesTest)

}  // namespace tier_roles_test

#include "tier_roles_test.moc"
