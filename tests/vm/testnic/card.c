// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* A PCI domain of its own with a card for each port, and drivers for them under the names of real
 * ones. */
#include <linux/module.h>

#include "testnic.h"

static int pairs = 1;
module_param(pairs, int, 0444);
MODULE_PARM_DESC(pairs, "how many pairs of ports, 1 to 16");
static char* like[16] = {"mlx5"};
static int like_count = 1;
module_param_array(like, charp, &like_count, 0444);
MODULE_PARM_DESC(like, "for each pair plain, mlx5, bnxt or ice; the last one for all that follow");
static int speed = 200000;
module_param(speed, int, 0444);
MODULE_PARM_DESC(speed, "of the ports, in Mb/s");

/*
 * Versions: mlx5e_dcbnl_initialize(), bnxt_dcb_init(), ice/ice_dcb_lib.c ice_dcb_get_mode().
 * Missing: what their struct dcbnl_rtnl_ops leave out. MTU: what a ConnectX port says,
 * BNXT_MAX_MTU, ICE_MAX_MTU.
 */
const struct model models[] = {
    [PLAIN] = {.name = "plain",
               .driver = "testnic",
               .firmware = "1.0",
               .vendor = 0x7e57,
               .device = 1,
               .max_mtu = 9978,
               .rx_ring = 1024,
               .tx_ring = 1024,
               .min_ring = 1,
               .max_ring = 8192,
               .versions = DCB_CAP_DCBX_VER_IEEE,
               .missing = "",
               .flags = {"one", "two"}},
    [MLX5] = {.name = "mlx5",
              .driver = "mlx5_core",
              .firmware = "28.39.1002",
              .vendor = 0x15b3,
              .device = 0x1021,
              .max_mtu = 9978,
              .rx_ring = 1024,
              .tx_ring = 1024,
              .min_ring = 64,
              .max_ring = 8192,
              .versions = DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_VER_IEEE,
              .missing = "",
              .flags = {"rx_cqe_moder", "tx_cqe_moder"}},
    [BNXT] = {.name = "bnxt",
              .driver = "bnxt_en",
              .firmware = "230.0.157.0",
              .vendor = 0x14e4,
              .device = 0x1760,
              .max_mtu = 9500,
              .rx_ring = 511,
              .tx_ring = 511,
              .min_ring = 2,
              .max_ring = 2047,
              .versions = DCB_CAP_DCBX_VER_IEEE,
              .missing = "maxrate buffer"},
    [ICE] = {.name = "ice",
             .driver = "ice",
             .firmware = "4.40",
             .vendor = 0x8086,
             .device = 0x1592,
             .max_mtu = 9702,
             .rx_ring = 2048,
             .tx_ring = 256,
             .min_ring = 64,
             .max_ring = 8160,
             .versions = DCB_CAP_DCBX_VER_IEEE,
             .missing = "maxrate buffer",
             .flags = {"link-down-on-close", "fw-lldp-agent"}},
};

static int probe(struct pci_dev* card, const struct pci_device_id* id) {
  struct port* port = port_at(PCI_SLOT(card->devfn));

  if (!port || port->model != models + id->driver_data) return -ENODEV;
  pci_set_drvdata(card, port);
  return netdev_create(port, &card->dev);
}

static void remove(struct pci_dev* card) { netdev_destroy(pci_get_drvdata(card)); }

#define MODELS (ICE + 1)
static struct pci_device_id ids[MODELS][2];
static struct pci_driver drivers[MODELS];
static bool registered[MODELS];
static struct pci_bus* bus;
static struct pci_sysdata sysdata = {.domain = 1, .node = 0};
static struct resource numbers = {.name = "testnic", .start = 0, .end = 0, .flags = IORESOURCE_BUS};

static u8* config_of(struct pci_bus* of, unsigned int devfn) {
  struct port* port = PCI_FUNC(devfn) ? NULL : port_at(PCI_SLOT(devfn));

  return of->number == 0 && port ? port->config : NULL;
}

static int config_read(struct pci_bus* of, unsigned int devfn, int where, int size, u32* value) {
  const u8* config = config_of(of, devfn);
  int i;

  *value = config ? 0 : ~0u;
  if (!config) return PCIBIOS_DEVICE_NOT_FOUND;
  for (i = 0; i < size && where + i < PCI_CFG_SPACE_SIZE; ++i)
    *value |= (u32)config[where + i] << (8 * i);
  return PCIBIOS_SUCCESSFUL;
}

/* There is nothing behind it, so only the words that hold settings keep what is written. */
static int config_write(struct pci_bus* of, unsigned int devfn, int where, int size, u32 value) {
  u8* config = config_of(of, devfn);
  int i;

  if (!config) return PCIBIOS_DEVICE_NOT_FOUND;
  if (where == PCI_COMMAND || where == 0x40 + PCI_EXP_DEVCTL || where == 0x40 + PCI_EXP_LNKCTL)
    for (i = 0; i < min(size, 2); ++i) config[where + i] = value >> (8 * i);
  return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops config_ops = {.read = config_read, .write = config_write};

static void unregister_drivers(void) {
  int i;

  for (i = 0; i < MODELS; ++i)
    if (registered[i]) pci_unregister_driver(drivers + i);
}

static int register_drivers(void) {
  int i, error;

  for (i = 0; i < port_count(); ++i) {
    int rule = port_at(i)->model - models;

    if (registered[rule]) continue;
    ids[rule][0] = (struct pci_device_id){PCI_DEVICE(models[rule].vendor, models[rule].device),
                                          .driver_data = rule};
    drivers[rule].name = models[rule].driver;
    drivers[rule].id_table = ids[rule];
    drivers[rule].probe = probe;
    drivers[rule].remove = remove;
    error = pci_register_driver(drivers + rule);
    if (error) return error;
    registered[rule] = true;
  }
  return 0;
}

static int start_bus(void) {
  LIST_HEAD(resources);

  pci_add_resource(&resources, &numbers);
  pci_lock_rescan_remove();
  bus = pci_scan_root_bus(NULL, 0, &config_ops, &sysdata, &resources);
  if (bus) pci_bus_add_devices(bus);
  pci_unlock_rescan_remove();
  if (!bus) pci_free_resource_list(&resources);
  return bus ? 0 : -ENOMEM;
}

static void stop_bus(void) {
  pci_lock_rescan_remove();
  pci_stop_root_bus(bus);
  pci_remove_root_bus(bus);
  pci_unlock_rescan_remove();
}

static int __init start(void) {
  int error;

  if (pairs < 1 || pairs > 16) return -EINVAL;
  error = control_start();
  if (error) return error;
  error = ports_create(pairs, like, like_count, speed);
  if (error) goto no_ports;
  error = register_drivers();
  if (!error) error = start_bus();
  if (!error) return 0;
  unregister_drivers();
no_ports:
  control_stop();
  ports_destroy();
  return error;
}

static void __exit stop(void) {
  stop_bus();
  unregister_drivers();
  control_stop();
  ports_destroy();
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A network card that is not there, with the habits of real ones, for tests");
