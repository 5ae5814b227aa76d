// SPDX-License-Identifier: Apache-2.0
#include "kinds/boot/script.hpp"

#include <gtest/gtest.h>

namespace nettune::kinds::boot {
namespace {

constexpr const char* kMenu =
    "### BEGIN /etc/grub.d/10_linux ###\n"
    "menuentry 'Debian' {\n\tlinux\t/vmlinuz root=UUID=1 ro  quiet@\n}\n"
    "menuentry 'Debian (rescue)' {\n\tlinux\t/vmlinuz root=UUID=1 ro single \n}\n"
    "### END /etc/grub.d/10_linux ###\n";

/// The menu as grub-mkconfig makes it with that script.
std::string menu(const Script* script) {
  std::string text = kMenu;
  std::string slots;
  if (script != nullptr) {
    const std::string defaults = defaults_text(*script);
    slots = defaults.substr(defaults.find("DEFAULT", defaults.find('$')) + 7);
    std::erase(slots, '\\');
    slots.resize(slots.rfind('"'));
    text += "\n### BEGIN /etc/grub.d/42_nettune ###\n" + menu_text(*script) +
            "### END /etc/grub.d/42_nettune ###\n";
  }
  return text.replace(text.find('@'), 1, slots);
}

TEST(KindsBootScript, IsReadAsItWasWritten) {
  for (const Script& script : {Script{{{"iommu", "pt"}}, false, {}},
                               Script{{{"iommu", "pt"}, {"pci#realloc", "on"}}, true, {}},
                               Script{{{"hugepages#2M", "4"}}, true, {"iommu=pt", "quiet"}}}) {
    const std::string text = script_text(script);
    EXPECT_EQ(parse_script(text), script) << text;
    for (std::size_t i = 0; i < text.size(); ++i)
      EXPECT_FALSE(parse_script(text.substr(0, i))) << "cut at " << i;
    EXPECT_FALSE(parse_script(text + "\n"));
  }
}

TEST(KindsBootScript, TheMenuWithoutOursIsTheOneBefore) {
  const std::string before = menu(nullptr);
  const Script one{{{"iommu", "pt"}, {"skew_tick", "1"}}, false, {}};
  const Script trial{{{"iommu", "pt"}}, true, {"skew_tick=1", "mce=off"}};
  for (const Script& script : {one, trial}) {
    EXPECT_EQ(without_ours(menu(&script)), before);
    EXPECT_TRUE(is_in_menu(script, menu(&script)));
    EXPECT_FALSE(is_in_menu(script, before));
  }
  EXPECT_FALSE(is_in_menu(one, menu(&trial)));
  EXPECT_EQ(without_ours(before), before);
}

TEST(KindsBootScript, OnlyATrialHasWhatIsWantedBeforeItCameUp) {
  const Script trial{{{"iommu", "pt"}}, true, {"mce=off"}};
  EXPECT_EQ(usual_words(trial), std::vector<std::string>{"mce=off"});
  const std::string text = menu_text(trial);
  const std::size_t cleared = text.find("save_env nettune_trial");
  ASSERT_NE(cleared, std::string::npos);
  EXPECT_LT(cleared, text.find("'iommu=pt'")) << "it is no trial any more before the kernel runs";
  EXPECT_LT(text.find("'iommu=pt'"), text.find("'mce=off'"));
  EXPECT_EQ(text.find("'iommu=pt'"), text.rfind("'iommu=pt'"));
}

}  // namespace
}  // namespace nettune::kinds::boot
