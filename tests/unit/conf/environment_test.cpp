// SPDX-License-Identifier: Apache-2.0
#include "conf/environment.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "unit/support/provider_fixture.hpp"

namespace nettune::conf {
namespace {

using namespace test;

/// Runs `script` in a shell with an empty environment; what it printed, and "rc=N" when it failed.
std::string run(const std::string& shell, const Scratch& scratch, const std::string& script) {
  scratch.put("script", script);
  const std::string command = "env -i PATH=/bin:/usr/bin " + shell + " '" + (scratch / "script") +
                              "' >'" + (scratch / "out") + "' 2>&1";
  const int status = std::system(command.c_str());
  const int rc = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return scratch.get("out") + (rc == 0 ? "" : "rc=" + std::to_string(rc));
}

std::vector<std::string> hostile_values() {
  std::vector<std::string> values = {"plain",
                                     "",
                                     "'",
                                     "''",
                                     "'\\''",
                                     "\"",
                                     "$(touch /tmp/x)",
                                     "`id`",
                                     "$HOME",
                                     "\\",
                                     "\\n",
                                     "a\nb",
                                     "a\n",
                                     "\n",
                                     "; exit 3",
                                     "' ; exit 3; '",
                                     "*",
                                     "~",
                                     "a b",
                                     " lead",
                                     "trail ",
                                     "!!",
                                     "\t",
                                     "${X}",
                                     "%s",
                                     "#",
                                     "a#b",
                                     "\x01\x7f",
                                     "\xff\xfe",
                                     "\xc3\xa4",
                                     "&& false",
                                     "|cat",
                                     "-n",
                                     "-e",
                                     "\\'",
                                     "'$(exit)'",
                                     "\"'\"'\"'\"",
                                     "=eth0",
                                     "a=b",
                                     "}",
                                     "fi",
                                     "\r",
                                     "x\r\n",
                                     "<<EOF",
                                     std::string(5000, '\'')};
  std::mt19937 random(7);
  for (int i = 0; i < 40; ++i) {
    std::string value(random() % 30, 'x');
    for (char& c : value) {
      c = random() % 3 == 0 ? "'\"$`\\ \n;"[random() % 8] : static_cast<char>(1 + random() % 255);
    }
    values.push_back(value);
  }
  return values;
}

class ConfEnvironmentShells : public testing::TestWithParam<const char*> {};

TEST_P(ConfEnvironmentShells, TakesEveryValueLiterally) {
  const Scratch scratch;
  if (run(GetParam(), scratch, "exit 0\n") != "") GTEST_SKIP() << GetParam() << " is not here";
  const auto values = hostile_values();
  std::vector<Variable> variables;
  std::string print;
  std::string expected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string name = "V" + std::to_string(i);
    variables.push_back({name, values[i]});
    print += "printf '%s\\001' \"$" + name + "\"\n";
    expected += values[i] + "\x01";
  }
  const auto exports = shell_exports(variables, "made by a test\n$(exit 9)\nexit 9");
  ASSERT_TRUE(exports);
  EXPECT_EQ(run(GetParam(), scratch, "set -eu\n" + *exports + print), expected);
  const auto assignments = shell_assignments(variables);
  ASSERT_TRUE(assignments);
  EXPECT_EQ(run(GetParam(), scratch, "set -eu\n" + *assignments + print), expected);
}

TEST_P(ConfEnvironmentShells, SetsOnlyWhatIsUnsetAndExportsIt) {
  const Scratch scratch;
  if (run(GetParam(), scratch, "exit 0\n") != "") GTEST_SKIP() << GetParam() << " is not here";
  const std::vector<Variable> variables = {{"A", "ours"}, {"B", "ours"}, {"C", "ours"}};
  const auto exports = shell_exports(variables, "");
  ASSERT_TRUE(exports);
  EXPECT_EQ(run(GetParam(), scratch,
                "set -eu\nA=theirs\nB=\n" + *exports + "echo \"$A,$B,$C\"\nenv | grep ^C=\n"),
            "theirs,,ours\nC=ours\n");
}

TEST_P(ConfEnvironmentShells, AssignsWhatIsSetAlready) {
  const Scratch scratch;
  if (run(GetParam(), scratch, "exit 0\n") != "") GTEST_SKIP() << GetParam() << " is not here";
  const std::vector<Variable> variables = {{"A", "ours"}, {"B", "ours"}};
  const auto assignments = shell_assignments(variables);
  ASSERT_TRUE(assignments);
  EXPECT_EQ(run(GetParam(), scratch,
                "set -eu\nA=theirs\n" + *assignments + "echo \"$A,$B\"\nenv | grep '^B='\n"),
            "ours,ours\nB=ours\n");
}

INSTANTIATE_TEST_SUITE_P(Environment, ConfEnvironmentShells,
                         testing::Values("dash", "bash", "sh", "bash --posix"));

TEST(ConfEnvironment, ShellRefusesWhatNoEnvironmentHolds) {
  const std::vector<Variable> nul = {{"A", std::string("a\0b", 3)}};
  EXPECT_FALSE(shell_exports(nul, ""));
  EXPECT_FALSE(shell_assignments(nul));
  for (const char* const name : {"", "1A", "A B", "A=B", "A;exit", "A\n", "a-b", "$(x)", "PATH",
                                 "LD_PRELOAD", "IFS", "BASH_ENV", "ENV", "UID", "\xc3\xa4"}) {
    const std::vector<Variable> one = {{name, "x"}};
    EXPECT_FALSE(shell_exports(one, "")) << name;
    EXPECT_FALSE(shell_assignments(one)) << name;
    EXPECT_FALSE(check_variable_name(name)) << name;
  }
  // Each makes a common program run a program or load code of the value's choice.
  for (const char* const name : {"NODE_OPTIONS",
                                 "RUBYOPT",
                                 "RUBYLIB",
                                 "LESSOPEN",
                                 "LESSCLOSE",
                                 "LESS",
                                 "PERL5OPT",
                                 "PERL5DB",
                                 "PYTHONSTARTUP",
                                 "PYTHONBREAKPOINT",
                                 "PYTHONWARNINGS",
                                 "JAVA_TOOL_OPTIONS",
                                 "_JAVA_OPTIONS",
                                 "JDK_JAVA_OPTIONS",
                                 "GIT_SSH_COMMAND",
                                 "GIT_PAGER",
                                 "GIT_CONFIG_KEY_0",
                                 "PAGER",
                                 "EDITOR",
                                 "VISUAL",
                                 "VIMINIT",
                                 "TAR_OPTIONS",
                                 "RSYNC_RSH",
                                 "MAKEFILES",
                                 "OPENSSL_CONF",
                                 "LUA_INIT_5_4",
                                 "R_PROFILE_USER",
                                 "SSH_ASKPASS",
                                 "ZDOTDIR",
                                 "INPUTRC",
                                 "CUDA_INJECTION64_PATH",
                                 "GTK_MODULES",
                                 "PHPRC",
                                 "AWKLIBPATH"})
    EXPECT_FALSE(check_variable_name(name)) << name;
  // What jobs are tuned with is nobody's code.
  for (const char* const name :
       {"PYTHONUNBUFFERED", "PYTHONFAULTHANDLER", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
        "OMP_NUM_THREADS", "TORCH_NCCL_ASYNC_ERROR_HANDLING", "NCCL_NET_PLUGIN", "UCX_TLS",
        "FI_PROVIDER", "GLOO_SOCKET_IFNAME", "OMPI_MCA_btl", "HTTP_PROXY", "http_proxy"})
    EXPECT_TRUE(check_variable_name(name)) << name;
  EXPECT_TRUE(check_variable_name("NCCL_IB_TC"));
  EXPECT_TRUE(check_variable_name("_x9"));
  EXPECT_TRUE(check_variable_name("USERS_OF_IT"));
  EXPECT_FALSE(check_variable_name(std::string(256, 'A')));
}

TEST(ConfEnvironment, ValueThatEveryReaderTakesLiterally) {
  for (const char* const good :
       {"1", "=eth0", "^docker0,lo", "=mlx5_0,mlx5_1", "a b", "#x", "0x1F"}) {
    EXPECT_TRUE(check_variable_value(good)) << good;
  }
  for (const char* const bad : {"", " a", "a ", "\"a\"", "'a'", "$HOME", "`id`", "a\\", "a\nb",
                                "a\tb", "\x7f", "\xc3\xa4", "\r"}) {
    EXPECT_FALSE(check_variable_value(bad)) << bad;
  }
  EXPECT_TRUE(check_variable_value(std::string(1023, 'a')));
  EXPECT_FALSE(check_variable_value(std::string(1024, 'a')));
}

TEST(ConfEnvironment, EnvFile) {
  const std::vector<Variable> variables = {{"NCCL_IB_HCA", "=mlx5_0"}, {"B", "x y"}};
  EXPECT_EQ(env_file(variables, "by nettune\nfor docker").value_or(""),
            "# by nettune\n# for docker\nNCCL_IB_HCA==mlx5_0\nB=x y\n");
  const std::vector<Variable> bad = {{"A", "a\nB=c"}};
  EXPECT_FALSE(env_file(bad, ""));
}

}  // namespace
}  // namespace nettune::conf
