// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The interface of a port: frames go to the other end of the wire, counted by priority. */
#include <linux/etherdevice.h>
#include <linux/rtnetlink.h>

#include "testnic.h"

static void count(struct counters* counters, u8 priority, unsigned int bytes) {
  atomic64_inc(&counters->packets[priority % PRIORITIES]);
  atomic64_add(bytes, &counters->bytes[priority % PRIORITIES]);
}

static netdev_tx_t transmit(struct sk_buff* skb, struct net_device* dev) {
  struct nic* nic = netdev_priv(dev);
  const struct port* to = nic->port->peer;
  u8 sent = port_priority(nic->port, skb), received = port_priority(to, skb);
  unsigned int bytes = skb->len;
  struct net_device* peer;

  rcu_read_lock();
  peer = rcu_dereference(to->netdev);
  if (!peer || !netif_carrier_ok(dev)) {
    kfree_skb(skb);
    atomic64_inc(&nic->dropped);
  } else {
    struct nic* other = netdev_priv(peer);

    count(&nic->tx, sent, bytes);
    /* Larger than the other end's MTU: it is lost there, as on a wire. */
    if (dev_forward_skb(peer, skb) == NET_RX_SUCCESS)
      count(&other->rx, received, bytes);
    else
      atomic64_inc(&other->dropped);
  }
  rcu_read_unlock();
  return NETDEV_TX_OK;
}

static void get_stats(struct net_device* dev, struct rtnl_link_stats64* stats) {
  struct nic* nic = netdev_priv(dev);
  int i;

  for (i = 0; i < PRIORITIES; ++i) {
    stats->rx_packets += atomic64_read(&nic->rx.packets[i]);
    stats->rx_bytes += atomic64_read(&nic->rx.bytes[i]);
    stats->tx_packets += atomic64_read(&nic->tx.packets[i]);
    stats->tx_bytes += atomic64_read(&nic->tx.bytes[i]);
  }
  stats->rx_dropped = atomic64_read(&nic->dropped);
}

static int open(struct net_device* dev) {
  struct nic* nic = netdev_priv(dev);

  netif_tx_start_all_queues(dev);
  port_update_carrier(nic->port);
  return 0;
}

static int stop(struct net_device* dev) {
  struct nic* nic = netdev_priv(dev);

  /* The core has cleared "running" only for the eyes of the others: netif_running() is false here.
   */
  netif_tx_stop_all_queues(dev);
  port_update_carrier(nic->port);
  return 0;
}

static int change_mtu(struct net_device* dev, int mtu) {
  struct set set;

  if (!set_begins(&set, dev, SET_MTU, "%d", mtu)) return set.error;
  if (set.clamp) mtu -= 4;
  WRITE_ONCE(dev->mtu, mtu);
  /* The queues do not come back behind a value that is taken: bnxt/bnxt.c bnxt_change_mtu() of 6.1.
   */
  if (set.half) return set_ends(&set, set.error);
  port_reopen(netdev_priv(dev));
  return set_ends(&set, 0);
}

static int set_mac(struct net_device* dev, void* address) {
  const struct sockaddr* to = address;
  struct set set;

  if (!set_begins(&set, dev, SET_MAC, "%pM", to->sa_data)) return set.error;
  if (set.half) return set_ends(&set, set.error);
  return set_ends(&set, eth_mac_addr(dev, address));
}

static int set_features(struct net_device* dev, netdev_features_t features) {
  struct set set;

  if (!set_begins(&set, dev, SET_FEATURES, "%pNF", &features)) return set.error;
  return set_ends(&set, set.error);
}

static const struct net_device_ops operations = {
    .ndo_open = open,
    .ndo_stop = stop,
    .ndo_start_xmit = transmit,
    .ndo_get_stats64 = get_stats,
    .ndo_change_mtu = change_mtu,
    .ndo_set_mac_address = set_mac,
    .ndo_set_features = set_features,
    .ndo_validate_addr = eth_validate_addr,
};

int netdev_create(struct port* port, struct device* parent) {
  struct net_device* dev = alloc_etherdev_mq(sizeof(struct nic), CHANNELS);
  struct nic* nic;
  int error;

  if (!dev) return -ENOMEM;
  nic = netdev_priv(dev);
  nic->dev = dev;
  nic->port = port;
  SET_NETDEV_DEV(dev, parent);
  strscpy(dev->name, port->name, sizeof(dev->name));
  eth_hw_addr_set(dev, port->mac);
  dev->netdev_ops = &operations;
  dev->max_mtu = port->model->max_mtu;
  dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
  dev->hw_features = NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_RXCSUM | NETIF_F_TSO | NETIF_F_TSO6;
  dev->features = dev->hw_features;
  if (!READ_ONCE(port->habit[HABIT_reload_keeps])) port_reset_firmware(port);
  dcb_operations(port);
  ethtool_operations(port);
  dev->dcbnl_ops = &port->dcb;
  dev->ethtool_ops = &port->ethtool;
  ethtool_probe(nic);
  dcb_probe(nic);
  netif_carrier_off(dev);
  rtnl_lock();
  error = netif_set_real_num_tx_queues(dev, nic->channels);
  if (!error) error = netif_set_real_num_rx_queues(dev, nic->channels);
  if (!error) error = register_netdevice(dev);
  if (!error) {
    rcu_assign_pointer(port->netdev, dev);
    dcb_probe_app(nic);
  }
  rtnl_unlock();
  if (error) free_netdev(dev);
  return error;
}

void netdev_destroy(struct port* port) {
  struct net_device* dev;

  rtnl_lock();
  dev = rtnl_dereference(port->netdev);
  dev_close(dev);
  RCU_INIT_POINTER(port->netdev, NULL);
  unregister_netdevice(dev);
  rtnl_unlock();
  synchronize_net();
  free_netdev(dev);
}
