// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/program_main.hpp"

namespace nettune::tools::render::program {

/// The command line of `nettune render`.
struct RenderOptions : cli::GlobalOptions {
  std::string kind;
  std::string profile;
  std::string nodes;
  std::string count;
  std::string gpus;
  std::string image;
  std::string job;
  std::string port;
  std::string expect;
  std::string ports;
  std::vector<std::string> resources;
  std::string time;
  std::string mem;
  std::string partition;
  std::string account;
  std::string queue;
  std::vector<std::string> mounts;
  std::vector<std::string> env;
  std::vector<std::string> scheduler_options;
  std::vector<std::string> template_directories;
  std::string output_file;
  bool explain = false;
  bool no_explain = false;
  bool no_preflight = false;
  bool verify = false;
  bool verify_stdio = false;
  std::string ssh;
  bool list = false;
  bool names = false;
  std::vector<std::string> program;
};

/// Parses into `options`, which must outlive it.
cli::Command render_program(RenderOptions& options);

}  // namespace nettune::tools::render::program
