// SPDX-License-Identifier: Apache-2.0
#include "nccl/library.hpp"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <random>

#include "unit/nccl/fixture.hpp"

namespace nettune::nccl {
namespace {

namespace fs = std::filesystem;

/// As much of a shared library as is looked at: names of sections, and constants.
std::string elf_with(const std::string& constants) {
  const std::string names = std::string("\0.shstrtab\0.rodata\0", 19);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header + names.size() + constants.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 1;
  Elf64_Shdr sections[3]{};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_offset = sizeof header;
  sections[1].sh_size = names.size();
  sections[2].sh_name = 11;
  sections[2].sh_type = SHT_PROGBITS;
  sections[2].sh_offset = sizeof header + names.size();
  sections[2].sh_size = constants.size();
  std::string out(reinterpret_cast<const char*>(&header), sizeof header);
  out += names + constants;
  out.append(reinterpret_cast<const char*>(sections), sizeof sections);
  return out;
}

class NcclLibrary : public testing::Test {
 protected:
  NcclLibrary() {
    char name[] = "/tmp/nettune-nccl-XXXXXX";
    root = ::mkdtemp(name);
  }
  ~NcclLibrary() override { fs::remove_all(root); }

  std::string put(const std::string& path, const std::string& content) const {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream(root + path, std::ios::binary) << content;
    return root + path;
  }

  std::string root;
};

TEST_F(NcclLibrary, SaysItsVersionByItsConstants) {
  const std::string far = std::string((1U << 20) - 7, 'x') + "NCCL version %d" +
                          std::string(1, '\0') + "NCCL version 2.21.5+cuda12.4";
  for (const std::string& constants : {std::string("NCCL version 2.21.5+cuda12.4"), far}) {
    const auto found = library_version(put("/lib.so", elf_with(constants)));
    ASSERT_TRUE(found.has_value()) << found.error().text;
    EXPECT_EQ(found->text(), "2.21.5");
  }
  const auto by_name = library_version(put("/libnccl.so.2.18.3", "no ELF"));
  ASSERT_TRUE(by_name.has_value());
  EXPECT_EQ(by_name->text(), "2.18.3");
  EXPECT_FALSE(library_version(put("/libnccl.so.2", elf_with("nothing"))));
  EXPECT_FALSE(library_version(root));
  EXPECT_FALSE(library_version(root + "/none"));
}

TEST_F(NcclLibrary, IsFoundWhereLoadersAndPythonLook) {
  put("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n");
  put("/etc/ld.so.conf.d/x.conf", "# c\n/special/lib\n");
  put("/etc/ld.so.conf.d/x.ignored", "/other\n");
  put("/special/lib/libnccl.so.2", elf_with("NCCL version 2.20.5"));
  put("/other/libnccl.so.2", elf_with("NCCL version 2.1.2"));
  put("/usr/lib/x86_64-linux-gnu/libnccl.so.2.19.3", elf_with("NCCL version 2.19.3"));
  fs::create_symlink("libnccl.so.2.19.3", root + "/usr/lib/x86_64-linux-gnu/libnccl.so.2");
  put("/opt/conda/lib/python3.11/site-packages/nvidia/nccl/lib/libnccl.so.2",
      elf_with("NCCL version 2.21.5"));
  put("/outside/libnccl.so.2", elf_with("NCCL version 2.9.9"));
  fs::create_directories(root + "/image/usr/lib");
  fs::create_symlink(root + "/outside/libnccl.so.2", root + "/image/usr/lib/libnccl.so.2");
  const auto found = find_libraries({root});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].version.text(), "2.20.5");
  EXPECT_EQ(found[1].version.text(), "2.19.3");
  EXPECT_EQ(found[2].version.text(), "2.21.5");
  EXPECT_TRUE(find_libraries({root + "/image"}).empty()) << "a link led out of the image";
  EXPECT_TRUE(find_libraries({root + "/none"}).empty());
}

TEST_F(NcclLibrary, BrokenFilesAreNoLibraries) {
  const std::string good = elf_with("NCCL version 2.21.5");
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::string bytes = good;
    for (int edits = 0; edits < 6; ++edits)
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    if (round % 5 == 0) bytes.resize(random() % bytes.size());
    const auto found = library_version(put("/lib.so", bytes));
    if (found) {
      EXPECT_GE(found->major, 0);
    }
  }
}

}  // namespace
}  // namespace nettune::nccl
