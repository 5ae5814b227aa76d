// SPDX-License-Identifier: Apache-2.0
#include "unit/support/model_disk.hpp"

#include <algorithm>
#include <cerrno>

#include "base/text.hpp"

namespace nettune::test {

namespace {

Failure failure(int error, const std::string& operation, const std::string& path) {
  const Errc code = error == ENOSPC ? Errc::no_space : error == EBUSY ? Errc::denied : Errc::io;
  return fail(code, cat(operation, " ", path, ": injected error ", error), error);
}

/// In the place of a record's name, once old ones are being removed.
constexpr const char* kPrune = "a removal";

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The type of the journal record in `bytes`; "" when it is none.
std::string record_type(std::string_view bytes) {
  constexpr std::string_view kMagic = "nettune-record 1 ";
  if (!bytes.starts_with(kMagic)) return {};
  const auto type = bytes.substr(kMagic.size());
  return std::string(type.substr(0, type.find(' ')));
}

}  // namespace

class ModelFile final : public DiskFile {
 public:
  ModelFile(ModelDisk& disk, int node, std::string path)
      : disk_(disk), node_(node), path_(std::move(path)) {}

  Result<> append(std::string_view bytes) override {
    if (const std::string type = record_type(bytes); !type.empty()) disk_.last_record_ = type;
    const std::string operation = disk_.site("append", path_);
    try {
      TRY(disk_.enter(operation, path_));
    } catch (const Crash&) {
      if (disk_.tear_next_append) node().content += bytes.substr(0, bytes.size() / 2);
      throw;
    }
    if (disk_.pretend(operation)) return {};
    const std::uint64_t covered = std::min<std::uint64_t>(node().reserved, bytes.size());
    const std::uint64_t needed = bytes.size() - covered;
    if (disk_.free_bytes && *disk_.free_bytes < needed) {
      node().content += bytes.substr(0, covered + *disk_.free_bytes);
      return failure(ENOSPC, operation, path_);
    }
    node().reserved -= covered;
    if (disk_.free_bytes) *disk_.free_bytes -= needed;
    node().content += bytes;
    return {};
  }

  Result<> reserve(std::uint64_t bytes) override {
    TRY(disk_.enter("reserve", path_));
    if (disk_.free_bytes && *disk_.free_bytes < bytes) return failure(ENOSPC, "reserve", path_);
    if (disk_.free_bytes) *disk_.free_bytes -= bytes;
    node().reserved += bytes;
    return {};
  }

  Result<> sync() override {
    const std::string operation = disk_.site("sync", path_);
    TRY(disk_.enter(operation, path_));
    if (!disk_.pretend(operation)) node().durable_content = node().content;
    return {};
  }

 private:
  ModelDisk::Node& node() { return disk_.nodes_[static_cast<std::size_t>(node_)]; }
  ModelDisk& disk_;
  int node_;
  std::string path_;
};

ModelDisk::ModelDisk() {
  Node root;
  root.directory = true;
  root.mode = 0755;
  nodes_.push_back(root);
}

std::unique_ptr<ModelDisk> ModelDisk::clone() const {
  auto copy = std::make_unique<ModelDisk>();
  copy->nodes_ = nodes_;
  copy->pending_ = pending_;
  copy->next_group_ = next_group_;
  copy->mounts = mounts;
  copy->shows_mounts = shows_mounts;
  return copy;
}

std::string ModelDisk::site(const std::string& operation, const std::string& path) const {
  const std::string name = base_name(path);
  const bool removes = last_record_ == kPrune;
  if (operation == "syncdir" && name == "blobs")
    return cat(operation, " blobs", removes ? " after a removal" : "");
  if (operation == "syncdir") {
    // LATE is one more INTENT: the same place in the code syncs after either.
    const std::string after = last_record_ == "LATE" ? "INTENT" : last_record_;
    return cat(operation, path.starts_with("/etc") ? " staged" : " " + path, " after ", after);
  }
  if (path.find("/blobs/") != std::string::npos) return cat(operation, " blob");
  if (name == "journal" || name == "intent.new") return cat(operation, " ", last_record_);
  if (name.starts_with('.')) return cat(operation, " staged");
  return operation;
}

Result<> ModelDisk::enter(const std::string& site, const std::string& path) {
  if (const int error = before_operation(site); error != 0) return failure(error, site, path);
  return {};
}

std::optional<int> ModelDisk::find(const std::string& path) const {
  int at = 0;
  for (const std::string_view part : split(path, '/')) {
    if (part.empty()) continue;
    const auto& entries = nodes_[static_cast<std::size_t>(at)].entries;
    const auto found = entries.find(std::string(part));
    if (found == entries.end()) return {};
    at = found->second;
  }
  return at;
}

std::optional<int> ModelDisk::find_parent(const std::string& path, std::string& name) const {
  name = base_name(path);
  return find(parent_path(path));
}

void ModelDisk::change_entry(int directory, const std::string& name, std::optional<int> node,
                             int group) {
  auto& entries = nodes_[static_cast<std::size_t>(directory)].entries;
  if (node)
    entries[name] = *node;
  else
    entries.erase(name);
  pending_.push_back({directory, name, node, group});
}

void ModelDisk::put(const std::string& path, const std::string& content, std::uint32_t mode) {
  std::string name;
  const int parent = find_parent(path, name).value();
  Node node;
  node.mode = mode;
  node.content = node.durable_content = content;
  nodes_.push_back(node);
  const int id = static_cast<int>(nodes_.size()) - 1;
  nodes_[static_cast<std::size_t>(parent)].entries[name] = id;
  nodes_[static_cast<std::size_t>(parent)].durable_entries[name] = id;
}

void ModelDisk::put_directory(const std::string& path) {
  put(path, "", 0755);
  nodes_[static_cast<std::size_t>(find(path).value())].directory = true;
}

std::string ModelDisk::survivor(const Node& node, Survive survive, std::mt19937& random) {
  if (survive == Survive::all || node.content == node.durable_content) return node.content;
  if (survive == Survive::none) return node.durable_content;
  const std::string& durable = node.durable_content;
  const bool grown = node.content.starts_with(durable);
  switch (random() % (grown ? 4 : 2)) {
    case 0:
      return durable;
    case 1:
      return node.content;
    case 2:
      return durable +
             node.content.substr(durable.size(), (node.content.size() - durable.size()) / 2);
    default:
      return durable + std::string(node.content.size() - durable.size(), '\0');
  }
}

void ModelDisk::power_cut(Survive survive, std::mt19937& random) {
  // A change that is not in the log is followed by none of the same name.
  std::set<std::pair<int, std::string>> lost;
  std::map<int, bool> group_survives;
  for (const Pending& change : pending_) {
    const auto [group, is_new] = group_survives.try_emplace(change.group, true);
    if (is_new)
      group->second = survive == Survive::all || (survive == Survive::random && random() % 2 == 0);
    bool survives = group->second && !lost.contains({change.directory, change.name});
    // The removing half of a rename is logged last: the target may be there and the source too.
    if (survives && !change.node && survive == Survive::random && random() % 4 == 0)
      survives = false;
    if (!survives) {
      lost.insert({change.directory, change.name});
      if (change.node) group->second = false;
      continue;
    }
    auto& entries = nodes_[static_cast<std::size_t>(change.directory)].durable_entries;
    if (change.node)
      entries[change.name] = *change.node;
    else
      entries.erase(change.name);
  }
  pending_.clear();
  for (Node& node : nodes_) {
    node.content = node.durable_content = survivor(node, survive, random);
    node.entries = node.durable_entries;
    node.reserved = 0;
  }
}

std::string ModelDisk::tree(const std::string& root) {
  std::string out;
  if (const auto node = find(root)) list_tree(*node, root, out);
  return out;
}

void ModelDisk::list_tree(int id, const std::string& path, std::string& out) const {
  const Node& node = nodes_[static_cast<std::size_t>(id)];
  out += cat(path, node.directory ? "/" : "", " ", node.mode, " ", node.content.size(), ":",
             node.content, "\n");
  for (const auto& [name, child] : node.entries) list_tree(child, cat(path, "/", name), out);
}

Result<std::optional<FileInfo>> ModelDisk::info(const std::string& path) {
  const auto id = find(path);
  if (!id) return std::optional<FileInfo>();
  const Node& node = nodes_[static_cast<std::size_t>(*id)];
  FileInfo found;
  found.kind = node.directory ? FileInfo::Kind::directory : FileInfo::Kind::regular;
  found.mode = node.mode;
  found.size = node.content.size();
  return std::optional<FileInfo>(found);
}

Result<std::optional<std::string>> ModelDisk::read(const std::string& path, std::uint64_t limit) {
  const auto id = find(path);
  if (!id) return std::optional<std::string>();
  const Node& node = nodes_[static_cast<std::size_t>(*id)];
  if (node.content.size() > limit) return fail(Errc::invalid, cat(path, " is too large"));
  return std::optional<std::string>(node.content);
}

Result<std::vector<std::string>> ModelDisk::list(const std::string& path) {
  std::vector<std::string> names;
  if (const auto id = find(path))
    for (const auto& [name, child] : nodes_[static_cast<std::size_t>(*id)].entries)
      names.push_back(name);
  return names;
}

Result<std::unique_ptr<DiskFile>> ModelDisk::create(const std::string& path, std::uint32_t mode,
                                                    std::uint32_t /*uid*/, std::uint32_t /*gid*/) {
  TRY(enter(site("create", path), path));
  std::string name;
  const auto parent = find_parent(path, name);
  if (!parent) return fail(Errc::not_found, cat("creating ", path, ": no such directory"), ENOENT);
  if (find(path)) return fail(Errc::conflict, cat("creating ", path, ": exists"), EEXIST);
  Node node;
  node.mode = mode;
  nodes_.push_back(node);
  const int id = static_cast<int>(nodes_.size()) - 1;
  change_entry(*parent, name, id, next_group_++);
  return std::unique_ptr<DiskFile>(std::make_unique<ModelFile>(*this, id, path));
}

Result<std::unique_ptr<DiskFile>> ModelDisk::extend(const std::string& path, std::uint64_t size) {
  const auto id = find(path);
  if (!id) return fail(Errc::not_found, cat("opening ", path, ": no such file"), ENOENT);
  Node& node = nodes_[static_cast<std::size_t>(*id)];
  if (size < node.content.size()) {
    TRY(enter(site("truncate", path), path));
    node.content.resize(size);
  }
  return std::unique_ptr<DiskFile>(std::make_unique<ModelFile>(*this, *id, path));
}

Result<> ModelDisk::rename(const std::string& from, const std::string& to) {
  TRY(enter(site("rename", to), to));
  if (mounts.contains(to)) return failure(EBUSY, "rename", to);
  std::string from_name;
  std::string to_name;
  const auto from_parent = find_parent(from, from_name);
  const auto to_parent = find_parent(to, to_name);
  const auto node = find(from);
  if (!node || !from_parent || !to_parent)
    return fail(Errc::not_found, cat("renaming ", from, ": no such file"), ENOENT);
  const int group = next_group_++;
  change_entry(*to_parent, to_name, *node, group);
  change_entry(*from_parent, from_name, {}, group);
  return {};
}

Result<> ModelDisk::remove(const std::string& path) {
  const auto node = find(path);
  if (!node) return {};
  if (path.find("/generations/") != std::string::npos) last_record_ = kPrune;
  TRY(enter(site("remove", path), path));
  if (mounts.contains(path)) return failure(EBUSY, "remove", path);
  std::string name;
  const auto parent = find_parent(path, name);
  change_entry(*parent, name, {}, next_group_++);
  return {};
}

Result<> ModelDisk::make_directory(const std::string& path, std::uint32_t mode) {
  if (find(path)) return {};
  TRY(enter(site("mkdir", path), path));
  std::string name;
  const auto parent = find_parent(path, name);
  if (!parent) return fail(Errc::not_found, cat("making ", path, ": no such directory"), ENOENT);
  Node node;
  node.directory = true;
  node.mode = mode;
  nodes_.push_back(node);
  change_entry(*parent, name, static_cast<int>(nodes_.size()) - 1, next_group_++);
  return {};
}

Result<> ModelDisk::remove_directory(const std::string& path) {
  const auto node = find(path);
  if (!node || !nodes_[static_cast<std::size_t>(*node)].entries.empty()) return {};
  TRY(enter(site("rmdir", path), path));
  if (mounts.contains(path)) return failure(EBUSY, "rmdir", path);
  std::string name;
  const auto parent = find_parent(path, name);
  change_entry(*parent, name, {}, next_group_++);
  return {};
}

std::string ModelDisk::replace_barrier(const std::string& path) {
  return shows_mounts && mounts.contains(path) ? cat(path, " is a mount point") : "";
}

Result<> ModelDisk::sync_directory(const std::string& path) {
  const std::string operation = site("syncdir", path);
  TRY(enter(operation, path));
  const auto id = find(path);
  if (!id) return fail(Errc::not_found, cat("syncing ", path, ": no such directory"), ENOENT);
  if (pretend(operation)) return {};
  auto& durable = nodes_[static_cast<std::size_t>(*id)].durable_entries;
  std::erase_if(pending_, [&](const Pending& change) {
    if (change.directory != *id) return false;
    if (change.node)
      durable[change.name] = *change.node;
    else
      durable.erase(change.name);
    return true;
  });
  return {};
}

}  // namespace nettune::test
