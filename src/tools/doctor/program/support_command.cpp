// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/support_command.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

#include "base/scratch_directory.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/programs.hpp"
#include "node/display_text.hpp"
#include "node/output_file.hpp"
#include "tools/doctor/probe/gather.hpp"
#include "tools/doctor/program/record_node.hpp"
#include "tools/doctor/secrets.hpp"
#include "tools/measure/program/child.hpp"

namespace nettune::tools::doctor::program {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolder = "nettune-support";
constexpr std::string_view kRecording = "recording";
constexpr double kLongest_s = 120;
constexpr std::uint32_t kOwnersOnly = 0600;
constexpr std::string_view kNotInIt =
    "contents of files that nettune manages, profiles, and values whose names say that they are "
    "secret";

/// What a command says, as a file of the archive.
struct Part {
  std::string file;
  std::string what;
  std::vector<std::string> words;
};

std::vector<Part> parts_of(const std::string& nettune, const std::string& state,
                           const std::string& profile) {
  const auto ours = [&](const char* file, const char* what, std::vector<std::string> words) {
    words.insert(words.begin(), nettune);
    words.emplace_back("--state-dir");
    words.push_back(state);
    return Part{file, what, std::move(words)};
  };
  std::vector<Part> parts = {
      ours("version.txt", "the version of nettune", {"status", "--version"}),
      {"system.txt", "the kernel", {"uname", "-srvm"}},
      ours("status.json", "what is applied", {"status", "--json"}),
      ours("history.json", "what was done", {"history", "--json"}),
      ours("check.json", "what differs from it", {"check", "--json"}),
      ours("recommend.json", "which profiles match", {"recommend", "--json"}),
      ours("facts.json", "the hardware", {"facts", "--json"}),
      ours("doctor.json", "doctor's findings", {"doctor", "--json"}),
      {"journal.txt",
       "what nettune's units logged",
       {"journalctl", "-q", "--no-pager", "-o", "short-iso", "-n", "3000", "-u", "nettune*"}},
  };
  if (!profile.empty())
    parts.push_back(ours("plan.json", "what an apply would change", {"plan", "--json", profile}));
  return parts;
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

bool put(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  return out.flush().good();
}

Result<> write_part(const fs::path& file, const std::string& text) {
  if (put(file, text)) return {};
  return fail(Errc::io,
              cat("cannot write ", file.string(), "; TMPDIR names a directory with room"));
}

/// Secrets go from the texts of a recording, too. A file with a zero byte is no text.
Result<> clean_recording(const fs::path& directory) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory, error)) {
    if (!entry.is_regular_file(error) || entry.is_symlink(error)) continue;
    const std::string text = content_of(entry.path());
    if (text.find('\0') != text.npos) continue;
    if (const std::string clean = without_secrets(text); clean != text)
      TRY(write_part(entry.path(), clean));
  }
  if (error) return fail(Errc::io, cat(directory.string(), ": ", error.message()), error.value());
  return {};
}

struct Packed {
  std::string file;
  std::string what;
  std::uintmax_t bytes = 0;
};

std::uintmax_t size_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return fs::file_size(path, error);
  std::uintmax_t bytes = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path, error))
    if (entry.is_regular_file(error) && !entry.is_symlink(error)) bytes += entry.file_size(error);
  return bytes;
}

bool is_document(const Part& part) { return part.file.ends_with(".json"); }

/// What it says, or why it says nothing. What a document is followed by on standard error would
/// make it none.
std::string said(const Part& part) {
  const auto end = measure::program::run_child({.file = part.words[0],
                                                .words = part.words,
                                                .env = {{"LC_ALL", "C.UTF-8"}},
                                                .longest_s = kLongest_s,
                                                .errors = !is_document(part)},
                                               [] { return false; });
  if (!end) return cat("not here: ", end.error().text, "\n");
  if (!end->output.empty()) return end->output;
  return cat("nothing: ", end->text(), "\n");
}

Result<std::vector<Packed>> collect(const fs::path& folder, const std::vector<Part>& parts,
                                    const Machine& machine, const Pseudonyms* hidden) {
  std::vector<Packed> packed;
  for (const Part& part : parts) {
    std::string text = said(part);
    text = is_document(part) ? without_secrets_json(text) : without_secrets(text);
    if (hidden != nullptr) text = hidden->hide(text);
    TRY(write_part(folder / part.file, text));
    packed.push_back({part.file, part.what, text.size()});
  }
  const fs::path recording = folder / kRecording;
  TRY(record_node(machine, recording.string(), hidden));
  TRY(clean_recording(recording));
  packed.push_back(
      {cat(kRecording, "/"), "what doctor reads, for nettune doctor --root", size_of(recording)});
  return packed;
}

std::string list_text(const std::vector<Packed>& packed, bool anonymous) {
  std::string out;
  for (const Packed& one : packed) {
    const std::string file =
        cat(one.file, std::string(20 - std::min<std::size_t>(one.file.size(), 19), ' '));
    out += cat("  ", file, one.what, " (", (one.bytes + 1023) / 1024, " KiB)\n");
  }
  return cat(out, "not in it: ", kNotInIt, "\n",
             anonymous ? "names, addresses and serial numbers are pseudonyms\n"
                       : "names and addresses are in it; --anonymous replaces them\n");
}

std::string list_json(const std::string& file, const std::vector<Packed>& packed, bool anonymous) {
  nlohmann::ordered_json document = {
      {"schema", 1}, {"kind", "support"}, {"nettune", NETTUNE_VERSION}, {"build", build_info()}};
  document["file"] = file;
  document["anonymous"] = anonymous;
  document["parts"] = nlohmann::ordered_json::array();
  for (const Packed& one : packed)
    document["parts"].push_back({{"file", one.file}, {"what", one.what}, {"bytes", one.bytes}});
  document["not_in_it"] = kNotInIt;
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<node::Exit> support(node::Context& context, const SupportOptions& options,
                           cli::Output& output) {
  if (options.output.empty())
    return cli::usage("name the archive: nettune support --output FILE.tar.gz", "support");
  TRY(node::check_output_file(options.output));
  TRY_ASSIGN(const std::string nettune, cli::nettune_path());
  const auto state = context.look_at_state(node::OnDamage::tell);
  const std::string profile = state && state->active ? state->active->profile : std::string();
  TRY_ASSIGN(const Machine machine, probe::gather({}));
  const Pseudonyms pseudonyms = pseudonyms_of(machine);
  TRY_ASSIGN(const auto scratch, ScratchDirectory::make_temporary("nettune-support-"));
  const fs::path folder = fs::path(scratch.name()) / kFolder;
  std::error_code error;
  fs::create_directory(folder, error);
  TRY_ASSIGN(const auto packed, collect(folder, parts_of(nettune, options.state_directory, profile),
                                        machine, options.anonymous ? &pseudonyms : nullptr));
  const std::string list = list_text(packed, options.anonymous);
  TRY(write_part(folder / "README.txt", list));
  if (!options.json) output.print(list);
  const std::string archive = (fs::path(scratch.name()) / "archive").string();
  const auto made =
      measure::program::run_child({"tar",
                                   {"tar", "-C", scratch.name(), "--owner=root:0", "--group=root:0",
                                    "-czf", archive, std::string(kFolder)},
                                   {},
                                   kLongest_s},
                                  [] { return false; });
  if (!made) return fail(made.error());
  if (!made->succeeded())
    return fail(Errc::io, cat("tar: ", made->text(), ": ",
                              printable(measure::program::last_line(made->output))));
  TRY(node::write_output_file(options.output, content_of(archive), kOwnersOnly));
  output.print(options.json ? list_json(options.output, packed, options.anonymous)
                            : cat("wrote ", node::safe(options.output), "\n"));
  return node::Exit::done;
}

}  // namespace

cli::Command support_program(SupportOptions& into) {
  return {
      "support",
      &into,
      {
          {"-o,--output", "FILE", "Write the archive (tar.gz) to FILE", &into.output},
          {"--anonymous", "", "Pseudonyms for names, addresses and numbers", &into.anonymous},
      },
      [&into](node::Context& context, cli::Output& output) {
        return support(context, into, output);
      },
  };
}

}  // namespace nettune::tools::doctor::program
