// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"
#include "tools/nccl/scripts/assignments.hpp"

namespace nettune::tools::nccl::scripts {

/// Where a node sets variables for jobs. They are read in this order, and the last one wins, except
/// for the first two: NCCL itself reads those, and keeps variables that are set (setEnvFile() in
/// src/misc/param.cc).
enum class Source {
  node_conf,        ///< /etc/nccl.conf
  user_conf,        ///< ~/.nccl.conf, or what NCCL_CONF_FILE names
  env_file,         ///< /etc/nettune/nccl.env, for docker and podman
  pam_conf,         ///< /etc/security/pam_env.conf
  pam_environment,  ///< /etc/environment
  system_manager,   ///< DefaultEnvironment= of systemd's system.conf
  unit,             ///< Environment= and EnvironmentFile= of a service
  user_manager,     ///< DefaultEnvironment= of systemd's user.conf
  environment_d,    ///< environment.d(5)
  profile,          ///< /etc/profile
  bashrc,           ///< /etc/bash.bashrc
  profile_d,        ///< /etc/profile.d/*.sh
  user_profile,     ///< ~/.bash_profile, else ~/.bash_login, else ~/.profile
  user_bashrc,      ///< ~/.bashrc
  task_prolog,      ///< what Slurm's TaskProlog prints
  environment,      ///< of this process
};

/// How a program starts.
enum class Start {
  here,          ///< by the shell that started this process
  login,         ///< by a new login shell: ssh, su -, a console
  ssh_command,   ///< by ssh HOST COMMAND, as mpirun does: bash, which is no login shell then
  service,       ///< by systemd
  user_service,  ///< by the systemd of the user
  slurm_task,
  container,
};
inline constexpr std::array kStarts = {Start::here,     Start::login,        Start::ssh_command,
                                       Start::service,  Start::user_service, Start::slurm_task,
                                       Start::container};

/// A line that sets a variable.
struct VariablePlace {
  Source source = Source::environment;
  Assignment set;
  std::string unit = {};  ///< of Source::unit: "slurmd.service"
};

/// What the node's files do not contain.
struct Surroundings {
  std::vector<std::string> environment;  ///< "NAME=VALUE"
  std::string home;                      ///< of shells
  std::string conf_home;  ///< the directory in which this release of NCCL looks for .nccl.conf
  bool reads_conf_file = true;  ///< this release has NCCL_CONF_FILE
};

/// The text of a file in which not every line was understood.
struct ReadText {
  Source source = Source::profile;
  std::string file;
  std::string text;
  bool followed = true;  ///< false: NodePlaces::all has nothing from it
};

/// Something that exists, but could not be read, or not fully.
struct Gap {
  Source source = Source::profile;
  std::string why;  ///< "FILE cannot be read"
};

struct NodePlaces {
  std::vector<VariablePlace> all;  ///< in the order of Source; within one, as they are read
  std::vector<std::string> notes;  ///< what exists, but could not be read
  std::vector<ReadText> texts;     ///< of shells, PAM and systemd's managers
  std::vector<Gap> gaps;
  bool has_slurm = false;       ///< a slurm.conf exists
  bool reads_conf_file = true;  ///< as in Surroundings
  std::string user_conf;        ///< ~/.nccl.conf by its path; "" without a home
};

/// Every line of the node below `root` ("" for this one) that sets any variable for a job, except
/// in a scheduler, a container's image, a job's script, or a file that another one reads with `.`
/// or `source`. Only reads.
NodePlaces collect_variable_places(Disk& disk, const std::string& root,
                                   const Surroundings& surroundings);

}  // namespace nettune::tools::nccl::scripts
