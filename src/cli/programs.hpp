// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

/// Commands that are programs of their own: what needs no privilege, or libraries that nettune
/// itself must not load. They are found by this table, beside nettune, and never by PATH.
namespace nettune::cli {

/// Groups of `nettune --help`, in its order.
constexpr std::string_view kSettings = "Settings";
constexpr std::string_view kNode = "This node";
constexpr std::string_view kJobs = "Jobs";
constexpr std::string_view kManyNodes = "Many nodes";

struct ProgramSpec {
  std::string_view name;     ///< the command: "nccl"
  std::string_view file;     ///< its file's name: "nettune-nccl"
  std::string_view summary;  ///< at most 60 characters
  std::string_view group;
};

std::span<const ProgramSpec> programs();
/// nullptr for a word that is no such command.
const ProgramSpec* find_program(std::string_view name);

/// In libexec where nettune is installed (its directory is sbin, or bin with a libexec), beside
/// nettune where it was built.
Result<std::string> program_path(const ProgramSpec& program);

/// nettune itself, as a program of libexec finds it: the way back.
Result<std::string> nettune_path();

/// Becomes the program, with the words behind the command; returns only what went wrong. It is
/// started as "nettune-COMMAND": one file may be several commands.
Failure become_program(const ProgramSpec& program, std::span<const std::string> words);

/// The first word of a program that is asked what may be in the place of the last one.
constexpr std::string_view kCompleteWord = "--complete";

}  // namespace nettune::cli
