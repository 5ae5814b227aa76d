// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* What the tests steer it by, in debugfs: habits, counters, and SETs made to go wrong. */
#include <linux/debugfs.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "testnic.h"

#define ENTRIES 1024
#define RULES 16

enum act { FAIL, HALF, IGNORE, CLAMP };
static const char* const act_names[] = {"fail", "half", "ignore", "clamp"};

static const char* const kind_names[] = {
#define KIND(name, text) text,
#include "kinds.h"
#undef KIND
};

static const char* const habit_names[] = {
#define HABIT(name, ...) #name,
#include "habits.h"
#undef HABIT
};

/* Of the SETs that fit, the at-th from now; 0 is each. */
struct rule_entry {
  u64 at;
  enum act act;
  int error;
  u32 kinds;
  const struct port* port; /* NULL: any */
};

struct entry {
  const struct port* port;
  enum kind kind;
  char ifname[IFNAMSIZ];
  char text[96];
  char did[16];
  int error;
};

static DEFINE_MUTEX(lock);
static struct rule_entry rules[RULES];
static int rule_count;
static struct entry* entries;
static int entry_count;
static struct dentry* root;

static bool fits(const struct rule_entry* rule, const struct set* set) {
  return (rule->kinds & BIT(set->kind)) && (!rule->port || rule->port == set->port);
}

static void drop_rule(int index) {
  --rule_count;
  memmove(rules + index, rules + index + 1, (rule_count - index) * sizeof(*rules));
}

/* Each rule counts the SETs that fit it; the first that is due decides. */
static bool take_rule(const struct set* set, struct rule_entry* due) {
  bool found = false;
  int i;

  for (i = 0; i < rule_count; ++i) {
    if (!fits(rules + i, set) || (rules[i].at > 1 && --rules[i].at)) continue;
    if (!found) *due = rules[i];
    found = true;
    if (rules[i].at) drop_rule(i--);
  }
  return found;
}

static __printf(4, 0) void note(struct set* set, struct net_device* dev, const char* did,
                                const char* format, va_list arguments) {
  struct entry* entry;

  set->entry = -1;
  if (entry_count == ENTRIES) return;
  set->entry = entry_count++;
  entry = entries + set->entry;
  entry->port = set->port;
  entry->kind = set->kind;
  strscpy(entry->ifname, dev->name, sizeof(entry->ifname));
  strscpy(entry->did, did, sizeof(entry->did));
  entry->error = set->error;
  vsnprintf(entry->text, sizeof(entry->text), format, arguments);
}

/* Counts a SET and writes it down. False: it ends here, with set->error. */
bool set_begins(struct set* set, struct net_device* dev, enum kind kind, const char* format, ...) {
  struct nic* nic = netdev_priv(dev);
  struct rule_entry due = {};
  va_list arguments;
  bool goes_on = true;
  const char* did = "";

  memset(set, 0, sizeof(*set));
  set->port = nic->port;
  set->kind = kind;
  mutex_lock(&lock);
  ++set->port->sets[kind];
  if (take_rule(set, &due)) {
    did = act_names[due.act];
    set->error = -due.error;
    set->half = due.act == HALF;
    set->clamp = due.act == CLAMP;
    goes_on = set->half || set->clamp;
  }
  va_start(arguments, format);
  note(set, dev, did, format, arguments);
  va_end(arguments);
  mutex_unlock(&lock);
  return goes_on;
}

int set_ends(struct set* set, int error) {
  mutex_lock(&lock);
  if (set->entry >= 0 && set->entry < entry_count) entries[set->entry].error = error;
  mutex_unlock(&lock);
  return error;
}

static bool word_is(const char* word, size_t length, const char* name) {
  return strlen(name) == length && !strncmp(word, name, length);
}

static int kind_named(const char* word, size_t length) {
  int i;

  for (i = 0; i < KINDS; ++i)
    if (word_is(word, length, kind_names[i])) return i;
  return -1;
}

/* The kinds of a list, a bit for each; those it does not know are left out. */
u32 kinds_named(const char* text) {
  u32 kinds = 0;

  while (*text) {
    size_t length = strcspn(text, " ,\n");
    int kind = kind_named(text, length);

    if (kind >= 0) kinds |= BIT(kind);
    text += length + strspn(text + length, " ,\n");
  }
  return kinds;
}

/* "at N fail 5 pfc tn0": the count, what happens, an errno for fail and half, and whom it is for.
 */
static int read_rule(char* text, struct rule_entry* rule) {
  char* word = strsep(&text, " ");
  int act, i;

  rule->at = 0;
  if (!strcmp(word, "at")) {
    word = strsep(&text, " ");
    if (!word || kstrtou64(word, 10, &rule->at) || !rule->at) return -EINVAL;
  } else if (strcmp(word, "each")) {
    return -EINVAL;
  }
  word = strsep(&text, " ");
  act = word ? match_string(act_names, ARRAY_SIZE(act_names), word) : -1;
  if (act < 0) return -EINVAL;
  rule->act = act;
  rule->error = 0;
  if (act == FAIL || act == HALF) {
    word = strsep(&text, " ");
    if (!word || kstrtoint(word, 10, &rule->error) || rule->error < 1 || rule->error > 127)
      return -EINVAL;
  }
  rule->kinds = ~0u;
  rule->port = NULL;
  while ((word = strsep(&text, " "))) {
    u32 kinds = kinds_named(word);

    if (kinds) {
      rule->kinds = kinds;
      continue;
    }
    for (i = 0; i < port_count() && strcmp(port_at(i)->name, word); ++i) {
    }
    if (i == port_count()) return -EINVAL;
    rule->port = port_at(i);
  }
  return 0;
}

static char* copy_text(const char __user* from, size_t size) {
  char* text = memdup_user_nul(from, min_t(size_t, size, 255));

  if (!IS_ERR(text)) strim(text);
  return text;
}

static int inject_show(struct seq_file* file, void* unused) {
  int i;

  mutex_lock(&lock);
  for (i = 0; i < rule_count; ++i) {
    const struct rule_entry* rule = rules + i;
    int kind;

    if (rule->at)
      seq_printf(file, "at %llu %s", rule->at, act_names[rule->act]);
    else
      seq_printf(file, "each %s", act_names[rule->act]);
    if (rule->error) seq_printf(file, " %d", rule->error);
    if (rule->kinds != ~0u) {
      const char* before = " ";

      for (kind = 0; kind < KINDS; ++kind) {
        if (!(rule->kinds & BIT(kind))) continue;
        seq_printf(file, "%s%s", before, kind_names[kind]);
        before = ",";
      }
    }
    if (rule->port) seq_printf(file, " %s", rule->port->name);
    seq_putc(file, '\n');
  }
  mutex_unlock(&lock);
  return 0;
}

static ssize_t inject_write(struct file* file, const char __user* from, size_t size, loff_t* at) {
  char* text = copy_text(from, size);
  struct rule_entry rule;
  int error = 0;

  if (IS_ERR(text)) return PTR_ERR(text);
  mutex_lock(&lock);
  if (!strcmp(text, "off"))
    rule_count = 0;
  else if (rule_count == RULES)
    error = -ENOSPC;
  else if (!(error = read_rule(text, &rule)))
    rules[rule_count++] = rule;
  mutex_unlock(&lock);
  kfree(text);
  return error ? error : size;
}

/* Of one port, or of all. */
static int sets_show(struct seq_file* file, void* unused) {
  const struct port* only = file->private;
  u64 sums[KINDS] = {}, total = 0;
  int i, kind;

  for (i = 0; i < port_count(); ++i)
    for (kind = 0; kind < KINDS && (!only || only == port_at(i)); ++kind) {
      sums[kind] += port_at(i)->sets[kind];
      total += port_at(i)->sets[kind];
    }
  seq_printf(file, "total %llu\n", total);
  for (kind = 0; kind < KINDS; ++kind) seq_printf(file, "%s %llu\n", kind_names[kind], sums[kind]);
  return 0;
}

/* The whole of it empties the log, too. */
static ssize_t sets_write(struct file* file, const char __user* from, size_t size, loff_t* at) {
  struct port* only = ((struct seq_file*)file->private_data)->private;
  int i;

  mutex_lock(&lock);
  for (i = 0; i < port_count(); ++i)
    if (!only || only == port_at(i)) memset(port_at(i)->sets, 0, sizeof(port_at(i)->sets));
  if (!only) entry_count = 0;
  mutex_unlock(&lock);
  return size;
}

static int log_show(struct seq_file* file, void* unused) {
  int i;

  mutex_lock(&lock);
  for (i = 0; i < entry_count; ++i) {
    const struct entry* entry = entries + i;

    seq_printf(file, "%d %s %s %s = %d%s%s\n", i + 1, entry->ifname, kind_names[entry->kind],
               entry->text, entry->error, *entry->did ? " " : "", entry->did);
  }
  mutex_unlock(&lock);
  return 0;
}

static int missing_show(struct seq_file* file, void* unused) {
  const struct port* port = file->private;
  int kind;

  for (kind = 0; kind < KINDS; ++kind)
    if (port->missing & BIT(kind)) seq_printf(file, "%s\n", kind_names[kind]);
  return 0;
}

static ssize_t missing_write(struct file* file, const char __user* from, size_t size, loff_t* at) {
  struct port* port = ((struct seq_file*)file->private_data)->private;
  char* text = copy_text(from, size);

  if (IS_ERR(text)) return PTR_ERR(text);
  rtnl_lock();
  port->missing = kinds_named(text);
  dcb_operations(port);
  ethtool_operations(port);
  rtnl_unlock();
  kfree(text);
  return size;
}

static int firmware_show(struct seq_file* file, void* unused) {
  const struct port* port = file->private;
  const struct firmware_state* firmware = &port->firmware;
  int i;

  seq_printf(file, "trust %s\npfc 0x%02x\ndcbx 0x%02x\ndscp2prio",
             firmware->trust == TRUST_DSCP ? "dscp" : "pcp", firmware->pfc_en, firmware->dcbx);
  for (i = 0; i < DSCPS; ++i) seq_printf(file, " %u", firmware->dscp2prio[i]);
  seq_printf(file, "\nbounces %u\nreopens %u\n", port->bounces, port->reopens);
  return 0;
}

static ssize_t firmware_write(struct file* file, const char __user* from, size_t size, loff_t* at) {
  rtnl_lock();
  port_reset_firmware(((struct seq_file*)file->private_data)->private);
  rtnl_unlock();
  return size;
}

static int cable_get(void* data, u64* value) {
  *value = ((struct port*)data)->cable;
  return 0;
}

static int cable_set(void* data, u64 value) {
  struct port* port = data;

  rtnl_lock();
  port->cable = !!value;
  port_update_carrier(port);
  rtnl_unlock();
  return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(cable_file, cable_get, cable_set, "%llu\n");

#define SHOW_FILE(name, writes)                                    \
  static int name##_open(struct inode* inode, struct file* file) { \
    return single_open(file, name##_show, inode->i_private);       \
  }                                                                \
  static const struct file_operations name##_file = {              \
      .owner = THIS_MODULE,                                        \
      .open = name##_open,                                         \
      .read = seq_read,                                            \
      .write = writes,                                             \
      .llseek = seq_lseek,                                         \
      .release = single_release,                                   \
  }
SHOW_FILE(inject, inject_write);
SHOW_FILE(sets, sets_write);
SHOW_FILE(log, NULL);
SHOW_FILE(missing, missing_write);
SHOW_FILE(firmware, firmware_write);

void control_add(struct port* port) {
  struct dentry* directory = debugfs_create_dir(port->name, root);
  struct dentry* habits = debugfs_create_dir("habits", directory);
  int i;

  for (i = 0; i < HABITS; ++i) debugfs_create_u32(habit_names[i], 0600, habits, &port->habit[i]);
  debugfs_create_file("sets", 0600, directory, port, &sets_file);
  debugfs_create_file("missing", 0600, directory, port, &missing_file);
  debugfs_create_file("firmware", 0600, directory, port, &firmware_file);
  debugfs_create_file_unsafe("cable", 0600, directory, port, &cable_file);
}

int control_start(void) {
  entries = kcalloc(ENTRIES, sizeof(*entries), GFP_KERNEL);
  if (!entries) return -ENOMEM;
  root = debugfs_create_dir("testnic", NULL);
  debugfs_create_file("inject", 0600, root, NULL, &inject_file);
  debugfs_create_file("sets", 0600, root, NULL, &sets_file);
  debugfs_create_file("log", 0400, root, NULL, &log_file);
  return 0;
}

void control_stop(void) {
  debugfs_remove(root);
  kfree(entries);
}
