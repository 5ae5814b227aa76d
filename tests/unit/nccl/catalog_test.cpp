// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "nccl/values.hpp"
#include "nccl/word_values.hpp"
#include "unit/nccl/fixture.hpp"

namespace nettune::nccl {
namespace {

TEST(NcclCatalog, IsComplete) {
  EXPECT_GT(catalog().variables.size(), 350U);
  EXPECT_EQ(catalog().releases.back().text(), "2.30.7");
  for (const Variable& variable : catalog().variables) {
    EXPECT_NE(variable.source, "") << variable.name;
    EXPECT_NE(variable.meaning, "") << variable.name;
    EXPECT_EQ(variable.since.has_value(), variable.reader.empty()) << variable.name;
    EXPECT_EQ(variable.name, upper(variable.name));  // lint finds slips of case so
    if (variable.type == Type::choice || variable.type == Type::list ||
        variable.type == Type::level) {
      EXPECT_FALSE(variable.values.empty()) << variable.name;
    }
  }
  for (const Conflict& conflict : catalog().conflicts)
    EXPECT_TRUE(catalog().find(conflict.name)) << conflict.name;
  for (const Advice& advice : catalog().advice)
    EXPECT_TRUE(catalog().find(advice.name)) << advice.name;
  for (const Invented& invented : catalog().invented)
    EXPECT_FALSE(catalog().find(invented.name)) << invented.name;
}

/// A default that is a number is no mistake when somebody writes it.
TEST(NcclCatalog, DefaultsAreInRange) {
  for (const Variable& variable : catalog().variables)
    for (const auto& [since, value] : variable.defaults) {
      if (!since || !variable.is_number() ||
          value.find_first_not_of("-0123456789") != std::string::npos)
        continue;
      const auto findings = judged(variable.name + "=" + value, since->text());
      for (const Finding& finding : findings)
        EXPECT_NE(finding.judgement.verdict, Verdict::out_of_range) << told(findings);
    }
}

/// Programs that nettune has no script for: their entries say where a person looks.
TEST(NcclCatalog, EntriesOfOthersNameTheirRepository) {
  const std::map<std::string, std::pair<std::string, std::size_t>> others = {
      {"UCX", {"openucx/ucx: src/", 25}},
      {"libfabric", {"ofiwg/libfabric: ", 25}},
      {"aws-ofi-nccl", {"aws/aws-ofi-nccl: include/", 35}},
      {"Gloo", {"pytorch/gloo: gloo/", 4}},
      {"GPUDirect-TCPX", {"google/nccl-plugin-gpudirecttcpx: src/", 45}},
      {"GPUDirect-TCPXO", {"google/nccl-plugin-gpudirect-tcpxo: tcpdirect_plugin/", 20}},
      {"Google's plugins", {"google/nccl-plugin-gpudirect-tcpxo: tcpxo_scripts/", 14}},
      {"PyTorch", {"pytorch/pytorch: torch/", 35}}};
  std::map<std::string, std::size_t> entries;
  for (const Variable& variable : catalog().variables) {
    const auto other = others.find(variable.reader);
    if (other == others.end() || variable.name == "MASTER_PORT") continue;
    ++entries[variable.reader];
    EXPECT_TRUE(variable.source.starts_with(other->second.first))
        << variable.name << ": " << variable.source;
    if (variable.type == Type::choice || variable.type == Type::decimal) {
      EXPECT_NE(variable.wrong, "") << variable.name;
    }
  }
  for (const auto& [reader, other] : others) EXPECT_GE(entries[reader], other.second) << reader;
}

/// A default of one word is one that its reader takes.
TEST(NcclCatalog, DefaultsOfOthersAreTaken) {
  std::size_t tried = 0;
  for (const Variable& variable : catalog().variables) {
    if (variable.type != Type::choice && variable.type != Type::decimal) continue;
    for (const auto& [since, value] : variable.defaults) {
      if (since || value.empty() || value.find_first_of(" ,;") != std::string::npos ||
          value == "unset")
        continue;
      ++tried;
      EXPECT_EQ(judge_value(variable, value, catalog().releases.back()).level, Level::ok)
          << variable.name << "=" << value;
    }
  }
  EXPECT_GT(tried, 60U);
}

/// The neighbours of a release among those whose source is public.
std::optional<Version> before(const Version& one) {
  const auto found = std::ranges::lower_bound(catalog().releases, one);
  if (found == catalog().releases.begin()) return {};
  return *std::prev(found);
}
std::optional<Version> after(const Version& one) {
  const auto found = std::ranges::upper_bound(catalog().releases, one);
  if (found == catalog().releases.end()) return {};
  return *found;
}

TEST(NcclCatalog, EveryVariableAtTheEdgesOfItsLife) {
  std::size_t tried = 0;
  for (const Variable& variable : catalog().variables) {
    if (!variable.since || !concerns_nccl(catalog(), variable.name)) continue;
    const auto is_read = [&](const Version& release) {
      ++tried;
      const auto findings = judged(variable.name + "=0", release.text());
      return !with(findings, Verdict::not_in_version) && !with(findings, Verdict::unknown_name);
    };
    EXPECT_TRUE(is_read(*variable.since)) << variable.name;
    if (const auto earlier = before(*variable.since)) {
      EXPECT_FALSE(is_read(*earlier)) << variable.name;
    }
    EXPECT_TRUE(is_read(variable.until.value_or(catalog().releases.back()))) << variable.name;
    if (variable.until) {
      const auto later = after(*variable.until);
      ASSERT_TRUE(later) << variable.name;
      EXPECT_FALSE(is_read(*later)) << variable.name;
      const auto findings = judged(variable.name + "=0", later->text());
      const Finding* const finding = with(findings, Verdict::not_in_version);
      ASSERT_TRUE(finding);
      EXPECT_NE(finding->judgement.why.find(variable.until->text()), std::string::npos)
          << told(findings);
    }
  }
  EXPECT_GT(tried, 500U);
}

/// What a release does where a variable is unset, from the source of its tag and of the one before.
TEST(NcclCatalog, DefaultsByRelease) {
  const std::vector<std::array<std::string, 3>> rows = {
      // src/graph/paths.cc ncclTopoCheckGdr
      {"NCCL_NET_GDR_LEVEL", "2.6.4", "PXB"},
      {"NCCL_NET_GDR_LEVEL", "2.28.9", "PXB"},
      {"NCCL_NET_GDR_LEVEL", "2.29.2", "P2C (PXB with NCCL_NET_GDR_C2C=0)"},
      // src/transport/net_ib.cc
      {"NCCL_IB_TC", "2.25.1", "0"},
      {"NCCL_IB_TC", "2.26.2", "-1"},
      {"NCCL_IB_SL", "2.25.1", "0"},
      {"NCCL_IB_SL", "2.26.2", "-1"},
      // src/debug.cc ncclDebugMask
      {"NCCL_DEBUG_SUBSYS", "2.16.2", "INIT"},
      {"NCCL_DEBUG_SUBSYS", "2.16.5", "INIT,ENV"},
      {"NCCL_DEBUG_SUBSYS", "2.22.3", "INIT,ENV"},
      {"NCCL_DEBUG_SUBSYS", "2.23.4", "INIT,BOOTSTRAP,ENV"},
      // src/init.cc, comm->launchMode
      {"NCCL_LAUNCH_MODE", "2.8.4", "GROUP"},
      {"NCCL_LAUNCH_MODE", "2.9.6", "PARALLEL"}};
  for (const auto& [name, release, value] : rows)
    EXPECT_EQ(catalog().find(name)->default_at(version(release)), value) << name << " " << release;
  // src/misc/socket.cc ncclFindInterfaces
  const auto interfaces = [](const std::string& release) {
    return catalog().find("NCCL_SOCKET_IFNAME")->default_at(version(release));
  };
  EXPECT_EQ(interfaces("2.27.7").find("virbr"), std::string::npos);
  EXPECT_NE(interfaces("2.28.3").find("virbr"), std::string::npos);
}

/// 2.16.5 is the first that reads it and 2.16.2 the last that does not: of 2.16.3 and 2.16.4 there
/// is no source.
TEST(NcclCatalog, BetweenTwoReleasesNobodyKnows) {
  for (const char* const release : {"2.16.3", "2.16.4"}) {
    const auto findings = judged("NCCL_PROGRESS_APPENDOP_FREQ=8", release);
    EXPECT_TRUE(with(findings, Verdict::unsettled)) << told(findings);
  }
  EXPECT_TRUE(with(judged("NCCL_IB_HCA=mlx5_0", "2.1.15"), Verdict::unsettled));
  EXPECT_TRUE(with(judged("NCCL_CREATE_THREAD_CONTEXT=0", "2.30.5"), Verdict::unsettled));
  EXPECT_TRUE(with(judged("NCCL_CREATE_THREAD_CONTEXT=0", "2.31.1"), Verdict::not_in_version));
  EXPECT_FALSE(with(judged("NCCL_IB_HCA=mlx5_0", "2.99.1"), Verdict::unsettled));
}

TEST(NcclCatalog, MistakesNameTheLine) {
  const std::string head = "releases = [\"2.3.5\"]\n";
  for (const char* const wrong :
       {"[var.A]\ntype = \"nonsense\"\n", "[var.A]\ntype = \"int\"\nrange = [\"x\"]\n",
        "[var.A]\ntype = \"int\"\nrange = [\"2.3 0..1\"]\n",
        "[var.A]\ntype = \"int\"\nsince = \"new\"\n",
        "[var.A]\ntype = \"choice\"\nvalues = [\"A b\"]\n"}) {
    const auto parsed = parse_catalog(head + wrong, "c.toml");
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_EQ(parsed.error().file, "c.toml");
    EXPECT_GT(parsed.error().line, 0) << wrong;
  }
  EXPECT_FALSE(parse_catalog("", "c.toml"));
  EXPECT_FALSE(parse_catalog("releases = [1]\n[var.A]\ntype = \"int\"\n", "c.toml"));
}

}  // namespace
}  // namespace nettune::nccl
