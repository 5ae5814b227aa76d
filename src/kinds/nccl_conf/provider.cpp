// SPDX-License-Identifier: Apache-2.0
#include "kinds/nccl_conf/provider.hpp"

#include "base/image_root.hpp"
#include "base/text.hpp"
#include "kinds/common/staging.hpp"
#include "kinds/nccl_conf/grammar.hpp"

namespace nettune::kinds::nccl_conf {
namespace {

constexpr std::uint64_t kMaxConfBytes = std::uint64_t{1} << 20;
constexpr std::string_view kEnd = "(end)";
/// initEnv() reads it, src/misc/param.cc, NCCL 2.23.4.
constexpr std::string_view kBeside =
    "; NCCL_CONF_FILE (NCCL 2.23.4 and later) can name a file beside it";

/// check_replaceable(), with the way around it.
Result<> check_conf(Disk& disk, const std::string& path) {
  auto replaceable = common::check_replaceable(disk, path);
  if (!replaceable) return fail(Errc::denied, cat(replaceable.error().text, kBeside));
  return replaceable;
}

bool is_end(const Address& address) { return address.rest() == kEnd; }

std::string end_of(const std::optional<std::string>& content) {
  if (!content) return "no file";
  if (content->empty()) return "empty";
  return content->back() == '\n' ? "newline" : "no newline";
}

Value value_of(const Address& address, const std::optional<std::string>& content) {
  if (is_end(address)) return end_of(content);
  return NcclConf(content.value_or("")).get(address.rest());
}

/// The file when its end is restored. Remaining lines are foreign: they keep the file, and so does
/// an end that another program made.
std::optional<std::string> with_end(NcclConf conf, const Write& end, const Value& now) {
  if (now != end.before && now != end.after) return conf.text();
  if (end.after == "no file" && conf.text().empty()) return std::nullopt;
  if (end.after == "newline") conf.set_final_newline(true);
  if (end.after == "no newline") conf.set_final_newline(false);
  return conf.text();
}

/// The file with all of `unit` in it.
Result<std::optional<std::string>> composed(const std::optional<std::string>& content,
                                            std::span<const Write> unit) {
  NcclConf conf(content.value_or(""));
  const Write* end = nullptr;
  bool created = content.has_value();
  for (const Write& write : unit) {
    if (is_end(write.address)) {
      end = &write;
    } else if (write.after) {
      TRY(conf.set(write.address.rest(), *write.after));
      created = true;
    } else {
      // Only the managed line is removed: another one of the same name was added by somebody else.
      if (conf.get(write.address.rest()) == write.before) conf.remove(write.address.rest());
    }
  }
  if (end) return with_end(std::move(conf), *end, end_of(content));
  if (!created) return std::optional<std::string>();
  return std::optional<std::string>(conf.text());
}

}  // namespace

Result<Value> NcclConfProvider::canonical(const Address& address, const Value& want) const {
  const std::string_view name = address.rest();
  if (is_end(address)) {
    const bool known = want && (*want == "no file" || *want == "empty" || *want == "newline" ||
                                *want == "no newline");
    if (!known) return fail(Errc::invalid, cat(address.text, " cannot be set in a profile"));
    return want;
  }
  // It is set even without a wanted value, to check the name. Values are not checked here (profiles
  // are): any previous value of a file must be restorable.
  NcclConf probe("");
  TRY(probe.set(name, want.value_or("")));
  return want;
}

Result<NcclConfProvider::Present> NcclConfProvider::load() {
  Present present;
  auto read = disk_.load(path_, kMaxConfBytes);
  if (!read && read.error().code == Errc::invalid) return fail(Errc::conflict, read.error().text);
  TRY_ASSIGN(auto loaded, std::move(read));
  if (!loaded) return present;
  if (loaded->info.kind == FileInfo::Kind::symlink) {
    return fail(Errc::conflict, cat(outside_path(path_),
                                    " is a symbolic link, which nettune does not follow; "
                                    "replace it with a file"));
  }
  if (loaded->info.kind != FileInfo::Kind::regular) {
    return fail(Errc::conflict,
                cat(outside_path(path_), " is not a regular file; nettune does not touch it"));
  }
  present.content = std::move(loaded->content);
  present.mode = loaded->info.mode;
  present.uid = loaded->info.uid;
  present.gid = loaded->info.gid;
  return present;
}

std::vector<Reading> NcclConfProvider::read(std::span<const Address> addresses) {
  const auto present = load();
  std::vector<Reading> readings(addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (!present) {
      readings[i] = {Presence::not_permitted, "", present.error().text, {}};
      readings[i].displaced = present.error().code == Errc::conflict;
    } else if (auto value = value_of(addresses[i], present->content)) {
      readings[i] = {Presence::present, std::move(*value), "", {}};
    } else {
      readings[i].presence = Presence::absent;
    }
  }
  return readings;
}

Effects NcclConfProvider::effects(const Address& address, const Value& before, const Value& after) {
  Effects effects;
  common::note_barriers(disk_, path_, effects);
  if (effects.obstructed) effects.not_permitted += kBeside;
  effects.note = "jobs that start later";
  common::note_replacing(disk_, path_, effects);
  if (is_end(address)) return effects;
  if (before && !after) {
    effects.undo = Undo::residue;
    effects.residue = cat("the line for ", address.rest(), " is restored at the end of the file");
  }
  if (before.has_value() != after.has_value()) {
    Witness end{Address{cat("nccl.conf:", kEnd)}, "", std::nullopt, "how the file ends"};
    if (after) end.predicted = "newline";
    effects.touches.push_back(std::move(end));
  }
  return effects;
}

Result<> NcclConfProvider::write(std::span<const Write> unit, const Contents&,
                                 const std::string& transaction) {
  TRY(check_conf(disk_, path_));
  TRY_ASSIGN(const Present present, load());
  TRY_ASSIGN(const auto wanted, composed(present.content, unit));
  if (!wanted) return common::drop_stale(disk_, path_);
  return common::stage(disk_, path_, transaction, *wanted, present.mode, present.uid, present.gid);
}

Result<> NcclConfProvider::place(std::span<const Write> unit, const std::string& transaction) {
  const auto loaded = load();
  if (!loaded) {
    if (loaded.error().code == Errc::conflict) TRY(common::drop(disk_, path_, transaction));
    return fail(loaded.error());
  }
  const Present& present = *loaded;
  TRY_ASSIGN(const auto wanted, composed(present.content, unit));
  if (wanted == present.content) return common::drop(disk_, path_, transaction);
  // What a mount hides is not changed.
  TRY(check_conf(disk_, path_));
  for (const Write& write : unit) {
    // Any program that adds a line may change the end of the file: no conflict.
    if (is_end(write.address)) continue;
    const Value now = value_of(write.address, present.content);
    if (now == write.before || now == write.after) continue;
    TRY(common::drop(disk_, path_, transaction));
    return fail(Errc::conflict, cat(outside_path(path_), ": ", write.address.rest(),
                                    " was set to \"", now ? printable(*now) : "nothing",
                                    "\" by another program during the transaction; "
                                    "the file is left as it is"));
  }
  if (!wanted) {
    TRY(common::drop(disk_, path_, transaction));
    return common::remove_target(disk_, path_);
  }
  // Foreign lines may have changed since write(): the final file has them all.
  TRY_ASSIGN(const auto staged,
             disk_.read(common::temporary_path(path_, transaction), kMaxConfBytes));
  if (staged != wanted) {
    TRY(common::stage(disk_, path_, transaction, *wanted, present.mode, present.uid, present.gid));
  }
  return common::put_in_place(disk_, path_, transaction);
}

Result<> NcclConfProvider::discard(std::span<const Write>, const std::string& transaction) {
  return common::drop(disk_, path_, transaction);
}

}  // namespace nettune::kinds::nccl_conf
