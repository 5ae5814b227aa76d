// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "cli/run.hpp"
#include "node/exit_codes.hpp"
#include "node/signals.hpp"

int main(int argc, char** argv) {
  nettune::cli::prepare_process();
  try {
    return nettune::cli::run(argc, argv);
  } catch (const std::exception& error) {
    // Memory ran out, or a mistake of ours: the journal, if one is open, is what recover needs.
    std::fprintf(stderr, "error: %s; if a change was under way: sudo nettune recover\n",
                 error.what());
    return static_cast<int>(nettune::cli::Exit::failed);
  }
}
