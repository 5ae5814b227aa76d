// SPDX-License-Identifier: Apache-2.0
#include "cli/program_main.hpp"
#include "tools/render/program/render_options.hpp"

int main(int argc, char** argv) {
  nettune::tools::render::program::RenderOptions options;
  return nettune::cli::program_main(nettune::tools::render::program::render_program(options), argc,
                                    argv);
}
