// SPDX-License-Identifier: Apache-2.0
#include "conf/environment.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "conf/comment.hpp"

namespace nettune::conf {
namespace {

constexpr std::size_t kMaxVariableBytes = 255;
/// NCCL cuts name and value at 1023 bytes (setEnvFile() in src/misc/param.cc).
constexpr std::size_t kMaxValueBytes = 1023;

// Set for every login, these would change what the shell, the dynamic linker or an interpreter
// does, which programs are found, or what another program runs. Some are read-only in bash, where
// an assignment ends the script. Variables for jobs only (a plugin of NCCL) are not in the list.

/// Shells and logins.
constexpr std::string_view kShellNames =
    "BASHOPTS CDPATH ENV EUID FPATH GLOBIGNORE HOME IFS INPUTRC LOGNAME MAIL MAILPATH OLDPWD "
    "OPTIND PATH PPID PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 PWD SHELL SHELLOPTS TMPDIR UID USER "
    "XDG_CONFIG_DIRS XDG_CONFIG_HOME XDG_DATA_DIRS ZDOTDIR";
/// The C library, and other libraries that load files by variables.
constexpr std::string_view kLibraryNames =
    "CUDA_INJECTION32_PATH CUDA_INJECTION64_PATH GCONV_PATH GETCONF_DIR GIO_EXTRA_MODULES "
    "GIO_MODULE_DIR GTK_MODULES GTK_PATH HOSTALIASES LOCPATH NLSPATH NVTX_INJECTION32_PATH "
    "NVTX_INJECTION64_PATH OMP_TOOL_LIBRARIES OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES "
    "QT_PLUGIN_PATH TERMCAP TERMINFO TERMINFO_DIRS";
/// Interpreters.
constexpr std::string_view kInterpreterNames =
    "AWKLIBPATH AWKPATH CLASSPATH JAVA_OPTS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS JULIA_DEPOT_PATH "
    "JULIA_LOAD_PATH NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE PHPRC PHP_INI_SCAN_DIR "
    "PYTHONBREAKPOINT PYTHONEXECUTABLE PYTHONHOME PYTHONINSPECT PYTHONPATH PYTHONPLATLIBDIR "
    "PYTHONPYCACHEPREFIX PYTHONSTARTUP PYTHONUSERBASE PYTHONWARNINGS TCLLIBPATH TCL_LIBRARY "
    "_JAVA_OPTIONS";
/// Programs that run another one.
constexpr std::string_view kProgramNames =
    "BROWSER COMPILER_PATH CVS_RSH EDITOR EXINIT GCC_EXEC_PREFIX GNUMAKEFLAGS GOFLAGS MAKEFILES "
    "MAKEFLAGS MANPAGER PAGER RSYNC_CONNECT_PROG RSYNC_RSH RUSTC_WORKSPACE_WRAPPER "
    "RUSTC_WRAPPER SCREENRC SSH_ASKPASS SYSTEMD_EDITOR SYSTEMD_LESS SYSTEMD_PAGER TAR_OPTIONS "
    "VIM VIMINIT VIMRUNTIME VISUAL WGETRC";
/// LESS may also contain a command to begin with ("+!").
constexpr auto kReservedPrefixes = std::to_array<std::string_view>(
    {"BASH_", "GIT_", "GLIBC_TUNABLES", "LD_", "LESS", "LUA_CPATH", "LUA_INIT", "LUA_PATH",
     "MALLOC_", "PERL5", "PERLLIB", "PERL_", "RUBY", "R_ENVIRON", "R_PROFILE", "SUDO_"});

bool is_name_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_reserved(std::string_view name) {
  const auto is_one_of = [&](std::string_view names) {
    const auto words = split(names, ' ');
    return std::ranges::find(words, name) != words.end();
  };
  return is_one_of(kShellNames) || is_one_of(kLibraryNames) || is_one_of(kInterpreterNames) ||
         is_one_of(kProgramNames) ||
         std::ranges::any_of(kReservedPrefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

Failure refuse_value(std::string_view value, std::string_view why) {
  const std::string_view shown = value.substr(0, 80);
  return fail(Errc::invalid, cat("the value \"", printable(shown),
                                 shown.size() < value.size() ? "\"..." : "\"", " ", why));
}

Result<> check_for_shell(const Variable& variable) {
  TRY(check_variable_name(variable.name));
  if (variable.value.find('\0') == std::string::npos) return {};
  return fail(Errc::invalid, cat("the value of ", variable.name,
                                 " contains a NUL byte, which an environment cannot have"));
}

}  // namespace

Result<> check_variable_name(std::string_view name) {
  const auto refuse = [&](std::string_view why) {
    return fail(Errc::invalid, cat("\"", printable(name.substr(0, 80)), "\" ", why));
  };
  if (name.empty()) return fail(Errc::invalid, "the name of an environment variable is empty");
  if (name.size() > kMaxVariableBytes) {
    return refuse(
        cat("is longer than ", kMaxVariableBytes, " bytes, too long for a variable name"));
  }
  if (!std::ranges::all_of(name, is_name_character) || (name[0] >= '0' && name[0] <= '9')) {
    return refuse("is not a valid variable name; use letters, digits and '_'");
  }
  if (is_reserved(name)) {
    return refuse(
        "changes how shells or programs start, or what they run; nettune does not set it");
  }
  return {};
}

Result<> check_variable_value(std::string_view value) {
  if (value.empty()) {
    return fail(Errc::invalid, "the value is empty; remove the variable to leave it unset");
  }
  if (value.size() > kMaxValueBytes) {
    return refuse_value(value,
                        cat("has ", value.size(), " bytes; NCCL's limit is ", kMaxValueBytes));
  }
  for (const char c : value) {
    if (c < ' ' || c > '~') {
      return refuse_value(value, "contains a character that is not printable ASCII");
    }
    if (std::string_view("'\"$`\\").find(c) != std::string_view::npos) {
      return refuse_value(value, cat("contains ", c,
                                     "; NCCL takes quotes, $, ` and \\ literally, "
                                     "so remove it"));
    }
  }
  if (value.front() == ' ' || value.back() == ' ') {
    return refuse_value(value, "begins or ends with a blank, which NCCL would keep; remove it");
  }
  return {};
}

Result<std::string> shell_exports(std::span<const Variable> variables, std::string_view heading) {
  std::string out = comment(heading);
  for (const Variable& variable : variables) {
    TRY(check_for_shell(variable));
    const std::string& name = variable.name;
    out += cat("if [ -z \"${", name, "+set}\" ]; then ", name, "=", single_quoted(variable.value),
               "; export ", name, "; fi\n");
  }
  return out;
}

Result<std::string> shell_assignments(std::span<const Variable> variables) {
  std::string out;
  for (const Variable& variable : variables) {
    TRY(check_for_shell(variable));
    out += cat("export ", variable.name, "=", single_quoted(variable.value), "\n");
  }
  return out;
}

Result<std::string> env_file(std::span<const Variable> variables, std::string_view heading) {
  std::string out = comment(heading);
  for (const Variable& variable : variables) {
    TRY(check_variable_name(variable.name));
    if (auto ok = check_variable_value(variable.value); !ok)
      return fail_in(variable.name, ok.error());
    out += cat(variable.name, "=", variable.value, '\n');
  }
  return out;
}

std::optional<Variable> env_file_line(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t equals = line.find('=');
  if (line.starts_with('#') || equals == line.npos) return {};
  return Variable{std::string(line.substr(0, equals)), std::string(line.substr(equals + 1))};
}

}  // namespace nettune::conf
