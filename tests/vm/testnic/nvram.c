// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * What a card keeps without power: whether the agent in its firmware has DCB (ice_aq_start_lldp()
 * and ice_aq_stop_lldp() with `persist`, ice/ice_ethtool.c ice_set_priv_flags()). A file of the
 * guest, one byte for each port, on the disk before the SET is answered.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <net/dcbnl.h>

#include "testnic.h"

static char* nvram;
module_param(nvram, charp, 0);

void nvram_keep(const struct port* port) {
  char agent = port->firmware.dcbx & DCB_CAP_DCBX_LLD_MANAGED ? '1' : '0';
  loff_t at = port->index;
  struct file* file;

  if (!nvram) return;
  file = filp_open(nvram, O_WRONLY | O_CREAT, 0600);
  if (IS_ERR(file) || kernel_write(file, &agent, 1, &at) != 1 || vfs_fsync(file, 0))
    pr_err("testnic: %s could not be written\n", nvram);
  if (!IS_ERR(file)) filp_close(file, NULL);
}

void nvram_take(struct port* port) {
  char agent = 0;
  loff_t at = port->index;
  struct file* file;

  if (!nvram) return;
  file = filp_open(nvram, O_RDONLY, 0);
  if (IS_ERR(file)) return;
  if (kernel_read(file, &agent, 1, &at) == 1 && agent == '0') {
    port->firmware.dcbx &= ~DCB_CAP_DCBX_LLD_MANAGED;
    port->firmware.dcbx |= DCB_CAP_DCBX_HOST;
  }
  filp_close(file, NULL);
}
