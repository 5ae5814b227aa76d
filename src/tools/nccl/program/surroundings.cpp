// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/program/surroundings.hpp"

#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace nettune::tools::nccl::program {

namespace {

/// From this release on, ~ is $HOME before the password file's entry (src/misc/param.cc).
constexpr nettune::nccl::Version kHomeOfEnvironment{2, 30, 3};
/// From this release on, NCCL_CONF_FILE replaces ~/.nccl.conf.
constexpr nettune::nccl::Version kNamedFile{2, 23, 4};

}  // namespace

scripts::Surroundings surroundings(const nettune::nccl::Version& version) {
  scripts::Surroundings around;
  for (char** entry = environ; entry && *entry; ++entry) around.environment.emplace_back(*entry);
  const char* const home = std::getenv("HOME");
  around.home = around.conf_home = home ? home : "";
  if (const passwd* const user = ::getpwuid(::getuid()); user && version < kHomeOfEnvironment)
    around.conf_home = user->pw_dir;
  around.reads_conf_file = version >= kNamedFile;
  return around;
}

}  // namespace nettune::tools::nccl::program
