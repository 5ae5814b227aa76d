// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "cli/commands/args.hpp"
#include "node/context.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::commands {

/// The node that a command works on, and its command line.
class Invocation : public node::Context {
 public:
  explicit Invocation(Arguments arguments)
      : node::Context(locations_of(arguments)), arguments_(std::move(arguments)) {
    static_cast<node::Locations&>(arguments_) = locations();  // with absolute paths
  }

  const Arguments& arguments() const { return arguments_; }
  /// A saved plan has its own --set values.
  void use_set(std::map<std::string, std::string> set) {
    arguments_.set = set;
    node::Context::use_set(std::move(set));
  }

 private:
  static node::Locations locations_of(const Arguments& arguments) {
    node::Locations locations = arguments;
    locations.again = node::sudo_line(command_name(arguments.command), arguments.typed);
    locations.forgives_site_file =
        arguments.command == Command::rollback || arguments.command == Command::recover;
    return locations;
  }

  Arguments arguments_;
};

}  // namespace nettune::cli::commands
