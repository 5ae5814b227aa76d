// SPDX-License-Identifier: Apache-2.0
#include "tools/report/program/report_command.hpp"

#include "base/text.hpp"
#include "node/output_file.hpp"
#include "tools/compare/rules.hpp"
#include "tools/report/fleet_page.hpp"

namespace nettune::tools::report::program {

namespace {

Result<node::Exit> run_report(const ReportOptions& request, cli::Output& output) {
  if (request.inputs.empty())
    return cli::usage(
        "nettune report needs documents: files or directories of what nettune prints with --json",
        "report");
  if (request.output_file.empty())
    return cli::usage("nettune report writes a file: name it with -o, such as -o fleet.html",
                      "report");
  TRY(node::check_output_file(request.output_file));
  TRY_ASSIGN(const compare::Rules rules, compare::load_rules(request.rules_file));
  TRY_ASSIGN(const Page page, read_page(request.inputs, rules));
  const std::string html = write_page(page);
  TRY(node::write_output_file(request.output_file, html, 0644));
  output.print(request.json ? json::report(page, request.output_file, html.size())
                            : text::report(page, request.output_file, html.size()));
  return page.not_read.empty() && !page.nodes.empty() ? node::Exit::done : node::Exit::unknown;
}

}  // namespace

cli::Command report_program(ReportOptions& into) {
  return {
      "report",
      &into,
      {
          {"documents", "FILES",
           "Files or directories of what nettune prints with --json; - is standard input",
           &into.inputs},
          {"-o,--output", "FILE", "The page to write: fleet.html", &into.output_file},
          {"--rules", "FILE", "Compare by these rules, not by catalog/compare.toml",
           &into.rules_file},
      },
      [&into](node::Context&, cli::Output& output) { return run_report(into, output); },
  };
}

}  // namespace nettune::tools::report::program
