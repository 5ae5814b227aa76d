// SPDX-License-Identifier: Apache-2.0
// Each pattern for the kernel log has a line that a source of Linux or of the driver prints.
#include "tools/doctor/log_lines.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "tools/doctor/findings.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/probe/gather.hpp"
#include "tools/doctor/probe/loose.hpp"
#include "tools/doctor/xid.hpp"
#include "unit/support/steps.hpp"

namespace nettune::tools::doctor {
namespace {

using namespace test;

using checks::Rule;

std::string text_of_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<Rule> log_rules() {
  return checks::parse_rules(text_of_file(NETTUNE_SOURCE_DIR "/checks/kernel-log.toml"), "",
                             {all_observables()})
      .value_or(std::vector<Rule>());
}

/// A row of catalog/patterns.tsv, which catalog/check-patterns writes.
struct Verdict {
  std::string line;
  std::string tree;
  std::string files;
  std::string versions;
};

std::multimap<std::string, Verdict> verdicts() {
  std::multimap<std::string, Verdict> all;
  const std::string text = text_of_file(NETTUNE_SOURCE_DIR "/catalog/patterns.tsv");
  for (const std::string_view row : split(text, '\n')) {
    const auto cells = split(row, '\t');
    if (cells.size() < 6 || cells[0] == "pattern") continue;
    all.emplace(cells[0], Verdict{std::string(cells[1]), std::string(cells[2]),
                                  std::string(cells[3]), std::string(cells[4])});
  }
  return all;
}

std::set<std::string> patterns() {
  std::set<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(NETTUNE_SOURCE_DIR "/checks"))
    if (const auto rules = checks::parse_rules(text_of_file(entry.path()), "", {all_observables()}))
      for (const Rule& rule : *rules) all.insert(rule.lines.begin(), rule.lines.end());
  for (const std::string_view words : kLinkDown) all.insert(cat("*", words, "*"));
  all.insert("NVRM: Xid (*): *");
  all.insert("NVRM: Xid (*): 45, * caused by previous Xid *");
  for (const auto& [number, entry] : built_in_xids())
    for (const auto& [like, meaning] : entry.says)
      all.insert(cat("NVRM: Xid (*): ", number, ", ", like));
  return all;
}

TEST(DoctorLogLines, EachIsOfASource) {
  const auto known = verdicts();
  const auto all = patterns();
  EXPECT_GT(all.size(), 80U);
  for (const std::string& pattern : all)
    EXPECT_TRUE(known.contains(pattern)) << pattern << ": give it a row in catalog/patterns.tsv";
  for (const auto& [pattern, verdict] : known) {
    EXPECT_TRUE(all.contains(pattern)) << pattern << " is in no rule";
    EXPECT_FALSE(verdict.versions.empty()) << "no source prints a line like " << pattern;
    EXPECT_FALSE(verdict.files.empty()) << pattern;
    EXPECT_TRUE(is_like(pattern, verdict.line)) << pattern << " is not like " << verdict.line;
  }
}

/// What matched a rule before, and no kernel or driver prints.
TEST(DoctorLogLines, AreThoseOfTheKernel) {
  EXPECT_TRUE(is_like("*a?c[0-57]", "xxABc7"));
  EXPECT_FALSE(is_like("*a?c[0-57]", "xxABc6"));
  EXPECT_TRUE(is_like("[[]mem *]", "[MEM 1]"));
  EXPECT_TRUE(is_like("", ""));
  EXPECT_FALSE(is_like("a*b", "a"));
  const auto count = [](const std::string& line) {
    const auto rules = log_rules();
    std::size_t found = 0;
    for (const auto& lines : lines_of_rules(rules, probe::parse_kernel_log(cat("[1.5] ", line))))
      found += lines.size();
    return found;
  };
  EXPECT_EQ(count("mce: [Hardware Error]: Machine check events logged"), 0U);
  EXPECT_EQ(count("{3}[Hardware Error]: event severity: corrected"), 0U);
  EXPECT_EQ(count("pci 0000:19:00.0: BAR 5 [io  size 0x0080]: can't assign; no space"), 0U);
  EXPECT_EQ(count("pci 0000:15:01.0: bridge window [mem size 0x100000]: can't assign; no space"),
            0U);
  EXPECT_EQ(count("NVRM: api MISMATCH: the client has the version 1"), 1U);
  EXPECT_EQ(count("oom-kill:constraint=CONSTRAINT_MEMCG,task_memcg=/a 0000:19:00.0: PCIe Bus "
                  "Error: severity=Uncorrected"),
            0U)
      << "a user chose this text";
}

TEST(DoctorLogLines, AMessageIsOneLineInEachForm) {
  const std::string whole =
      "NVRM: The NVIDIA GPU 0000:19:00.0 (PCI ID: 10de:2330) installed in this system has fallen "
      "off the bus and is not responding to commands.";
  const std::vector<std::string> parts = {
      "NVRM: The NVIDIA GPU 0000:19:00.0", "NVRM: (PCI ID: 10de:2330) installed in this system has",
      "NVRM: fallen off the bus and is not responding to commands."};
  const auto each = [&](const std::string& head) {
    return cat(head, join(parts, cat("\n", head)), "\n");
  };
  const std::vector<std::string> forms = {
      cat("3,900,1500000,-;", join(parts, "\\x0a"), "\n"),  // /dev/kmsg, and our own journal
      each("[    1.500000] "),
      cat("[    1.500000] ", join(parts, "\n               "), "\n"),
      each("kern  :err   : [    1.500000] "),
      each("kern  :err   : 2026-01-21T04:41:44,285060+00:00 "),
      each("2026-01-21T04:41:44.285060+00:00 gpu17 kernel: [    1.500000] "),
      each("[Wed Jan 21 04:41:44 2026] "),
      each("<3>[    1.500000] "),
      each("[    1.500000] gpu17 kernel: "),
      each("Jan 21 04:41:44 gpu17 kernel: [    1.500000] "),
      cat("Jan 21 04:41:44 gpu17 kernel: ", join(parts, "\n                              "), "\n"),
      cat("Jan 21 04:41:44 gpu17 kernel: ", join(parts, "#012"), "\n")};
  const std::string mismatch =
      "NVRM: API mismatch: the client has the version 1, but\nNVRM: this kernel module has the "
      "version 2.  Please\nNVRM: make sure of it.";
  for (const std::string& form : forms) {
    const KernelLog log = probe::parse_kernel_log(form);
    ASSERT_EQ(log.lines.size(), 1U) << form;
    EXPECT_EQ(log.lines[0].text, whole) << form;
    EXPECT_FALSE(log.lines[0].is_foreign);
  }
  EXPECT_EQ(probe::parse_kernel_log(mismatch).lines.size(), 1U);
  // Messages of their own stay so.
  EXPECT_EQ(
      probe::parse_kernel_log("[1.5] NVRM: Xid (PCI:0000:19:00): 79, GPU has fallen off the bus.\n"
                              "[1.5] NVRM: GPU 0000:19:00.0: GPU has fallen off the bus.\n"
                              "[1.5] NVRM: GPU0 nvAssertFailed: x\n")
          .lines.size(),
      3U);
}

TEST(DoctorLogLines, WhatAProgramWroteIsNotTheKernels) {
  const std::string xid = "NVRM: Xid (PCI:0000:19:00): 79, GPU has fallen off the bus.";
  for (const std::string head :
       {"14,900,1500000,-;", "<14>[    1.500000] ", "user  :notice: [    1.500000] ",
        "Jan 21 04:41:44 gpu17 ", "2026-01-21T04:41:44.285060+00:00 gpu17 "}) {
    const KernelLog log = probe::parse_kernel_log(cat(head, xid, "\n", head, "x: y\n"));
    for (const LogLine& line : log.lines) EXPECT_TRUE(line.is_foreign) << head << line.text;
    Machine machine;
    machine.log = log;
    Sightings out;
    observe_xids(machine, out);
    for (const auto& lines : lines_of_rules(log_rules(), log)) EXPECT_TRUE(lines.empty());
  }
  EXPECT_FALSE(parse_xid(cat("oom-kill:task_memcg=/", xid)));
}

/// nvidia-smi writes "inActive".
TEST(DoctorLogLines, LinksThatAreDownAreReadInAnyCase) {
  for (const std::string words : {"inActive", "inactive"}) {
    Machine machine;
    probe::take_smi_nvlink(
        cat("GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n"
            "NVML: Unable to retrieve NVLink information as all links are ",
            words, "\nGPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-2)\n\tLink 0: <", words, ">\n"),
        machine);
    ASSERT_TRUE(machine.nvidia.gpus && machine.nvidia.gpus->size() == 2);
    for (const GpuState& gpu : *machine.nvidia.gpus) {
      EXPECT_EQ(gpu.nvlinks, 1) << words;
      EXPECT_EQ(gpu.nvlinks_up, 0) << words;
    }
  }
}

TEST(DoctorLogLines, LinesOfALogCostNoSquares) {
  const auto rules = log_rules();
  const auto text_of = [](int lines) {
    KernelLog log;
    for (int i = 0; i < lines; ++i)
      log.lines.push_back({1.0 * i, "pcieport 0000:15:01.0: PCIe Bus Error: severity=Corrected,"});
    return log;
  };
  test::expect_no_squares(500, 8, text_of, [&](const KernelLog& log, int) {
    EXPECT_FALSE(lines_of_rules(rules, log).empty());
    std::vector<std::optional<double>> times;
    for (const LogLine& line : log.lines) times.push_back(line.at_s);
    EXPECT_GT(most_within(1e9, times), 1U);
  });
}

}  // namespace
}  // namespace nettune::tools::doctor
