// SPDX-License-Identifier: Apache-2.0
// What was not read is never a negative answer: each file, link and directory of a recording is
// taken away in turn. That adds no finding, and leaves no "ready" without what decides it.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "tools/doctor/observe.hpp"
#include "tools/doctor/probe/gather.hpp"
#include "tools/doctor/verdict.hpp"
#include "unit/tools/doctor/recording.hpp"
#include "unit/tools/doctor/shipped_rules.hpp"

namespace nettune::tools::doctor {
namespace {

namespace fs = std::filesystem;
using checks::Opinion;

struct Outcome {
  Decision decision;
  std::set<std::string> bad;   ///< "rule of device: text"
  std::set<std::string> good;  ///< rules that decide
  std::string open;
};

Outcome outcome_of(const std::string& root) {
  probe::GatherRequest request;
  request.root = root;
  auto machine = probe::gather(request);
  Outcome outcome;
  if (!machine) {
    ADD_FAILURE() << machine.error().text;
    return outcome;
  }
  auto observations = observe(*machine);
  if (const auto seen = demanded(*machine, "")) observations.push_back(*seen);
  const Judged judged = judge(test::shipped_rules(), *machine, observations, {});
  outcome.decision = decide(judged, demands_of(*machine, ""), false);
  for (const Finding& finding : judged.findings) {
    if (finding.is_bad())
      outcome.bad.insert(cat(finding.rule->id, " of ", finding.seen.device, ": ", finding.text));
    if (finding.opinion == Opinion::good && finding.rule->is_fault &&
        !finding.rule->demanded_by.empty())
      outcome.good.insert(finding.rule->id);
  }
  for (const std::size_t index : outcome.decision.open)
    outcome.open += cat(judged.findings[index].rule->id, " of ", judged.findings[index].seen.device,
                        ": ", judged.findings[index].text, "\n");
  return outcome;
}

/// What taking something away made of the verdict; "" for nothing wrong.
std::string wrong_with(const Outcome& whole, const Outcome& without) {
  std::string wrong;
  for (const std::string& bad : without.bad)
    if (!whole.bad.contains(bad)) wrong += cat("  says ", bad, "\n");
  // Where no NVSwitch is listed, gpu-fabric decides whether a fabric manager did its work.
  const auto decided = [&](const std::string& rule) {
    return without.good.contains(rule) ||
           (rule == "fabric-manager" && without.good.contains("gpu-fabric"));
  };
  if (without.decision.verdict == Verdict::ready)
    for (const std::string& rule : whole.good)
      if (!decided(rule)) wrong += cat("  is ready without ", rule, "\n");
  return wrong;
}

void sweep(const test::Recording& recording) {
  const Outcome whole = outcome_of(recording.root());
  EXPECT_EQ(whole.decision.verdict, Verdict::ready) << whole.open;
  for (const std::string& bad : whole.bad) ADD_FAILURE() << "of a healthy node: " << bad;
  const std::string aside = recording.root() + ".aside";
  int count = 0;
  for (const std::string& entry : recording.entries()) {
    fs::rename(recording.path(entry), aside);
    const std::string wrong = wrong_with(whole, outcome_of(recording.root()));
    EXPECT_EQ(wrong, "") << "without " << entry;
    fs::rename(aside, recording.path(entry));
    ++count;
  }
  ::testing::Test::RecordProperty("taken_away", count);
  EXPECT_GT(count, 200);
}

TEST(DoctorAbsence, TakingAwayAddsNoFindingToARoceNode) { sweep(test::RecordedNode()); }

TEST(DoctorAbsence, TakingAwayAddsNoFindingToAnInfinibandNode) { sweep(test::RecordedNode(true)); }

TEST(DoctorAbsence, FilesThatAreEmptyAreNoAnswerEither) {
  const test::RecordedNode recording;
  const Outcome whole = outcome_of(recording.root());
  for (const std::string& entry : recording.entries()) {
    const fs::path path = recording.path(entry);
    if (!fs::is_regular_file(fs::symlink_status(path))) continue;
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    if (content.str().empty()) continue;
    std::ofstream(path, std::ios::trunc).close();
    EXPECT_EQ(wrong_with(whole, outcome_of(recording.root())), "") << "with an empty " << entry;
    std::ofstream(path, std::ios::binary) << content.str();
  }
}

TEST(DoctorAbsence, ACopyWithoutLinksAddsNoFinding) {
  const test::RecordedNode recording;
  const Outcome whole = outcome_of(recording.root());
  const test::Recording copy;
  // Only what a shell's cp -rL of the class directories reaches: no link is left.
  std::error_code ignored;
  for (const char* const part : {"etc", "proc", "nettune", "ip-address.json", "sys/module",
                                 "sys/devices/system", "sys/class/dmi"}) {
    fs::create_directories(fs::path(copy.path(part)).parent_path());
    fs::copy(recording.path(part), copy.path(part), fs::copy_options::recursive, ignored);
  }
  for (const char* const list : {"sys/class/net", "sys/class/infiniband", "sys/bus/pci/devices"})
    for (const auto& entry : fs::directory_iterator(recording.path(list))) {
      const std::string to = cat(copy.path(list), "/", entry.path().filename().string());
      fs::create_directories(to);
      for (const auto& inner : fs::recursive_directory_iterator(fs::canonical(entry.path())))
        if (inner.is_regular_file()) {
          const fs::path target =
              fs::path(to) / fs::relative(inner.path(), fs::canonical(entry.path()));
          fs::create_directories(target.parent_path());
          fs::copy_file(inner.path(), target, ignored);
        }
    }
  EXPECT_EQ(wrong_with(whole, outcome_of(copy.root())), "");
}

TEST(DoctorAbsence, NothingOrAKernelLogAloneIsUndecided) {
  const test::Recording empty;
  EXPECT_EQ(outcome_of(empty.root()).decision.verdict, Verdict::undecided);
  test::Recording log;
  log.file("dmesg.txt", "[    1.000000] Linux version 6.1.0\n");
  EXPECT_EQ(outcome_of(log.root()).decision.verdict, Verdict::undecided);
}

}  // namespace
}  // namespace nettune::tools::doctor
