// SPDX-License-Identifier: Apache-2.0
#include "cli/program_main.hpp"
#include "tools/render/program/render_options.hpp"

int main(int argc, char** argv) {
  nettune::cli::RenderOptions options;
  return nettune::cli::program_main(nettune::cli::render_program(options), argc, argv);
}
