// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/tune_options.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "cli/candidates.hpp"
#include "profile/profile.hpp"
#include "tools/measure/program/tune_command.hpp"

namespace nettune::tools::measure::program {
namespace {

Failure wrong_vary(const std::string& text, std::string_view why) {
  return cli::usage(cat("--vary ", printable(text), ": ", why), "tune");
}

}  // namespace

Result<std::vector<Variation>> variations_of(const TuneOptions& options) {
  if (options.vary.empty())
    return cli::usage(cat("name what to vary: nettune ", options.line, " -- ./bench"), "tune");
  if (!options.set.empty())
    return cli::usage(
        "--set cannot be used with tune: the new profile would not contain it; what is the same in "
        "all halves belongs in the profile or the site file",
        "tune");
  std::vector<Variation> out;
  for (const std::string& text : options.vary) {
    const auto equals = text.find('=');
    if (equals == text.npos || equals == 0)
      return wrong_vary(text, "write NAME=VALUE,VALUE, for example env.NCCL_ALGO=Ring,Tree");
    Variation one{text.substr(0, equals), {}};
    if (std::ranges::find(out, one.name, &Variation::name) != out.end())
      return wrong_vary(
          text, cat(printable(one.name), " is given twice; name all its values in one --vary"));
    if (equals + 1 == text.size()) return wrong_vary(text, "a value is empty");
    for (const std::string_view value : split(std::string_view(text).substr(equals + 1), ',')) {
      if (value.empty()) return wrong_vary(text, "a value is empty");
      if (std::ranges::find(one.values, value) != one.values.end())
        return wrong_vary(text, cat("the value ", printable(value), " is there twice"));
      one.values.emplace_back(value);
    }
    TRY(arm_with(options.profile, one.name, one.values[0]));
    out.push_back(std::move(one));
  }
  return out;
}

Result<Arm> arm_with(const std::string& profile, const std::string& name,
                     const std::string& value) {
  Arm arm;
  arm.profile = profile;
  if (name.starts_with(kEnv))
    TRY(add_variable(arm, std::string_view(name).substr(kEnv.size()), value, "tune"));
  else
    arm.set[name] = value;
  return arm;
}

std::size_t combinations_of(const std::vector<Variation>& vary) {
  std::size_t count = 1;
  for (const Variation& one : vary) {
    if (count > std::numeric_limits<std::size_t>::max() / one.values.size())
      return std::numeric_limits<std::size_t>::max();
    count *= one.values.size();
  }
  return count;
}

std::vector<std::size_t> combination(const std::vector<Variation>& vary, std::size_t number) {
  std::vector<std::size_t> out(vary.size());
  for (std::size_t i = vary.size(); i-- > 0;) {
    out[i] = number % vary[i].values.size();
    number /= vary[i].values.size();
  }
  return out;
}

cli::Command tune_program(TuneOptions& into) {
  cli::Options options = measuring_options(into);
  options.insert(options.begin(),
                 {{"profile", "", "The profile to start from", &into.profile, true},
                  {"--vary", "NAME=V1,V2",
                   "Try these values of a variable, or of env.NAME (repeatable)", &into.vary}});
  options.insert(
      options.end(),
      {{"-o,--output", "FILE", "The new profile (PROFILE-tuned.toml)", &into.output_file},
       {"--evidence", "FILE", "Save all blocks to FILE, after each one", &into.evidence_file}});
  return {
      "tune",
      &into,
      std::move(options),
      [&into](node::Context& context, cli::Output& output) { return tune(context, into, output); },
      [](node::Context& context, std::span<const std::string>) {
        return cli::profile_names(context);
      },
  };
}

}  // namespace nettune::tools::measure::program
