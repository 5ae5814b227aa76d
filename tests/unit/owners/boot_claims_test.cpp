// SPDX-License-Identifier: Apache-2.0
#include "unit/owners/fixture.hpp"

namespace nettune::test {
namespace {

using OwnersBoot = OwnersTest;

TEST_F(OwnersBoot, OtherLinesOfGrubAreNamedAndOnlyALaterOneWins) {
  want("boot:iommu", "pt");
  want("boot:pci#realloc", "on");
  root.put("etc/default/grub",
           "# GRUB_CMDLINE_LINUX=\"iommu=off\"\nGRUB_CMDLINE_LINUX='iommu=off'\n"
           "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet iommu=soft\"\n");
  root.put(
      "etc/default/grub.d/15_cloudimg.cfg",
      "export GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT pci=nomsi,realloc=on\"");
  root.put("etc/default/grub.d/zz-nettune.cfg", "GRUB_CMDLINE_LINUX_DEFAULT=\"iommu=pt\"\n");
  root.put("etc/default/grub.d/zzz.cfg",
           "GRUB_CMDLINE_LINUX=\"iommu=on\"\n"
           "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT iommu=force\"\n");
  root.put("etc/default/grub.d/zzzz.cfg.old", "GRUB_CMDLINE_LINUX_DEFAULT=\"iommu=off\"\n");
  root.put("etc/tuned/bootcmdline", "TUNED_BOOT_CMDLINE=\"iommu=pt skew_tick=1\"\n");
  EXPECT_EQ(found(),
            (Texts{"/etc/default/grub.d/15_cloudimg.cfg:1 on loses",
                   "/etc/default/grub.d/zzz.cfg:1 on loses",
                   "/etc/default/grub.d/zzz.cfg:2 force wins", "/etc/default/grub:2 off loses",
                   "/etc/default/grub:3 soft loses", "/etc/tuned/bootcmdline:1 pt loses"}));
  const auto overrides = owners::find_overrides(*disk, desired.settings, root.path());
  ASSERT_EQ(overrides.size(), 1U);
  EXPECT_EQ(overrides[0].text,
            "/etc/default/grub.d/zzz.cfg:2 sets iommu = force; it counts after zz-nettune.cfg, so "
            "remove it");
}

}  // namespace
}  // namespace nettune::test
