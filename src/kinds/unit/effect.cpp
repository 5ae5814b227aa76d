// SPDX-License-Identifier: Apache-2.0
#include "kinds/unit/effect.hpp"

#include <algorithm>
#include <optional>
#include <unistd.h>

#include "base/text.hpp"
#include "kinds/unit/value.hpp"

namespace nettune::kinds::unit {
namespace {

using enum InEffect::State;

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 16;

std::optional<std::string> load(Disk& disk, const std::string& path) {
  auto text = disk.read(path, kMaxBytes);
  if (!text || !*text) return std::nullopt;
  return std::move(**text);
}

/// The rest of the line that begins with `name`.
std::optional<std::string> row_of(std::string_view text, std::string_view name) {
  for (const std::string_view line : split(text, '\n'))
    if (line.starts_with(name)) return std::string(trim(line.substr(name.size())));
  return std::nullopt;
}

std::string kernel_limit(std::string_view text) {
  return text == "unlimited" ? "infinity" : std::string(text);
}

/// LimitNOFILE above fs.nr_open becomes that (rlimit_nofile_bump() and setrlimit_closest() in
/// src/basic/rlimit-util.c).
std::string possible(const ShownIn& in, const Directive& row, std::string limit) {
  if (row.name != "LimitNOFILE") return limit;
  const auto most = load(in.disk, cat(in.proc, "/sys/fs/nr_open"));
  if (!most) return limit;
  const std::string top(trim(*most));
  const bool is_above = limit == "infinity" || compare_integers(limit, top) > 0;
  return is_integer(top) && is_above ? top : limit;
}

/// "SOFT:HARD" of a row of /proc/PID/limits.
std::optional<std::string> shown_limit(std::string_view text, std::string_view row) {
  const auto rest = row_of(text, row);
  if (!rest) return std::nullopt;
  const auto columns = words(*rest);
  if (columns.size() < 2) return std::nullopt;
  return cat(kernel_limit(columns[0]), ':', kernel_limit(columns[1]));
}

/// The 19th field of /proc/PID/stat (proc_pid_stat(5)); the second may have blanks.
std::optional<std::string> nice_of(std::string_view stat) {
  const std::size_t end = stat.rfind(')');
  if (end == stat.npos) return std::nullopt;
  const auto fields = words(stat.substr(end + 1));
  constexpr std::size_t kNice = 19 - 3;
  return fields.size() > kNice ? std::optional(std::string(fields[kNice])) : std::nullopt;
}

std::optional<std::string> shown_process(const Directive& row, std::string_view text) {
  if (row.name == "Nice") return nice_of(text);
  if (row.name == "CPUAffinity") return row_of(text, "Cpus_allowed_list:");
  return std::string(trim(text));
}

InEffect compare(std::string_view wanted, std::string_view now, const std::string& where) {
  return {wanted == now ? yes : no, cat(where, " is ", printable(now))};
}

InEffect in_process(const ShownIn& in, const std::string& unit, std::int64_t pid,
                    const Directive& row, const std::string& wanted) {
  if (pid == 0) return {unseen, cat(unit, " has no main process")};
  const bool is_limit = row.shown == Shown::limits;
  const std::string path =
      cat(in.proc, '/', pid, '/', is_limit ? std::string_view("limits") : row.where);
  const auto text = load(in.disk, path);
  const auto now = !text      ? std::nullopt
                   : is_limit ? shown_limit(*text, row.where)
                              : shown_process(row, *text);
  if (!now) return {unseen, cat(path, " does not show it")};
  if (!is_limit) return compare(one_spelling(row, wanted).value_or(wanted), *now, path);
  const std::size_t colon = wanted.find(':');
  return compare(cat(possible(in, row, wanted.substr(0, colon)), ':',
                     possible(in, row, wanted.substr(colon + 1))),
                 *now, cat(path, ", ", row.where));
}

/// What cgroup_apply() in src/core/cgroup.c writes.
std::string kernel_text(const Directive& row, const std::string& wanted) {
  if (wanted == "infinity") return "max";
  const auto number = parse_int(wanted);
  if (row.form == Form::bytes && number) {
    const std::int64_t page = ::sysconf(_SC_PAGESIZE);
    return cat(*number / page * page);  // page_counter_memparse(), mm/page_counter.c
  }
  return wanted;
}

/// "400000 100000" is 400 %, "default 100" is 100.
std::optional<std::string> shown_in_cgroup(const Directive& row, std::string_view text) {
  const auto all = words(text);
  if (row.form != Form::quota) return all.empty() ? std::string() : std::string(all.back());
  if (all.size() != 2) return std::nullopt;
  const auto quota = parse_int(all[0]);
  const auto period = parse_int(all[1]);
  if (!quota || !period || *period <= 0) return std::string(all[0]);
  return cat(*quota * 100 / *period, '%');
}

InEffect in_cgroup(const ShownIn& in, const std::string& unit, const std::string& cgroup,
                   const Directive& row, const std::string& wanted) {
  if (cgroup.empty()) return {unseen, cat(unit, " is not running")};
  const std::string path = cat(in.cgroup, cgroup, '/', row.where);
  if (row.form != Form::quota && wanted.ends_with('%'))
    return {unseen, cat(path, " has bytes or a number, not a share")};
  const auto text = load(in.disk, path);
  const auto now = text ? shown_in_cgroup(row, *text) : std::nullopt;
  if (!now) return {unseen, cat(path, " does not show it")};
  return compare(kernel_text(row, wanted), *now, path);
}

}  // namespace

InEffect value_in_effect(const ShownIn& in, const std::string& unit, const kernel::UnitState& state,
                         const Directive& row, std::string_view written) {
  const auto wanted = one_spelling(row, written);
  if (!wanted) return {unseen, cat("'", printable(written), "' is not a value of ", row.name)};
  const bool runs = state.active == "active" || state.active == "reloading";
  if (row.shown == Shown::manager)
    return {state.needs_reload ? no : yes,
            state.needs_reload ? cat("systemd has not read the drop-ins of ", unit,
                                     " again; run systemctl daemon-reload when no job runs")
                               : cat("systemd has read the drop-ins of ", unit)};
  if (!runs) return {unseen, cat(unit, " is not running")};
  if (row.shown == Shown::nothing) return {unseen, cat("nothing shows ", row.name, " of ", unit)};
  InEffect effect = row.shown == Shown::cgroup ? in_cgroup(in, unit, state.cgroup, row, *wanted)
                                               : in_process(in, unit, state.main_pid, row, *wanted);
  if (effect.state == no && state.needs_reload)
    effect.shown_by += "; systemd has not read the drop-in yet (daemon-reload)";
  return effect;
}

}  // namespace nettune::kinds::unit
