// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "cli/commands/dispatch.hpp"
#include "node/exit_codes.hpp"
#include "node/signals.hpp"

int main(int argc, char** argv) {
  nettune::node::prepare_process();
  try {
    return nettune::cli::commands::dispatch(argc, argv);
  } catch (const std::exception& error) {
    // Memory ran out, or this is a bug: recover needs only the journal, if one is open.
    std::fprintf(stderr, "error: %s; if a change was in progress, run: sudo nettune recover\n",
                 error.what());
    return static_cast<int>(nettune::node::Exit::failed);
  }
}
